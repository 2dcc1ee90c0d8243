"""How a lowering ends early: a construct that is not handled, a kernel past a limit."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager

RECURSION = 6000


class NotHandled(Exception):
    """A construct that is not lowered; becomes an `Unsupported` statement that names it."""

    def __init__(self, reason: str, node: ast.AST | None = None) -> None:
        super().__init__(reason)
        self.reason, self.node = reason, node


class TooLarge(Exception):
    """A limit of the whole kernel is passed."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Nested code takes several Python frames a level; the limits of this room end it first."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
