"""What an expression of a kernel can be while it is lowered: a scalar, an array, a tuple, a function ..."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Union

from gpulint.ir import fields
from gpulint.ir import nodes as n
from gpulint.ir.types import UNKNOWN, ArrayType, Type
from gpulint.source.model import FunctionNode, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.context import Frame


@dataclass(frozen=True)
class Array:
    """An array by its IR name. `field`: the path of one field of a record array (`arr['x']`).

    `shape`: the extents of an allocation, where they are known.
    """

    name: str
    type: ArrayType
    field: str = ""
    shape: tuple[n.Expr, ...] | None = None

    def inner(self, name: str) -> Array:
        """A field of it, whose elements may be of any type."""
        path = fields.inner(self.field, name)
        return replace(self, field=path, type=replace(self.type, element=UNKNOWN))


@dataclass(frozen=True)
class Shape:
    """`x.shape` or `x.strides` of an array whose rank no use fixes."""

    array: Array
    strides: bool = False


@dataclass(frozen=True)
class Tuple:
    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Function:
    """A function to inline. `scope` is its own; `frame` holds the locals of an enclosing inlined function."""

    node: FunctionNode
    scope: Scope
    frame: Frame | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other.node is self.node and other.frame is self.frame

    def __hash__(self) -> int:
        return id(self.node)


@dataclass(frozen=True)
class Choices:
    """A name that means one of several functions, by a condition that the source does not settle."""

    name: str
    options: tuple[Value, ...]


@dataclass(frozen=True)
class Named:
    """Something of a library, by its canonical dotted name: `cuda.grid`, `math.sqrt`, `np.float32`."""

    name: str


@dataclass(frozen=True)
class DType:
    """An element type as a value: `numba.float32`, `x.dtype`."""

    type: Type


@dataclass(frozen=True)
class Record:
    """A record or named tuple: fields are parameters (`p.x`) or fields of one array element."""

    name: str
    array: Array | None = None
    subscripts: tuple[n.Expr, ...] = ()


@dataclass(frozen=True)
class Bounds:
    """A `range(start, stop, step)`."""

    start: n.Expr
    stop: n.Expr
    step: n.Expr
    type: Type


@dataclass(frozen=True, eq=False)
class Iteration:
    """Something iterable by a counter: an array, `enumerate`, `zip`. `at` writes the loads of one step."""

    bounds: Bounds
    at: Callable[[n.Expr], Value]


@dataclass(frozen=True)
class Method:
    """A bound method of a value that is no library object: `x.view`, `group.sync`."""

    owner: Value
    name: str


@dataclass(frozen=True)
class Foreign:
    """What an unknown function returned, held in a local: a number, a tuple, an array that it saw."""

    held: n.Var


@dataclass(frozen=True)
class Unresolved:
    """A global object that is not understood, by its text; its use as a number makes it a parameter."""

    text: str
    node: ast.expr
    scope: Scope


Value = Union[
    n.Expr, Array, Shape, Tuple, Function, Choices, Named, DType, Record, Bounds, Iteration, Method, Foreign,
    Unresolved,
]  # fmt: skip
SCALARS = (
    n.Const, n.Var, n.Coord, n.Extent, n.Size, n.Stride, n.Unary, n.Binary, n.Compare, n.Logic, n.Choose,
    n.Cast, n.Opaque,
)  # fmt: skip
