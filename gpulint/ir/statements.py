"""Statements of the IR: effects. See `nodes` for the grammar."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as _field
from typing import Union

from gpulint.ir.expressions import Expr
from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import ArrayType, Type


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

    Axes without an index are kept whole. `transpose` reverses the axes afterwards. With a `shape`, which
    stands alone, the target is the elements of the whole array in row-major order under that shape: as many
    elements (an `Assume` before it says so); an empty shape is some arrangement that is not followed.
    """

    target: str
    array: str
    indices: tuple[Union[Expr, Range], ...]
    transpose: bool = False
    span: Span = _field(default=NOWHERE, compare=False)
    shape: tuple[Expr, ...] | None = None


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
    """`for target in range(start, stop, step)`. The bounds are evaluated once, before the loop.

    `pipelined`: the compiler overlaps iterations in as many stages as the launch asks for.
    """

    target: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    type: Type
    span: Span = _field(default=NOWHERE, compare=False)
    pipelined: bool = False


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
    `orders` memory: not so a `collective` of a warp, a shuffle or a vote, to which each thread brings `given`
    (the value, and the lane or the distance of a shuffle); its result is the fresh value of that name that
    follows.
    """

    kind: str
    mask: Expr | None = None
    target: str = ""
    operand: Expr | None = None
    span: Span = _field(default=NOWHERE, compare=False)
    vote: str = ""
    orders: bool = True
    collective: str = ""
    given: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Assume:
    """The condition holds from here on: an assert whose failure ends the thread."""

    condition: Expr
    span: Span = _field(default=NOWHERE, compare=False)


DESCRIPTOR = "descriptor "  # with the array's name: an effect


@dataclass(frozen=True)
class Effect:
    """An effect outside memory: print, nanosleep, trap. Kept for the listing.

    `arange` has its bounds as operands, and `descriptor p`, of an array `p`, the offset of the first element,
    then the strides and the extents.
    """

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
