"""A kernel as a set of accesses over its launch space: what every proof is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import field as dataclass_field

from gpulint.ir.span import Span
from gpulint.ir.types import IntType, Type
from gpulint.term import TRUE, ZERO, Bool, Int, Sym, and_, le, lt
from gpulint.term.build import of_atom


@dataclass(frozen=True)
class Loop:
    """One loop around an access: iterations are numbered `counter` = 0, 1, ... `trips` - 1.

    `trips` may be a symbol of its own when nothing is known of it. `uniform`: the same number of
    trips for every thread of a block. `barrier`: the body holds a block barrier, so that the
    counter is one for all threads of a block.
    """

    counter: Sym
    trips: Int
    span: Span
    name: str = ""  # the user's loop variable
    value: Int | None = None  # the loop variable as a term over `counter`
    uniform: bool = False
    barrier: bool = False
    broken: bool = False  # a jump may leave it early

    @property
    def domain(self) -> Bool:
        k = of_atom(self.counter)
        return and_(le(ZERO, k), lt(k, self.trips))


@dataclass(frozen=True)
class Array:
    """A base array: a parameter or an allocation; views are resolved to it.

    `extents` holds one term an axis. `written`: the kernel may write it (stores, atomics,
    unsupported statements), so that a value loaded from it is not a function of its subscripts.
    """

    name: str
    space: str  # global, shared, local, const
    element: Type
    extents: tuple[Int, ...]
    is_param: bool
    written: bool
    span: Span


@dataclass(frozen=True)
class Access:
    """One load, store or atomic of a base array.

    `subscripts`: the element of the base array, one term an axis, negative wrap-around and views
    already resolved. `checks`: every (subscript as written, extent) pair on the way, outermost view
    first; with `negative_wraps` a subscript is in range from -extent on. `guard` holds wherever
    the access happens, loop ranges apart; it may hold elsewhere too when `exact` is false.
    `phase` counts the block barriers before the access within the innermost statement list common
    to both accesses: accesses of one block with phases that a barrier separates are ordered.
    `value` is the stored value as a term when it is an integer that is understood, or a named function
    of such integers.
    `lanes`: of a tile access, the symbol and the size of each axis of the tile; the mask is part of
    `guard`.
    """

    index: int  # position in the access set
    array: Array
    mode: str  # read, write, atomic
    subscripts: tuple[Int, ...]
    checks: tuple[tuple[Int, Int], ...]
    guard: Bool
    loops: tuple[Loop, ...]
    span: Span
    negative_wraps: bool = True
    op: str = ""  # the operation of an atomic
    scope: str = "device"
    value: Int | None = None
    reads: tuple[int, ...] = ()  # of a write: the accesses whose loaded values flow into its value
    text: str = ""  # the access as written: `out[i]`
    subscript_texts: tuple[str, ...] = ()
    phase: tuple[int, ...] = ()
    field: str = ""
    exact: bool = True
    given: Bool = TRUE  # the part of `guard` that holds of unknowns, or because a loop before has ended
    tracked: bool = True  # no jump that is not followed may keep a thread from here
    stmt: object = dataclass_field(default=None, compare=False, repr=False)  # the IR statement
    lanes: tuple[tuple[Sym, Int], ...] = ()
    old: Int | None = None  # what an atomic or a load finds, where that is an integer
    mark: Sym | None = None  # the symbol in it, or the truth value, that one execution has for itself
    operands: tuple[Int | None, ...] = ()  # of an atomic: those that are integers
    alike: bool = False  # a store of a tile kernel that all programs may make alike (`dataflow.alike`)
    masked: tuple[Bool, Bool] | None = (
        None  # of a tile access: where it is reached (as `guard`), the mask there
    )

    @property
    def domain(self) -> Bool:
        """Where the access happens: guard, loop and lane ranges."""
        inside = (lt(of_atom(lane), size) for lane, size in self.lanes)
        return and_(self.guard, *(loop.domain for loop in self.loops), *inside)


@dataclass(frozen=True)
class IntOp:
    """An integer operation on the way to an address or a guard, as it would be without a width.

    `modular`: only its value modulo the width of a pointer enters an address, so that it may leave the
    width as long as the access is in range. `late`: its value is widened afterwards.
    """

    term: Int
    type: IntType
    guard: Bool
    loops: tuple[Loop, ...]
    span: Span
    feeds: str  # address, guard
    text: str
    modular: bool = False
    late: bool = False

    @property
    def domain(self) -> Bool:
        return and_(self.guard, *(loop.domain for loop in self.loops))


@dataclass(frozen=True)
class Sync:
    """A barrier: its kind, the condition under which a thread reaches it, and its loops.

    `uniform`: all threads of a block (of the launch for a grid barrier) reach it alike. `apart` is the part
    of the condition that may differ between threads of a block that make the same trips of its loops.
    `mask`: of a warp barrier, as a term; None for the whole warp. `collective` names a shuffle or a vote;
    `taken`: of a shuffle, the pairs of a lane whose result matters and the lane that it reads, None where
    they are not known (`dataflow.shuffles`). `stmt` is the statement, which need not be known.
    """

    kind: str
    guard: Bool
    loops: tuple[Loop, ...]
    uniform: bool
    span: Span
    exact: bool = False  # reached exactly where the guard and a condition alike for the block hold
    apart: Bool = TRUE
    mask: Int | None = None
    collective: str = ""
    taken: tuple[tuple[int, int], ...] | None = None
    stmt: object = None


@dataclass(frozen=True)
class Ballot:
    """A ballot outside loops, one for the warp: its result, and what a thread votes."""

    result: Sym
    votes: Bool


@dataclass(frozen=True)
class Exchange:
    """A shuffle outside loops that gives each thread of a warp what lane `lane` has (`dataflow.exchanges`).

    `moved`: the symbols of a point, and those that stand for the same of the thread that is read.
    """

    moved: tuple[tuple[Sym, Sym], ...]
    lane: Int
    span: Span


EXPONENTIALS = "exponentials"  # `LeftOut.wins`


@dataclass(frozen=True)
class LeftOutCase:
    """A way in which a use may depend on a lane of a load: where, and the load's mask there.

    `where` is the load as an access of one point whose guard is `domain` without `inside`.
    """

    where: Access
    domain: Bool
    inside: Bool


@dataclass(frozen=True)
class LeftOut:
    """A load whose lanes outside the mask reach a use.

    `what` is the use, at `span`: the first operation on the way that combines lanes (`sum`, `dot`), else
    what takes the value (`stored value`, `mask`). `wins`: the load pads with zero, and in this operation
    zero takes part as a value: an extreme, or `exponentials` that are summed; empty for a load without
    padding. `whole`: no way is missing.
    """

    load: Access
    cases: tuple[LeftOutCase, ...]
    what: str
    span: Span
    wins: str = ""
    whole: bool = True


@dataclass(frozen=True)
class AccessSet:
    """All that the prover knows of a kernel.

    `facts` hold for every point: coordinates below their sizes, threads a block at most 1024.
    `approximations` name what was abstracted, in words for the reader of a verdict.
    `unsupported` are (reason, place) pairs; arrays that those statements may touch are `tainted`.
    """

    accesses: tuple[Access, ...]
    arrays: Mapping[str, Array]
    ops: tuple[IntOp, ...]
    syncs: tuple[Sync, ...]
    facts: tuple[Bool, ...]
    rank: int  # launch rank that the kernel's index calls imply (cuda.grid(n)), 0 when none
    approximations: tuple[str, ...] = ()
    unsupported: tuple[tuple[str, Span], ...] = ()
    tainted: frozenset[str] = field(default=frozenset())
    aranges: tuple[tuple[Int, Int, Span], ...] = ()  # bounds of the `arange`s of a tile kernel
    descriptors: tuple[tuple[str, tuple[Int, ...], Span], ...] = ()  # array; offset, strides, extents
    grid_rank: int = 3  # axes of the grid that the kernel looks at
    left_out: tuple[LeftOut, ...] = ()  # lanes that masked loads leave out and something uses
    entered: frozenset[Span] = frozenset()  # loops with barriers that run at least once when reached
    exchanges: tuple[Exchange, ...] = ()
    ballots: tuple[Ballot, ...] = ()
    flat: bool = False  # lanes are taken to go along x, as they do in a block of one axis


NO_GUARD = TRUE
