"""Triton's own compiler, in a process of its own: no GPU is needed, and no module of the user's is run."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpulint.compile.error import CompileError, MissingTool
from gpulint.contract.limits import DEVICES

SECONDS = 300
HOW = "pip install 'gpulint[triton]'"
_RUN = "from gpulint.compile.tile.worker import main; main()"


@dataclass(frozen=True)
class Built:
    """What Triton made of one kernel: its stages as text, machine code, and what a launch needs.

    `scratch`: bytes of global memory for each program. `threads`: of a block.
    """

    entry: str
    ttir: str
    ttgir: str
    llvm: str
    ptx: str
    cubin: bytes
    threads: int
    shared: int
    scratch: int


def installed() -> str:
    """Triton's version; empty when it is not there. Nothing is imported."""
    try:
        return version("triton") if find_spec("triton") else ""
    except (PackageNotFoundError, ValueError):
        return ""


def build(request: Mapping[str, Any], arch: str) -> Built:
    """Compile what `worker` describes. Raises MissingTool, CompileError."""
    if not installed():
        raise MissingTool("Triton kernels are compiled by Triton, which is not installed", hint=HOW)
    answer = _asked({**request, "cc": DEVICES[arch].cc})
    if "error" in answer:
        raise CompileError(f"Triton does not compile the kernel: {answer['error']}")
    m = answer["metadata"]
    if m["num_ctas"] != 1 or m["profile_scratch_size"] or m["launch_cooperative_grid"]:
        raise CompileError("the kernel needs clusters, profiling or a cooperative launch")
    return Built(
        m["name"], answer["ttir"], answer["ttgir"], answer["llir"], answer["ptx"],
        base64.b64decode(answer["cubin"]), m["num_warps"] * 32, m["shared"], m["global_scratch_size"],
    )  # fmt: skip


def _asked(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the process, which does not get what the environment says to Triton."""
    with tempfile.TemporaryDirectory(prefix="gpulint-") as folder:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("TRITON_", "PYTHON", "MLIR_"))}
        env |= {
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if Path(p).is_absolute()),
            "TRITON_CACHE_DIR": folder, "TRITON_HOME": folder,
        }  # fmt: skip
        try:
            done = subprocess.run(
                [sys.executable, "-c", _RUN], input=json.dumps(request), capture_output=True, text=True,
                timeout=SECONDS, cwd=folder, env=env, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise CompileError(f"Triton's compiler took more than {SECONDS} s") from None
        except OSError as error:
            raise CompileError(f"Triton's compiler did not run: {error}") from None
    try:
        found = json.loads(done.stdout)
    except ValueError:
        said = " ".join(done.stderr.split())[-300:]
        raise CompileError(f"Triton's compiler ended without a result: {said}") from None
    return found if isinstance(found, dict) else {"error": "no result"}
