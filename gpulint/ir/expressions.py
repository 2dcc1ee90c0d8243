"""Expressions of the IR: pure values. See `nodes` for the grammar."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as _field
from typing import Union

from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import BOOL, UNKNOWN, BoolType, Type


@dataclass(frozen=True)
class Const:
    value: Union[int, float, bool, str, None]
    type: Type = UNKNOWN
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Var:
    """A local or a scalar parameter of the kernel."""

    name: str
    type: Type = UNKNOWN
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Coord:
    """A coordinate or size of the launch space, along axis 0 (x), 1 (y) or 2 (z).

    `kind`: thread (threadIdx), block (blockIdx, program_id), block_size (blockDim),
    grid_size (gridDim, num_programs), lane (lane index in the warp), warp_size.
    """

    kind: str
    axis: int
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Extent:
    """The number of elements of an array (or view) along an axis: `x.shape[axis]`."""

    array: str
    axis: int
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Size:
    """The number of elements of an array in all: `x.size`."""

    array: str
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Stride:
    """The stride of an array along an axis, in elements (`unit` 'element') or bytes ('byte')."""

    array: str
    axis: int
    type: Type
    unit: str = "byte"
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Unary:
    """`op`: neg, invert (~), abs, not."""

    op: str
    operand: Expr
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Binary:
    """Arithmetic, wrapping at the width of `type`.

    `op`: add, sub, mul, floordiv, mod (Python's), truncdiv, truncmod (C's), div (true division),
    pow, shl, shr, and, or, xor, min, max.
    """

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Compare:
    """`op`: lt, le, gt, ge, eq, ne. Always boolean."""

    op: str
    left: Expr
    right: Expr
    span: Span = _field(default=NOWHERE, compare=False)

    @property
    def type(self) -> BoolType:
        return BOOL


@dataclass(frozen=True)
class Logic:
    """`op`: and, or; both operands are pure, so the order of evaluation does not show."""

    op: str
    operands: tuple[Expr, ...]
    span: Span = _field(default=NOWHERE, compare=False)

    @property
    def type(self) -> BoolType:
        return BOOL


@dataclass(frozen=True)
class Choose:
    """`then if condition else other`, both sides pure."""

    condition: Expr
    then: Expr
    other: Expr
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Cast:
    """Conversion to `type`: int(x), np.int32(x), float32(x), x.to(tl.int64); to int it truncates."""

    operand: Expr
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


EVERY = -1  # in `Opaque.follows`


def upto(axis: int) -> int:
    """In `Opaque.follows`: the lanes up to that of axis `axis`. It is its own inverse."""
    return -2 - axis


@dataclass(frozen=True)
class Opaque:
    """A value that is not understood: some function `name` of `operands` and nothing else.

    Equal operands give equal values unless `fresh`, which is a new unknown at each evaluation
    (a random number, the result of an atomic, a shuffle). math functions of floats are opaque too.
    `rank`: of a fresh tile value (a reduction, a dot, a sort), how many lanes it depends on. `follows`: for
    each operand and each axis of it, the axis of the value whose lane it is taken at, `EVERY` where an
    element of the value depends on all lanes, `upto(k)` on those up to its own along axis k (a scan); not
    given, it depends on all of the operands.
    """

    name: str
    operands: tuple[Expr, ...]
    type: Type
    fresh: bool = False
    rank: int = 0
    span: Span = _field(default=NOWHERE, compare=False)
    follows: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Lane:
    """Tile dialects: the coordinate of an element along axis `axis` of its tile, in [0, size).

    A tile kernel is written for one element of each tile: a value of rank r is an expression over
    Lane(0) .. Lane(r - 1). `tl.arange(a, b)` is `a + Lane(0, b - a)`.
    """

    axis: int
    size: Expr
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Relane:
    """A tile value at other coordinates: lane k of `operand` is `lanes[k]`, over the new tile's lanes.

    `x[:, None]` is Relane(x, (Lane(0),)), `x[None, :]` Relane(x, (Lane(1),)), a transpose
    (Lane(1), Lane(0)), a flattening of M x N (Lane(0) // N, Lane(0) % N), a broadcast along an axis
    of size one a constant 0 there.
    """

    operand: Expr
    lanes: tuple[Expr, ...]
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


Expr = Union[
    Const, Var, Coord, Extent, Size, Stride, Unary, Binary, Compare, Logic, Choose, Cast, Opaque,
    Lane, Relane,
]  # fmt: skip
