"""A concrete launch, and what the reference interpreter reports of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Union

from gpulint.ir.span import Span

Index = tuple[int, ...]
Number = Union[int, float, bool]
Point = tuple[tuple[int, int, int], tuple[int, int, int]]  # (block index, thread index)


@dataclass(frozen=True)
class Filled:
    """What an array holds at first: `listed` elements, and `rest` everywhere else (None: no value)."""

    rest: Number | None
    listed: tuple[tuple[Index, Number], ...] = ()

    @cached_property
    def _table(self) -> dict[Index, Number]:
        return dict(self.listed)

    def __call__(self, index: Index) -> Number | None:
        return self._table.get(index, self.rest)


@dataclass
class ConcreteArray:
    """An array argument: its shape and how its elements start.

    `initial` gives the value of an element before the launch; None stands for 'not initialised'
    (an output that the host allocated without a value), which is an error to read. Arrays with the
    same `buffer` share storage element by element (row-major, from the `start`-th element of the
    buffer on), other arrays do not. Storage is sparse, so shapes may be astronomically large.
    """

    shape: Index
    initial: Callable[[Index], Number | None] = lambda _: 0
    buffer: str = ""  # empty: a buffer of its own
    dtype: str = ""
    start: int = 0


@dataclass
class ConcreteLaunch:
    """`grid` and `block` as (x, y, z). `points` limits the run to some threads (all when None).

    With `points` given, the rest of the grid does not run: enough to replay a witness over a grid
    too large to run whole, as long as no barrier needs the others. A scalar that is not given has an
    unknown value, None is Python's. `max_reports`: how often one place, or pair of places, is reported.
    `unpadded`: the lanes that the load at this place leaves out count as undefined, whatever it pads with.
    `backwards`: blocks and threads run in the opposite order, which is as good as any other; `shuffled`: in
    the random order of this seed, where it is not zero (threads only).
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arrays: Mapping[str, ConcreteArray]
    scalars: Mapping[str, Number | None]
    points: tuple[Point, ...] | None = None
    dynamic_shared: int = 0
    max_steps: int = 2_000_000
    max_reports: int = 1
    unpadded: Span | None = None
    backwards: bool = False
    shuffled: int = 0

    def content(self) -> Hashable:
        """Equal for launches that run alike; arrays are told apart by their `initial`."""
        arrays = (
            (name, a.shape, a.initial, a.buffer, a.start, a.dtype) for name, a in sorted(self.arrays.items())
        )
        scalars = tuple(sorted(self.scalars.items()))
        limits = (
            self.points,
            self.dynamic_shared,
            self.max_reports,
            self.unpadded,
            self.backwards,
            self.shuffled,
        )
        return (self.grid, self.block, tuple(arrays), scalars, *limits)


@dataclass(frozen=True)
class Violation:
    """One thing that went wrong.

    `kind`: out-of-range, race, uninitialised, wrap, divergence, step-limit, unknown-branch,
    not-executable, negative-index (a subscript that wrapped around; no error by itself), undefined-lane
    (a lane that the load at `span` leaves out has no value, and is combined with others or used at
    `other_span`; `detail` names the operation), missing-lane (`point` reads by the shuffle at `span` a lane
    that takes no part, and `other` uses what that gives at `other_span`), reload (a lane of a tile program
    loads, or overwrites, at `other_span` what another lane of it stored at `span`, with nothing between
    that orders them).
    `point` and `other` are the two points (`other` for races), `spans` their places, `element` the
    subscripts as computed, `extents` the array's shape. `modes`: read, write, atomic of each.
    """

    kind: str
    array: str
    element: Index
    extents: Index
    point: Point
    span: Span
    other: Point | None = None
    other_span: Span | None = None
    modes: tuple[str, ...] = ()
    detail: str = ""


UNDEFINED_LANE = "undefined-lane"
MISSING_LANE = "missing-lane"
RELOAD = "reload"
SAME_VALUE = "same value"  # detail of a race of two writes that stored one value


@dataclass
class Outcome:
    """What a run did. `written` maps each array to the elements that were written, with values."""

    violations: list[Violation] = field(default_factory=list)
    written: dict[str, dict[Index, Number | None]] = field(default_factory=dict)
    read: dict[str, set[Index]] = field(default_factory=dict)
    steps: int = 0
    complete: bool = True  # False when a limit or an unknown branch cut the run short

    def of(self, kind: str) -> list[Violation]:
        return [v for v in self.violations if v.kind == kind]
