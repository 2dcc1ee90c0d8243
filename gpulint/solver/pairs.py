"""Pairs of accesses that may conflict, and how barriers order them.

Pairs are pruned before any query: by array, by mode, and by classes of accesses with the same
subscripts and domain (and, where barriers order them, the same statement). In a kernel with
barriers a pair is asked twice: between blocks, where barriers order nothing, and within a block,
for the barrier intervals that the two may share.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as Set
from dataclasses import dataclass

from gpulint.dataflow.access import Access, AccessSet, Loop
from gpulint.dataflow.intervals import BLOCK, GRID, WARP, Intervals, Tie
from gpulint.ir.fields import apart
from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span
from gpulint.solver import masks
from gpulint.solver.space import WARP as WARP_SIZE
from gpulint.solver.space import twin
from gpulint.term import FALSE, TRUE, Bool, Int, Sym, and_, eq, floordiv, implies, mod, ne, or_
from gpulint.term.build import of_atom

TILES = ("triton", "cutile")  # dialects whose points are programs and lanes
DEVICE_FENCES = ("fence_device", "fence_system")
FENCES = ("fence_block", *DEVICE_FENCES)
Ways = tuple[tuple[Tie, ...], ...]


@dataclass(frozen=True)
class Part:
    """Masks of warp barriers that order some lanes among each other, and how those may be concurrent."""

    tables: frozenset[masks.Table]
    ways: Ways

    def applies(self, along_x: bool) -> bool:
        """Whether the masks are known; `along_x`: lanes go along x."""
        return along_x or all(masks.constant(t) for t in self.tables)


@dataclass(frozen=True)
class Pair:
    """Two accesses; `scope` is any, blocks, block or lanes (of one store of a tile program).

    `ways`: how the threads of one block, or of different blocks, may be concurrent; None: in any way
    at all. `near`: how two threads of one warp may be, where that is told apart. `parts`: how two lanes
    may be that barriers with all of these masks order among each other (`masks`).
    """

    first: Access
    second: Access
    scope: str = "any"
    ways: Ways | None = None
    near: Ways | None = None
    parts: tuple[Part, ...] = ()

    @property
    def kind(self) -> str:
        """write-write, read-write or mixed-atomic; a pair of an atomic and a read counts as mixed."""
        modes = {self.first.mode, self.second.mode}
        if "atomic" in modes:
            return "mixed-atomic"
        return "write-write" if modes == {"write"} else "read-write"

    def tied(self) -> frozenset[Sym]:
        """Counters of loops in which both accesses stand at the same iteration, in every way."""
        out: set[Sym] = set()
        for loop in self.first.loops:
            other = _same(loop, self.second)
            if other is None or not self.ways or not loop.barrier:
                continue
            ties = [_tie(way, loop) for way in self.ways]
            if all(t is not None and t.gap == 0 for t in ties) and loop.counter == other.counter:
                out.add(loop.counter)
        return frozenset(out)

    def relation(self, thread: Int | None = None, along_x: bool = False) -> Bool:
        """What the ways say of the two points' counters (as renamed by `space.twin`).

        `thread` is the number of a point's thread in its block; `along_x`: lanes go along x.
        """
        if self.near is None or thread is None:
            return self._some(self.ways)
        one, two = (twin(floordiv(thread, WARP_SIZE), side) for side in (1, 2))
        apart = and_(ne(one, two), self._some(self.ways))
        parts = (implies(self._meet(p, thread), self._some(p.ways)) for p in self.parts if p.applies(along_x))
        return or_(apart, and_(eq(one, two), self._some(self.near), *parts))

    def _meet(self, part: Part, thread: Int) -> Bool:
        lane, other = (twin(mod(thread, WARP_SIZE), side) for side in (1, 2))
        return and_(*(masks.meet(t, lane, other) for t in part.tables))

    def _some(self, ways: Ways | None) -> Bool:
        if ways is None:
            return TRUE
        return or_(*(self._way(way) for way in ways)) if ways else FALSE

    def _way(self, way: tuple[Tie, ...]) -> Bool:
        parts = []
        for loop in self.first.loops:
            other, tie = _same(loop, self.second), _tie(way, loop)
            if other is None or tie is None or tie.gap is None:
                continue
            a, b = twin(of_atom(loop.counter), 1), twin(of_atom(other.counter), 2)
            parts.append(eq(b, a + tie.gap))
            if tie.first is not None:
                parts.append(eq(a, tie.first))
        return and_(*parts, *self._ends(way))

    def _ends(self, way: tuple[Tie, ...]) -> Iterator[Bool]:
        """Accesses in a loop whose counterpart comes after it: how far they are from its end."""
        for side, access in ((1, self.first), (2, self.second)):
            for loop in access.loops:
                tie = _tie(way, loop)
                back = tie.ends[side - 1] if tie is not None and not loop.broken else None
                if back is not None:
                    yield eq(twin(of_atom(loop.counter), side), twin(loop.trips, side) - back)


def _same(loop: Loop, other: Access) -> Loop | None:
    return next((x for x in other.loops if x.span == loop.span), None)


def _tie(way: tuple[Tie, ...], loop: Loop) -> Tie | None:
    return next((t for t in way if getattr(t.loop, "span", None) == loop.span), None)


class Pairing:
    """Enumerates the pairs of one kernel."""

    def __init__(self, kernel: Kernel, accesses: AccessSet, order: Order | None = None) -> None:
        self.accesses = accesses
        self.tiles = kernel.dialect in TILES
        self.barriers = any(s.kind in BLOCK for s in accesses.syncs) or bool(accesses.exchanges)
        self.ordering = any(s.kind in WARP for s in accesses.syncs)
        self.order = order or Order(kernel, accesses)

    def candidates(self) -> Iterator[tuple[Access, Access]]:
        """Pairs on one array, one a plain write or an atomic against a plain access; writes first."""
        classes: dict[tuple[object, ...], Access] = {}
        for a in self.accesses.accesses:
            if a.array.space in ("global", "shared"):
                place = id(a.stmt) if self.ordering else 0
                key = (a.array.name, a.field, a.mode, a.subscripts, a.domain, a.value, place)
                classes.setdefault(key, a)
        kept = sorted(classes.values(), key=lambda a: a.index)
        for i, a in enumerate(kept):
            for b in kept[i:]:
                if a.array.name != b.array.name or apart(a.field, b.field):
                    continue
                if {a.mode, b.mode} in ({"read"}, {"atomic"}):
                    continue
                yield (b, a) if a.mode == "read" else (a, b)

    def scopes(self, a: Access, b: Access) -> list[Pair]:
        """The questions about two accesses; none when barriers always separate them in shared memory."""
        if self.tiles:
            own = [Pair(a, b, "lanes")] if a is b and a.lanes else []
            return [Pair(a, b, "blocks"), *own]
        if a.array.space == "shared":
            return self._block(a, b)
        if not self.barriers:
            return [Pair(a, b)]
        return [*self._of("blocks", a, b), *self._block(a, b)]

    def _block(self, a: Access, b: Access) -> list[Pair]:
        return self._of("block", a, b)

    def _of(self, scope: str, a: Access, b: Access) -> list[Pair]:
        pair = self.order.pair(a, b, scope)
        return [] if pair.ways == () else [pair]


class Order:
    """How the barriers of one kernel order the threads of a block, of a warp, and of different blocks."""

    def __init__(self, kernel: Kernel, accesses: AccessSet, without: Set[int] = frozenset()) -> None:
        """`without`: the ids of barrier statements that are passed over."""
        self.body, self.entered, self.without = kernel.body, accesses.entered, without
        self.kinds = {s.kind for s in accesses.syncs}
        self.partial = masks.ordering(accesses.syncs)
        self.sets = masks.sets(self.partial.values())
        self._made: dict[tuple[tuple[str, ...], frozenset[int]], Intervals] = {}

    def intervals(self, cuts: tuple[str, ...], partial: frozenset[int] = frozenset()) -> Intervals:
        key = cuts, partial
        if key not in self._made:
            self._made[key] = Intervals(self.body, cuts, self.entered, self.without, partial)
        return self._made[key]

    def ways(
        self, a: Access, b: Access, cuts: tuple[str, ...], partial: frozenset[int] = frozenset()
    ) -> Ways | None:
        if self.kinds.isdisjoint(cuts):
            return None
        found = self.intervals(cuts, partial).ties(a.stmt, b.stmt)
        return None if found is None else tuple(found)

    def parts(self, a: Access, b: Access) -> tuple[Part, ...]:
        """How lanes that barriers of parts of a warp order may be concurrent, set of masks by set."""
        out = []
        for tables in self.sets:
            ways = self.ways(a, b, WARP, frozenset(i for i, t in self.partial.items() if t in tables))
            if ways is not None:
                out.append(Part(tables, ways))
        return tuple(out)

    def pair(self, a: Access, b: Access, scope: str) -> Pair:
        """The pair with what orders its threads."""
        if scope == "blocks":
            return Pair(a, b, scope, self.ways(a, b, GRID))
        if scope != "block":
            return Pair(a, b, scope)
        near = self.ways(a, b, WARP) if "warp" in self.kinds else None
        return Pair(a, b, scope, self.ways(a, b, BLOCK), near, self.parts(a, b) if near else ())

    def rounds(self, first: object, second: object) -> tuple[Span, ...] | None:
        """The loops that must come round between one statement and another, see `Intervals.rounds`."""
        return self.intervals(BLOCK).rounds(first, second)

    def before(self, first: object, second: object, fences: tuple[str, ...] = ()) -> bool:
        """Whether one statement only comes before another, past a fence, see `Intervals.before`."""
        return self.intervals(BLOCK).before(first, second, fences)

    def handed_over(self, p: Pair) -> bool:
        """Whether atomics behind fences may order the pair: an order that is not followed."""
        fences = DEVICE_FENCES if p.scope in ("any", "blocks") else FENCES
        if self.kinds.isdisjoint(fences):
            return False
        return self.intervals(BLOCK).handed_over(p.first.stmt, p.second.stmt, fences)
