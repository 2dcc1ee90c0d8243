"""Loads, stores and atomics of whole tiles: each element is checked, then the effect."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from gpulint.interp.accesses import Place, Site, current, put, region_of
from gpulint.interp.handovers import Handovers
from gpulint.interp.launch import RELOAD, SAME_VALUE
from gpulint.interp.races import ATOMIC, READ, RIVALS, WRITE
from gpulint.interp.thread import Cut, Thread, charge
from gpulint.interp.tileexpr import Frame, padded
from gpulint.interp.tilevalues import Sizes, Tile, Undefined, Value, sizes, spread
from gpulint.interp.values import POISON, atomic_result, stored, truth
from gpulint.ir import nodes as n
from gpulint.ir.symbols import MAX_TILE
from gpulint.ir.types import IntType

Target = Union[n.Load, n.Store, n.Atomic]
At = tuple[int, ...]
_MODES = {n.Load: READ, n.Store: WRITE, n.Atomic: ATOMIC}


@dataclass(frozen=True)
class Touch:
    """An access of an element as it happened."""

    thread: Thread
    at: At
    stmt: Target
    mode: str
    value: Any
    shape: At = ()
    met: int = 0  # how often the program's lanes had met by then

    @property
    def point(self) -> Any:
        return (self.thread.block.index, padded(self.at))

    @property
    def lane(self) -> list[tuple[int, int]]:
        """The coordinates with their extents, less axes of one element."""
        return [(i, size) for i, size in zip(self.at, self.shape, strict=True) if size > 1]


@dataclass(eq=False)
class History:
    """The accesses of each element so far, one for each program and statement."""

    cells: dict[tuple[int, int], dict[Any, Touch]] = field(default_factory=dict)
    stored: dict[tuple[int, int], Touch] = field(default_factory=dict)  # the last plain store of each
    handed: Handovers = field(default_factory=Handovers)

    def rivals(self, place: Place, now: Touch) -> list[Touch]:
        """The earlier accesses by other programs that race with `now`, which is then remembered."""
        cell = self.cells.setdefault((id(place.array.buffer), place.flat), {})
        others = (e for e in cell.values() if e.thread is not now.thread and _conflict(e, now))
        out = [e for e in others if not self.handed.ordered(e.thread, e.met, now.thread)]
        cell.setdefault((id(now.thread), id(now.stmt)), now)
        return out

    def unordered(self, place: Place, now: Touch) -> Touch | None:
        """The store by other lanes of the same program that a load or store of the element does not wait for.

        Lanes of tiles of one shape at the same coordinates are one thread's, in program order.
        """
        key = (id(place.array.buffer), place.flat)
        last = self.stored.get(key) if now.mode != ATOMIC else None
        if now.mode == WRITE:
            self.stored[key] = now
        if last is None or last.thread is not now.thread or last.met != now.met:
            return None
        return last if last.lane != now.lane else None


def _conflict(e: Touch, now: Touch) -> bool:
    if e.mode not in RIVALS[now.mode]:
        return False
    if e.mode == now.mode == ATOMIC:
        return "block" in (getattr(e.stmt, "scope", ""), getattr(now.stmt, "scope", ""))
    return True


def report_race(
    f: Frame, place: Place, first: Touch, second: Touch, detail: str = "", kind: str = "race"
) -> None:
    known = first.value is not POISON and first.mode == second.mode == WRITE
    if known and first.value == second.value:
        detail = SAME_VALUE
    f.machine.report(
        kind, first.stmt.span, first.point, array=place.array.name, element=place.index,
        extents=place.array.shape, other=second.point, other_span=second.stmt.span,
        modes=(first.mode, second.mode), detail=detail,
    )  # fmt: skip


class Accesses:
    """The accesses of one run."""

    def __init__(self) -> None:
        self.history = History()

    def load(self, f: Frame, s: n.Load) -> None:
        shape = _shape(f, s)
        padded_with = s.other if f.machine.launch.unpadded != s.span else None
        out = _elements_of(f, padded_with, dict(enumerate(shape)), s)
        cursor, site = _cursor(f), _site(s)
        left = set(range(len(out))) if padded_with is None and s.mask is not None else set()
        for position, at, place in self._elements(f, s, shape):
            out[position] = POISON
            left.discard(position)
            if place is not None:
                cursor.index = padded(at)
                self._order(f, place, Touch(f.thread, at, s, READ, None, shape, f.met))
                place.array.read.add(place.flat)
                out[position] = current(cursor, place, site)
        base = f.env[s.array].array.name
        for position in left:
            out[position] = Undefined(s.span, base, f.point(_lanes_at(position, shape)))
        f.env[s.target] = Tile.of(tuple(range(len(shape))), shape, out) if shape else out[0]

    def store(self, f: Frame, s: n.Store) -> None:
        shape = _shape(f, s)
        given = _elements_of(f, s.value, dict(enumerate(shape)), s)
        mine: dict[Any, Touch] = {}
        for position, at, place in self._elements(f, s, shape):
            if place is None:
                continue
            if given[position].__class__ is Undefined:
                f.used(given[position], s.span)
            value = stored(given[position], place.array.element)
            now = Touch(f.thread, at, s, WRITE, value, shape, f.met)
            first = mine.setdefault((id(place.array.buffer), place.flat), now)
            if first is now:
                self._order(f, place, now)
            else:
                report_race(f, place, first, now, "same store")
                value = value if value == first.value else POISON
            put(place, value, place.array.buffer)

    def atomic(self, f: Frame, s: n.Atomic) -> None:
        shape, met = _shape(f, s), f.met
        f.meet()
        over = dict(enumerate(shape))
        operands = [_elements_of(f, o, over, s) for o in s.operands]
        out = _elements_of(f, None, over, s)
        cursor, site = _cursor(f), _site(s)
        for position, at, place in self._elements(f, s, shape):
            if place is None:
                continue
            cell = (id(place.array.buffer), place.flat)
            self.history.handed.atomic(f.thread, cell, met, bool(s.target))
            self._order(f, place, Touch(f.thread, at, s, ATOMIC, None, met=f.met))
            place.array.read.add(place.flat)
            cursor.index = padded(at)
            out[position] = old = current(cursor, place, site)
            for o in operands:
                if o[position].__class__ is Undefined:
                    f.used(o[position], s.span)
                    o[position] = POISON
            new = atomic_result(s.op, old, tuple(o[position] for o in operands))
            put(place, self._held(f, s, at, place, new), place.array.buffer)
        if s.target:
            f.env[s.target] = Tile(tuple(range(len(shape))), shape, out) if shape else out[0]

    def _held(self, f: Frame, s: n.Atomic, at: At, place: Place, value: Any) -> Any:
        t = place.array.element
        counting = isinstance(t, IntType) and isinstance(value, int) and s.op in ("add", "sub")
        if counting and not t.lo <= value <= t.hi:
            detail = f"atomic {s.op}: {int(value)} does not fit its element"
            f.machine.report("wrap", s.span, f.point(at), detail=detail)
        return stored(value, t)

    def _order(self, f: Frame, place: Place, now: Touch) -> None:
        if place.array.buffer.private:
            return
        for earlier in self.history.rivals(place, now):
            report_race(f, place, earlier, now)
        stored_ = self.history.unordered(place, now)
        if stored_ is not None:
            report_race(f, place, stored_, now, kind=RELOAD)

    # --- where -----------------------------------------------------------------------------------

    def _elements(self, f: Frame, s: Target, shape: At) -> Iterator[tuple[int, At, Place | None]]:
        """(position, coordinates, place) of every lane that is not masked off; no place: no effect."""
        region = region_of(f.env.get(s.array), s.array, s.span)
        over = dict(enumerate(shape))
        mask = True if s.mask is None else f.value(s.mask)
        subscripts = [f.value(e) for e in s.subscripts]
        _fit((mask, *subscripts), over, s)
        if len(subscripts) != len(region.extents):
            detail = f"{len(subscripts)} subscripts for {len(region.extents)} axes"
            raise Cut("not-executable", s.span, detail)
        lanes = itertools.product(*(range(size) for size in shape))
        masks, places = spread(mask, over), [spread(x, over) for x in subscripts]
        for position, at in enumerate(lanes):
            enabled, subs = next(masks), [next(p) for p in places]
            f.wrapped(enabled, s.span, at)
            which = POISON if enabled.__class__ is Undefined else truth(enabled)
            if which is POISON:
                self._unknown(f, s, at, "the mask is not known")
                yield position, at, None
            elif which:
                yield position, at, self._place(f, s, at, region, subs)

    def _place(self, f: Frame, s: Target, at: At, region: Any, subs: list[Any]) -> Place | None:
        for x in subs:
            f.wrapped(x, s.span, at)
        if not all(isinstance(x, int) for x in subs):
            self._unknown(f, s, at, "the subscript is not known")
            return None
        index, array = tuple(map(int, subs)), region.array
        if any(not 0 <= i < extent for i, extent in zip(index, region.extents, strict=True)):
            f.machine.report(
                "out-of-range", s.span, f.point(at), array=array.name, element=index,
                extents=region.extents, modes=(_MODES[type(s)],),
            )  # fmt: skip
            return None
        flat = array.flat(index)
        return Place(array, flat, index, flat)

    def _unknown(self, f: Frame, s: Target, at: At, reason: str) -> None:
        """Whether or where a lane accesses is not known: what it may have written is not either."""
        f.machine.report("unknown-branch", s.span, f.point(at), array=s.array, detail=reason)
        f.machine.outcome.complete = False
        if not isinstance(s, n.Load):
            f.env[s.array].array.buffer.lost = True


def _shape(f: Frame, s: Target) -> At:
    shape = tuple(f.size(e, s.span) for e in s.lanes)
    count = math.prod(shape)
    if count > MAX_TILE:
        raise Cut("not-executable", s.span, f"a tile of {count} elements")
    charge(f.thread, count, s.span)
    return shape


def _fit(values: Iterable[Value], over: Sizes, s: Target) -> None:
    """The values must have the access's shape, or be the same along some of its axes."""
    for value in values:
        if any(over.get(axis) != size for axis, size in sizes(value).items()):
            raise Cut("not-executable", s.span, "a part of the access has another shape than the access")


def _elements_of(f: Frame, e: n.Expr | None, over: Sizes, s: Target) -> list[Any]:
    """The elements of a value that goes with an access."""
    value = POISON if e is None else f.value(e)
    _fit((value,), over, s)
    return list(spread(value, over))


def _lanes_at(position: int, shape: At) -> At:
    """The coordinates of the element at a row-major position."""
    out: list[int] = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        out.append(i)
    return tuple(reversed(out))


def _cursor(f: Frame) -> Thread:
    """The program as a thread whose index is set to one lane after the other, for reports."""
    return Thread(f.machine, f.thread.block, (0, 0, 0), 0)


def _site(s: Target) -> Site:
    return Site(0, _MODES[type(s)], s.array, s.span, False, getattr(s, "field", ""))
