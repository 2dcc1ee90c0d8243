"""The files of a new kernel; NAME stands for its name."""

from __future__ import annotations

KERNEL = '''"""NAME: y = factor * x, element by element.

`gpulint check NAME.py` proves it for every launch that meets the contract.
"""

import numpy as np
from numba import cuda

import gpulint

THREADS = 256


@gpulint.contract(block=(THREADS, 1, 1), requires=["y.size == x.size"])
@cuda.jit
def NAME(x, factor, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = factor * x[i]


def run(x, factor):
    """The kernel on an array of the host."""
    given = cuda.to_device(np.asarray(x, dtype=np.float32))
    y = cuda.device_array(given.size, dtype=np.float32)
    NAME[(given.size + THREADS - 1) // THREADS, THREADS](given, np.float32(factor), y)
    return y.copy_to_host()
'''

TEST = '''"""The kernel is proved here, and run where there is a GPU."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def gpulint(*arguments):
    command = [sys.executable, "-m", "gpulint", *arguments]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def test_kernel_is_proved():
    done = gpulint("check", "--deny", "undecided", "NAME.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_small_launches_run_clean():
    done = gpulint("run", "NAME.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_result_on_a_gpu():
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("there is no GPU")
    from NAME import run

    assert run([1.0, 2.0, 3.0], 2.0).tolist() == [2.0, 4.0, 6.0]
'''

HOOKS = """# uses the gpulint that is installed
repos:
  - repo: local
    hooks:
      - id: gpulint
        name: gpulint
        entry: gpulint check
        language: system
        types_or: [python]
        require_serial: true
"""

FILES = {"{name}.py": KERNEL, "test_{name}.py": TEST, ".pre-commit-config.yaml": HOOKS}


def files(name: str) -> dict[str, str]:
    """The texts by file name."""
    return {path.format(name=name): text.replace("NAME", name) for path, text in FILES.items()}
