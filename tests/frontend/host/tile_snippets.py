"""Host snippets that launch tile kernels."""

from __future__ import annotations

import textwrap

from gpulint.frontend.host import sites
from gpulint.frontend.host.site import HostArray
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project
from gpulint.term import show
from tests.frontend.host.conftest import Sites

HEAD = """
import math
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

@triton.jit
def k(x, y, n, stride, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
"""


def launched(text: str, head: str = HEAD) -> Sites:
    """The launch sites of a module."""
    module = load_text(head + textwrap.dedent(text), "host.py")
    assert isinstance(module, Module), module
    project = Project()
    return Sites(sites(module, project, find(module, project)))


def body(text: str, head: str = HEAD) -> Sites:
    """The launch sites of the body of `def f(x, y, n, m)`."""
    lines = textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")
    return launched(f"def f(x, y, n, m):\n{lines}\n", head)


def given(found: Sites, name: str) -> str:
    """The term of a scalar argument."""
    argument = found.one.arguments[name]
    term = argument.scalar if isinstance(argument, HostArray) else getattr(argument, "term", None)
    assert term is not None, argument
    return show(term)


def tensor(text: str) -> HostArray:
    """The first argument of `k[(1,)](<last line>, y, 1, 1)` after the lines before."""
    *lines, last = textwrap.dedent(text).strip("\n").splitlines()
    found = body("\n".join([*lines, f"t = {last}", "k[(1,)](t, y, 1, 1)"]))
    return found.array("x")


def shown(terms: tuple[object, ...] | None) -> str:
    return "?" if terms is None else ", ".join(show(t) for t in terms)  # type: ignore[arg-type]
