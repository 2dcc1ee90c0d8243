"""The IR as a readable grammar: expressions are pure, statements have the effects.

    kernel    ::= params, arrays, body
    stmt      ::= Assign | Load | Store | Atomic | View | Alloc | If | For | While | Break | Continue
                | Block | Leave | Barrier | Assume | Effect | Unsupported
    expr      ::= Const | Var | Coord | Extent | Stride | Unary | Binary | Compare | Logic | Choose
                | Cast | Opaque | Lane | Relane

Locals are mutable names (the dataflow room makes them single-assignment). Reads of memory are
statements, so that a read under a short circuit or in a conditional expression stands under an `If`:
the frontend expands `a and x[i]`, `x[i] if c else 0` and chained comparisons that read memory.
Function calls are inlined by the frontend: the callee's body is a `Block`, its `return` a `Leave`.

Every node is a frozen dataclass; printing, traversal and hashing are derived from the fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as _field
from typing import Union

from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import BOOL, UNKNOWN, ArrayType, BoolType, FloatType, IntType, Type, Unknown

# --- expressions: pure values -----------------------------------------------------------------


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

# --- statements: effects ----------------------------------------------------------------------


@dataclass(frozen=True)
class Assign:
    target: str
    value: Expr
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Load:
    """`target = array[subscripts]`; one subscript an axis. `array` names a parameter, view or alloc.

    `negative_wraps`: a negative subscript counts from the end (Numba). `field`: of a record array.
    Tile dialects: `lanes` are the sizes of the accessed tile's axes (empty for a scalar), every
    subscript and the mask being expressions over its lanes; elements where `mask` is false are not
    accessed and have the value `other`, or none (undefined) when `other` is None.
    """

    target: str
    array: str
    subscripts: tuple[Expr, ...]
    type: Type
    negative_wraps: bool = True
    field: str = ""
    lanes: tuple[Expr, ...] = ()
    mask: Expr | None = None
    other: Expr | None = None
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Store:
    array: str
    subscripts: tuple[Expr, ...]
    value: Expr
    negative_wraps: bool = True
    field: str = ""
    lanes: tuple[Expr, ...] = ()
    mask: Expr | None = None
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Atomic:
    """A read-modify-write. `op`: add, sub, max, min, nanmax, nanmin, and, or, xor, inc, dec, exch, cas.

    `target` receives the old value, or is empty. `scope`: block, device, system.
    """

    op: str
    array: str
    subscripts: tuple[Expr, ...]
    operands: tuple[Expr, ...]
    target: str = ""
    scope: str = "device"
    negative_wraps: bool = True
    lanes: tuple[Expr, ...] = ()
    mask: Expr | None = None
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Range:
    """One axis of a view: a clipped Python slice. None means the default."""

    start: Expr | None
    stop: Expr | None
    step: Expr | None


@dataclass(frozen=True)
class View:
    """`target = array[indices]`: an expression drops an axis, a `Range` keeps it.

    Axes without an index are kept whole. `transpose` reverses the axes afterwards.
    """

    target: str
    array: str
    indices: tuple[Union[Expr, Range], ...]
    transpose: bool = False
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Alias:
    """`target = array`, for whole arrays; under branches the target is one of several arrays."""

    target: str
    array: str
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Alloc:
    """A shared, local or constant array. `shape` None: dynamic shared memory.

    `initial`: the elements of a constant array in row-major order when the source gives them.
    """

    target: str
    type: ArrayType
    shape: tuple[Expr, ...] | None
    initial: tuple[Union[int, float], ...] | None = None
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class If:
    condition: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class For:
    """`for target in range(start, stop, step)`. The bounds are evaluated once, before the loop."""

    target: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class While:
    """`while condition: body`. `before` are the statements that compute the condition each time."""

    before: tuple[Stmt, ...]
    condition: Expr
    body: tuple[Stmt, ...]
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Break:
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Continue:
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Block:
    """A labelled region: the body of an inlined device function."""

    label: str
    body: tuple[Stmt, ...]
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Leave:
    """Jump to the end of the enclosing `Block` with this label; the kernel itself is label ''."""

    label: str = ""
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Barrier:
    """`kind`: block (syncthreads and its voting forms), warp (syncwarp), grid (cooperative sync),
    fence_block, fence_device, fence_system (memory fences, which order but do not wait).

    `target` receives the result of a voting form, uniform over the block. `vote`: what it says of
    the threads' `operand`: count (how many are true), and (whether all are), or (whether any is).
    `orders` memory: not so a shuffle or a vote of a warp.
    """

    kind: str
    mask: Expr | None = None
    target: str = ""
    operand: Expr | None = None
    span: Span = _field(default=NOWHERE, compare=False)
    vote: str = ""
    orders: bool = True


@dataclass(frozen=True)
class Assume:
    """The condition holds from here on: an assert whose failure ends the thread."""

    condition: Expr
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Effect:
    """An effect outside memory: print, nanosleep, trap. Kept for the listing."""

    name: str
    operands: tuple[Expr, ...] = ()
    span: Span = _field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Unsupported:
    """A construct that is not handled.

    `reason` names it. `arrays` are those that it may read or write at unknown places, `targets`
    the locals that it leaves with unknown values. The rest of the kernel is still checked.
    """

    reason: str
    arrays: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    span: Span = _field(default=NOWHERE, compare=False)


Stmt = Union[
    Assign, Load, Store, Atomic, View, Alias, Alloc, If, For, While, Break, Continue, Block, Leave,
    Barrier, Assume, Effect, Unsupported,
]  # fmt: skip

# --- kernels ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Param:
    """A kernel parameter. An array has an ArrayType; a scalar any other type, Unknown included.

    `fields`: attributes read from a record or named-tuple parameter become parameters of their own,
    named `p.field`. A parameter that is never used as an array is a scalar. `constexpr`: a compile-time
    value of a tile dialect. A pointer of a tile dialect is a 1-D array of the elements from the pointer
    on. `lo`: the least value that an integer parameter can have, as `tiles.sized` finds it.
    """

    name: str
    type: Union[Type, ArrayType]
    span: Span = _field(default=NOWHERE, compare=False)
    constexpr: bool = False
    lo: int | None = None

    @property
    def is_array(self) -> bool:
        return isinstance(self.type, ArrayType)


@dataclass(frozen=True)
class Kernel:
    """One kernel, device functions inlined.

    `qualname` is dotted with the classes and functions that hold it (`make.<locals>.kernel` is
    `make.kernel`). `header` covers the decorators and the signature. `declared` are contract clauses
    as text with their places. `options` are the decorator's (`fastmath`, `max_registers`, ...).
    `grid_width`: bits of `cuda.grid` and `cuda.gridsize`.
    """

    name: str
    qualname: str
    dialect: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    span: Span
    header: Span
    declared: tuple[tuple[str, Span], ...] = ()
    options: tuple[tuple[str, str], ...] = ()


ValueType = Union[IntType, FloatType, BoolType, Unknown]
