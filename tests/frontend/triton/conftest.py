"""Kernels of tests from Python source text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpulint.frontend.triton import lower
from gpulint.ir.check import check
from gpulint.ir.nodes import Kernel
from gpulint.ir.printer import block
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

PRELUDE = "import triton\nimport triton.language as tl\n\n\n"


def lowered(text: str, name: str = "k") -> Kernel:
    """The kernel of this name in a module; imports are added when there are none."""
    module = load_text(text if "import triton" in text else PRELUDE + text, "k.py")
    assert isinstance(module, Module), module
    project = Project()
    (found,) = [s for s in find(module, project) if s.qualname.rpartition(".")[2] == name]
    kernel = lower(found, project)
    assert check(kernel) == []
    return kernel


@pytest.fixture
def body() -> Callable[[str], list[str]]:
    """The printed statements of a kernel without what only marks a range."""
    return lambda text: [s for s in block(lowered(text).body) if "effect arange" not in s]


@pytest.fixture
def kernel() -> Callable[[str], Kernel]:
    return lowered
