"""Host snippets in, launch sites out."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from gpulint.frontend.host import sites
from gpulint.frontend.host.site import HostArray, LaunchSite, Other, Scalar
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project
from gpulint.term import show

HEAD = """
import math
import numpy as np
from numba import cuda

@cuda.jit
def k(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = i

@cuda.jit
def k2(x, y, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = y[i]
"""


def shown_argument(argument: object) -> str:
    if isinstance(argument, Scalar):
        return show(argument.term) if argument.term is not None else "float"
    if isinstance(argument, HostArray):
        shape = "?" if argument.shape is None else ", ".join(map(show, argument.shape))
        return f"{argument.name}[{shape}]"
    assert isinstance(argument, Other)
    return f"<{argument.text}>"


class Sites(list[LaunchSite]):
    """The sites of a snippet, with a textual view of the only one."""

    @property
    def one(self) -> LaunchSite:
        assert len(self) == 1, [(s.span.row, s.callers) for s in self]
        return self[0]

    @property
    def grid(self) -> str:
        return ", ".join(map(show, self.one.grid or ()))

    @property
    def block(self) -> str:
        return ", ".join(map(show, self.one.block or ()))

    @property
    def arguments(self) -> list[str]:
        return [shown_argument(a) for a in self.one.arguments.values()]

    @property
    def facts(self) -> set[str]:
        return {show(f) for f in self.one.facts}

    def array(self, name: str = "x") -> HostArray:
        found = self.one.arguments[name]
        assert isinstance(found, HostArray), found
        return found


Launches = Callable[..., Sites]


@pytest.fixture
def launches() -> Launches:
    def run(text: str, head: str = HEAD) -> Sites:
        module = load_text(head + textwrap.dedent(text), "host.py")
        assert isinstance(module, Module), module
        project = Project()
        return Sites(sites(module, project, find(module, project)))

    return run


@pytest.fixture
def in_function(launches: Launches) -> Launches:
    """The sites of the body of `def f(x, y, n, m)`."""

    def run(body: str) -> Sites:
        return launches(
            "def f(x, y, n, m):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
        )

    return run
