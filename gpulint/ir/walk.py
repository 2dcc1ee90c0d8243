"""Traversal derived from the fields of the nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from gpulint.ir import nodes as n

_STMTS = n.Stmt.__args__  # type: ignore[attr-defined]
_EXPRS = n.Expr.__args__  # type: ignore[attr-defined]


def children(node: Any) -> Iterator[Any]:
    """The nodes directly below: of expressions, statements, ranges and kernels, in field order."""
    for f in dataclasses.fields(node):
        if f.name in ("span", "header", "type"):
            continue
        yield from _nodes(getattr(node, f.name))


def _nodes(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for v in value:
            yield from _nodes(v)
    elif isinstance(value, (*_STMTS, *_EXPRS, n.Range, n.Param)):
        yield value


def walk(root: Any) -> Iterator[Any]:
    """`root` and every node below it, depth first."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(children(node))))


def statements(body: tuple[n.Stmt, ...]) -> Iterator[n.Stmt]:
    """Every statement, nested ones included, in source order."""
    for s in body:
        for node in walk(s):
            if isinstance(node, _STMTS):
                yield node


def assigned(body: tuple[n.Stmt, ...]) -> set[str]:
    """The locals that the statements may give a value."""
    out: set[str] = set()
    for s in statements(body):
        if isinstance(s, n.Unsupported):
            out.update(s.targets)
        else:
            target = getattr(s, "target", "")
            if target:
                out.add(target)
    return out
