"""Kernels of tests from Python source text."""

from __future__ import annotations

from gpulint.frontend.numba import lower
from gpulint.ir.nodes import Kernel
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

PRELUDE = "import math\nimport numba\nimport numpy as np\nfrom numba import cuda\n\n\n"


def kernel(text: str, name: str | None = None) -> Kernel:
    """The kernel of this name (or the last one) in a module; imports are added when there are none."""
    source = text if "import " in text else PRELUDE + text
    module = load_text(source, "k.py")
    assert isinstance(module, Module), module
    project = Project()
    found = [k for k in find(module, project) if k.device is not True]
    chosen = [k for k in found if name is None or name in (k.qualname, k.qualname.rpartition(".")[2])]
    assert chosen, f"no kernel {name or ''} among {[k.qualname for k in found]}"
    return lower(chosen[-1], project)
