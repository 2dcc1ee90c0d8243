"""Which neighbouring files are read for launches: those whose imports may lead to the kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpulint import launchers
from gpulint.source.kernels import find
from gpulint.source.load import load
from gpulint.source.model import Module
from gpulint.source.resolve import Project

KERNEL = """
from numba import cuda

@cuda.jit
def k(x):
    x[cuda.grid(1)] = 1

def make():
    return k
"""


def launches(folder: Path, files: dict[str, str]) -> list[str]:
    """The neighbours of pkg/kernels.py that are read, with the file names of the launches found."""
    for name, text in {"pkg/__init__.py": "", "pkg/kernels.py": KERNEL, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    module = load(folder / "pkg/kernels.py")
    assert isinstance(module, Module)
    project = Project()
    found = launchers.find(module, project, find(module, project), [folder / name for name in files])
    assert not found.failures
    read = {m.path.name for m in found.modules if m.path is not None}
    assert {Path(s.span.filename).name for s in found.sites} <= read
    return sorted(read)


@pytest.mark.parametrize(
    "text",
    [
        "from pkg.kernels import k\nk[1, 2](x)\n",
        "from .kernels import k as other\nother[1, 2](x)\n",
        "from .kernels import *\nk[1, 2](x)\n",
        "from . import kernels\nkernels.k[1, 2](x)\n",
        "import pkg.kernels\npkg.kernels.k[1, 2](x)\n",
        "def f(x):\n    from pkg import kernels as k\n    k.k[1, 2](x)\n",
        "from .kernels import make\nk = make()\nk[1, 2](x)\n",
        "try: from .kernels import k\nexcept ImportError: k = None\nk[1, 2](x)\n",
        "from .kernels import (\n    k,\n)\nk[1, 2](x)\n",
    ],
)
def test_a_file_that_imports_the_kernel_is_read(tmp_path, text):
    assert launches(tmp_path, {"pkg/host.py": text}) == ["host.py"]


@pytest.mark.parametrize("middle", ["from .kernels import k", "from .kernels import *"])
@pytest.mark.parametrize(
    "text", ["from .middle import k\nk[1, 2](x)\n", "from . import middle\nmiddle.k[1, 2](x)\n"]
)
def test_so_is_one_that_gets_it_from_a_third_file(tmp_path, middle, text):
    assert "host.py" in launches(tmp_path, {"pkg/middle.py": middle, "pkg/host.py": text})


@pytest.mark.parametrize(
    "text",
    [
        "import numpy\n\ndef k(x):\n    return x\n\nk[1, 2](x)\n",
        "from . import other\n\ndef k(x):\n    return other\n\nk[1, 2](x)\n",
        "from .other import k\nk[1, 2](x)\n",
        "from . import other\nother.k[1, 2](x)\n",
    ],
)
def test_one_that_only_uses_the_name_is_not(tmp_path, text):
    assert launches(tmp_path, {"pkg/other.py": "k = None\n", "pkg/host.py": text}) == []
