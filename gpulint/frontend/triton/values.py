"""What an expression of a Triton kernel can be while it is lowered: a tile, a pointer, a function ..."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Union

from gpulint.ir import nodes as n
from gpulint.ir.types import UNKNOWN, Type
from gpulint.source.model import FunctionNode, Scope

Shape = tuple[n.Expr, ...]


@dataclass(frozen=True)
class Tile:
    """A number for each element of a tile; a scalar has the shape ().

    `weak`: a compile-time value (a literal, a constexpr), which takes the type of what it meets. `roots`: the
    parameters that would be the pointer if this is one.
    """

    expr: n.Expr
    shape: Shape = ()
    weak: bool = False
    roots: tuple[str, ...] = ()

    @property
    def type(self) -> Type:
        return self.expr.type

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class Pointer:
    """`base` and an offset in elements. `element`: what it points to. `recast`: it was cast to a type of
    another size, so that the offset says nothing about the elements of `base`."""

    base: str
    offset: n.Expr
    shape: Shape = ()
    element: Type = UNKNOWN
    recast: str = ""

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class Window:
    """A block pointer (`offsets` given) or a tensor descriptor, over `base`.

    A descriptor that the host makes has no strides: `base` is then an array with as many axes as `block`.
    """

    base: Pointer
    sizes: Shape
    strides: Shape
    offsets: Shape
    block: Shape
    padding: str = ""

    @property
    def hosted(self) -> bool:
        return not self.strides


@dataclass(frozen=True)
class Tuple:
    """`names`: the fields of a named tuple or aggregate."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Function:
    """A function to inline, with its own scope."""

    node: FunctionNode
    scope: Scope

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other.node is self.node

    def __hash__(self) -> int:
        return id(self.node)


@dataclass(frozen=True)
class Named:
    """Something of Triton, Python or another library, by its canonical dotted name: `tl.load`."""

    name: str


@dataclass(frozen=True)
class DType:
    """An element type as a value; `pointer`: a pointer to such elements. `text` names it."""

    type: Type
    pointer: bool = False
    text: str = ""


@dataclass(frozen=True)
class Bounds:
    """A `range(start, stop, step)`; `static`: of compile-time values, written out if need be.

    `plain`: without options of its own, such as stages of a pipeline.
    """

    start: Tile
    stop: Tile
    step: Tile
    static: bool = False
    plain: bool = False


@dataclass(frozen=True)
class Method:
    """A method of a value: `x.to`."""

    owner: Value
    name: str


@dataclass(frozen=True)
class Class:
    """A named tuple or aggregate of the project, by its fields in order."""

    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Unresolved:
    """A global that is not understood, by its text; its use as a number makes it a constexpr parameter."""

    text: str
    node: ast.expr
    scope: Scope


@dataclass(frozen=True)
class Choice:
    """A local that is one of two values of different kinds or ranks, by a compile-time condition.

    It can be used only where a branch settles the condition.
    """

    condition: n.Expr
    then: Value
    other: Value


Value = Union[
    Tile, Pointer, Window, Tuple, Function, Named, DType, Bounds, Method, Class, Unresolved, Choice,
]  # fmt: skip
NONE = Tile(n.Const(None), weak=True)


def is_none(value: Value) -> bool:
    return isinstance(value, Tile) and isinstance(value.expr, n.Const) and value.expr.value is None


def constant(value: Value) -> object:
    """The Python value of a constant, or None."""
    return value.expr.value if isinstance(value, Tile) and isinstance(value.expr, n.Const) else None


def integer(value: Value | n.Expr) -> int | None:
    """The value of an integer constant, or None."""
    e = value.expr if isinstance(value, Tile) else value
    if isinstance(e, n.Const) and isinstance(e.value, int):
        return int(e.value)
    return None


def leaves(value: Value) -> list[tuple[str, n.Expr]]:
    """The expressions that a local holding the value needs, each with the suffix of its IR name."""
    if isinstance(value, Tile):
        return [("", value.expr)] if not is_none(value) else []
    if isinstance(value, Pointer):
        return [("", value.offset)]
    if isinstance(value, Window):
        own = [(f".{i}", e) for i, e in enumerate(value.offsets)]
        return [*own, (".at", value.base.offset)] if not value.hosted else own
    if isinstance(value, Tuple):
        return [(f".{i}{s}", e) for i, v in enumerate(value.items) for s, e in leaves(v)]
    return []


def with_leaves(value: Value, exprs: Sequence[n.Expr]) -> Value:
    """The value with other expressions in the places of `leaves`."""
    if isinstance(value, Tile):
        return replace(value, expr=exprs[0]) if not is_none(value) else value
    if isinstance(value, Pointer):
        return replace(value, offset=exprs[0])
    if isinstance(value, Window):
        count = len(value.offsets)
        base = value.base if value.hosted else replace(value.base, offset=exprs[count])
        return replace(value, offsets=tuple(exprs[:count]), base=base)
    if isinstance(value, Tuple):
        items, at = [], 0
        for v in value.items:
            count = len(leaves(v))
            items.append(with_leaves(v, exprs[at : at + count]))
            at += count
        return replace(value, items=tuple(items))
    return value
