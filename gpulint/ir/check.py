"""Checks that a kernel is well formed: what every room may rely on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Union

from gpulint.ir import nodes as n
from gpulint.ir.types import ArrayType, BoolType, FloatType, IntType, Unknown
from gpulint.ir.walk import assigned, walk

_EXPRS: tuple[type, ...] = n.Expr.__args__  # type: ignore[attr-defined]
_STMTS: tuple[type, ...] = n.Stmt.__args__  # type: ignore[attr-defined]
_TYPES = (IntType, FloatType, BoolType, Unknown)
_OPS: dict[type, frozenset[str]] = {
    n.Unary: frozenset(["neg", "invert", "abs", "not"]),
    n.Binary: frozenset(
        [
            "add",
            "sub",
            "mul",
            "floordiv",
            "mod",
            "truncdiv",
            "truncmod",
            "div",
            "pow",
            "shl",
            "shr",
            "and",
            "or",
            "xor",
            "min",
            "max",
        ]
    ),
    n.Compare: frozenset(["lt", "le", "gt", "ge", "eq", "ne"]),
    n.Logic: frozenset(("and", "or")),
    n.Atomic: frozenset(
        ["add", "sub", "max", "min", "nanmax", "nanmin", "and", "or", "xor", "inc", "dec", "exch", "cas"]
    ),
}
_KINDS: dict[type, frozenset[str]] = {
    n.Coord: frozenset(["thread", "block", "block_size", "grid_size", "lane", "warp_size"]),
    n.Barrier: frozenset(["block", "warp", "grid", "fence_block", "fence_device", "fence_system"]),
}


def check(kernel: n.Kernel) -> list[str]:
    """The ways in which the kernel is malformed, empty when it is not.

    Checked: names are defined on some path before they are used, arrays and scalars apart; labels and loops
    enclose what leaves them; operators, kinds and field types are those that the nodes declare.
    """
    return [*_shapes(kernel)] or _Checker(kernel).run()


class _Checker:
    """Walks in program order; a loop's body sees what the body itself defines."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.kernel = kernel
        self.problems: list[str] = []
        self.scalars = {p.name for p in kernel.params if not p.is_array}
        self.arrays = {p.name for p in kernel.params if p.is_array}

    def run(self) -> list[str]:
        names = [p.name for p in self.kernel.params]
        self.problems += [f"parameter twice: {x}" for x in sorted({x for x in names if names.count(x) > 1})]
        self.block(self.kernel.body, ("",), False)
        return self.problems

    def block(self, body: tuple[n.Stmt, ...], labels: tuple[str, ...], loop: bool) -> None:
        for s in body:
            self.statement(s, labels, loop)

    def statement(self, s: n.Stmt, labels: tuple[str, ...], loop: bool) -> None:
        if isinstance(s, n.Leave) and s.label not in labels:
            self.problems.append(f"leave without block: {s.label}")
        if isinstance(s, (n.Break, n.Continue)) and not loop:
            self.problems.append(f"outside a loop: {type(s).__name__.lower()}")
        if isinstance(s, n.While):
            self.loop_names(s.body + s.before)
            self.block(s.before, labels, False)
        elif isinstance(s, n.For):
            self.scalars.add(s.target)
            self.loop_names(s.body)
        self.uses(s)
        self.defines(s)
        if isinstance(s, n.If):
            self.block(s.then, labels, loop)
            self.block(s.other, labels, loop)
        elif isinstance(s, (n.For, n.While)):
            self.block(s.body, labels, True)
        elif isinstance(s, n.Block):
            self.block(s.body, (*labels, s.label), False if s.label in labels else loop)

    def loop_names(self, body: tuple[n.Stmt, ...]) -> None:
        """An iteration sees what the one before it defined."""
        made = {node.target for s in body for node in walk(s) if isinstance(node, (n.View, n.Alias, n.Alloc))}
        self.arrays |= made
        self.scalars |= assigned(body) - made

    def uses(self, s: n.Stmt) -> None:
        array = getattr(s, "array", None)
        if isinstance(array, str) and array not in self.arrays:
            self.problems.append(f"array not defined: {array}")
        if isinstance(s, n.Unsupported):
            self.problems += [f"array not defined: {a}" for a in s.arrays if a not in self.arrays]
        for e in own_expressions(s):
            if isinstance(e, n.Var) and e.name not in self.scalars:
                self.problems.append(f"local not defined: {e.name}")
            if isinstance(e, (n.Extent, n.Size, n.Stride)) and e.array not in self.arrays:
                self.problems.append(f"array not defined: {e.array}")

    def defines(self, s: n.Stmt) -> None:
        if isinstance(s, (n.View, n.Alias, n.Alloc)):
            self.arrays.add(s.target)
        elif isinstance(s, n.Unsupported):
            self.scalars.update(s.targets)
        elif getattr(s, "target", ""):
            self.scalars.add(s.target)  # type: ignore[union-attr]


def own_expressions(s: n.Stmt) -> Iterator[Any]:
    """Every expression of a statement, those of nested statements left out."""
    for f in dataclasses.fields(s):
        if f.name not in ("span", "body", "then", "other", "before"):
            for e in _flat(getattr(s, f.name)):
                for node in walk(e):
                    if isinstance(node, _EXPRS):
                        yield node


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for v in value:
            yield from _flat(v)
    elif isinstance(value, (*_EXPRS, n.Range)):
        yield value


def _shapes(kernel: n.Kernel) -> Iterator[str]:
    for node in walk(kernel):
        kind = type(node)
        op = getattr(node, "op", None)
        if kind in _OPS and op not in _OPS[kind]:
            yield f"operator of {kind.__name__}: {op}"
        if kind in _KINDS and node.kind not in _KINDS[kind]:
            yield f"kind of {kind.__name__}: {node.kind}"
        yield from _fields(node)


def _fields(node: Union[n.Expr, n.Stmt, n.Param, n.Kernel]) -> Iterator[str]:
    """Fields that hold nodes hold nodes, and types are types."""
    name = type(node).__name__
    type_ = getattr(node, "type", None)
    wanted: tuple[type, ...] = _TYPES
    if isinstance(node, n.Alloc):
        wanted = (ArrayType,)
    elif isinstance(node, n.Param):
        wanted = (*_TYPES, ArrayType)
    if type_ is not None and not isinstance(type_, wanted):
        yield f"type of {name}: {type_!r}"
    for field_ in ("subscripts", "operands"):
        for e in getattr(node, field_, ()):
            if not isinstance(e, _EXPRS):
                yield f"{field_} of {name}: {type(e).__name__}"
    for field_ in ("value", "condition", "operand", "left", "right", "start", "stop", "step"):
        e = getattr(node, field_, None)
        if e is not None and not isinstance(node, n.Const) and not isinstance(e, _EXPRS):
            yield f"{field_} of {name}: {type(e).__name__}"
    for field_ in ("body", "then", "other", "before"):
        part = getattr(node, field_, ())
        if isinstance(part, tuple) and not all(isinstance(s, _STMTS) for s in part):
            yield f"{field_} of {name} holds something that is not a statement"
