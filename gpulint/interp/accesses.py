"""Loads, stores and atomics: range, initialisation and race checks, then the effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from gpulint.interp import races
from gpulint.interp.expressions import Env, Evaluate, Names, expression, note_wrap
from gpulint.interp.launch import MISSING_LANE, Index
from gpulint.interp.memory import Array, Buffer, Region
from gpulint.interp.races import ATOMIC, READ, WRITE, Entry
from gpulint.interp.thread import Cut, Thread
from gpulint.interp.values import POISON, Missing, Poison, atomic_result, stored
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import IntType


@dataclass(frozen=True, eq=False)
class Site:
    """One access statement. `number` tells sites apart cheaply."""

    number: int
    mode: str
    array: str  # as the statement names it
    span: Span
    wraps: bool
    field: str = ""
    scope: str = ""


@dataclass(frozen=True)
class Place:
    """An element that an access reaches, in range."""

    array: Array
    flat: int
    index: Index
    key: Any  # of the value in the buffer


def as_index(value: Any, span: Span, array: str) -> int:
    """A subscript as an integer; the thread is cut when it is not a known one."""
    if isinstance(value, Poison):
        raise Cut("unknown-branch", span, "the subscript is not known", array)
    if not isinstance(value, int):
        raise Cut("not-executable", span, f"subscript {value!r} is not an integer", array)
    return int(value)


def region_of(value: Any, name: str, span: Span) -> Region:
    if value.__class__ is not Region:
        raise Cut("not-executable", span, f"{name} is no array here", name)
    return value


def resolve(
    subscripts: list[Any], extents: Index, wraps: bool, span: Span, array: str
) -> tuple[list[int], bool, bool]:
    """(subscripts after wrap-around, whether all are in range, whether one wrapped)."""
    if len(subscripts) != len(extents):
        detail = f"{len(subscripts)} subscripts for {len(extents)} axes"
        raise Cut("not-executable", span, detail, array)
    inside, wrapped, out = True, False, []
    for value, n_elements in zip(subscripts, extents, strict=True):
        i = value if value.__class__ is int else as_index(value, span, array)
        if not 0 <= i < n_elements:
            if wraps and -n_elements <= i < 0:
                wrapped = True
                i += n_elements
            else:
                inside = False
        out.append(i)
    return out, inside, wrapped


def used(thread: Thread, value: Any, span: Span) -> None:
    """A value leaves the thread, or decides what it does: report one that a shuffle did not give."""
    if isinstance(value, Missing):
        thread.machine.report(
            MISSING_LANE, value.span, value.point, other=thread.point, other_span=span,
            detail=f"lane {value.lane} takes no part",
        )  # fmt: skip


def locate(thread: Thread, region: Region, subscripts: list[Any], site: Site) -> Place | None:
    """The element that the access reaches, or None after an out-of-range report."""
    array = region.array
    index, inside, wrapped = resolve(subscripts, region.extents, site.wraps, site.span, array.name)
    if region.broken is not None or not inside:
        element, extents = region.broken or (tuple(map(int, subscripts)), region.extents)
        detail = "" if region.whole else f"through the view {site.array}"
        thread.machine.report(
            "out-of-range", site.span, thread.point, array=array.name, element=element,
            extents=extents, modes=(site.mode,), detail=detail,
        )  # fmt: skip
        return None
    if wrapped:
        thread.machine.report(
            "negative-index", site.span, thread.point, array=array.name,
            element=tuple(map(int, subscripts)), extents=region.extents, modes=(site.mode,),
        )  # fmt: skip
    base = region.base_index(index)
    flat = array.flat(base)
    return Place(array, flat, base, (flat, site.field) if site.field else flat)


def order(thread: Thread, place: Place, site: Site, value: Any) -> None:
    """Hold the access against the earlier ones of its element."""
    buffer = place.array.buffer
    if buffer.private:
        return
    cell = buffer.cells.get(place.flat)
    if cell is None:
        cell = buffer.cells[place.flat] = races.Cell()
    machine = thread.machine
    now = Entry(thread, site, thread.block.interval, thread.tick, machine.epoch, value)
    for earlier in races.races(cell, now):
        machine.report_race(earlier, now, place)


def current(thread: Thread, place: Place, site: Site) -> Any:
    """The value of the element; POISON when it has none or it cannot be told."""
    array, buffer = place.array, place.array.buffer
    if buffer.lost or (buffer.writable and not buffer.private and thread.machine.unsure(thread)):
        return POISON
    value = buffer.values.get(place.key)
    if value is None:
        value = array.start(place.index)
    if value is None:
        thread.machine.report(
            "uninitialised", site.span, thread.point, array=array.name, element=place.index,
            extents=array.shape, modes=(site.mode,),
        )  # fmt: skip
        return POISON
    return value


def put(place: Place, value: Any, buffer: Buffer) -> None:
    buffer.values[place.key] = value
    place.array.written[place.flat] = value


Run = Callable[[Env], None]
Target = Union[n.Load, n.Store, n.Atomic]


def site_of(s: Target, number: int) -> Site:
    mode = {n.Load: READ, n.Store: WRITE, n.Atomic: ATOMIC}[type(s)]
    field, scope = getattr(s, "field", ""), getattr(s, "scope", "")
    return Site(number, mode, s.array, s.span, s.negative_wraps, field, scope)


def _finder(s: Target, names: Names, site: Site) -> Callable[[Env], Place | None]:
    slot = names.slot(s.array)
    subscripts: tuple[Evaluate, ...] = tuple(expression(e, names) for e in s.subscripts)

    def find(env: Env) -> Place | None:
        region = region_of(env[slot], site.array, site.span)
        at = [e(env) for e in subscripts]
        for i in at:
            if i.__class__ is Missing:
                used(env[0], i, site.span)
        return locate(env[0], region, at, site)

    return find


def load(s: n.Load, names: Names, number: int) -> Run:
    site = site_of(s, number)
    find, target = _finder(s, names, site), names.slot(s.target)

    def run(env: Env) -> None:
        place = find(env)
        if place is None:
            env[target] = POISON
            return
        order(env[0], place, site, None)
        place.array.read.add(place.flat)
        env[target] = current(env[0], place, site)

    return run


def store(s: n.Store, names: Names, number: int) -> Run:
    site = site_of(s, number)
    find, value_of = _finder(s, names, site), expression(s.value, names)

    def run(env: Env) -> None:
        place = find(env)
        if place is not None:
            value = stored(value_of(env), place.array.element)
            order(env[0], place, site, value)
            if value.__class__ is Missing and place.array.name in env[0].machine.arrays:
                used(env[0], value, site.span)  # the block's own memory hands it on
            put(place, value, place.array.buffer)

    return run


def atomic(s: n.Atomic, names: Names, number: int) -> Run:
    site = site_of(s, number)
    find = _finder(s, names, site)
    operands = tuple(expression(e, names) for e in s.operands)
    target = names.slot(s.target) if s.target else 0

    def run(env: Env) -> None:
        place, old = find(env), POISON
        if place is not None:
            order(env[0], place, site, None)
            place.array.read.add(place.flat)
            old = current(env[0], place, site)
            by = tuple(o(env) for o in operands)
            for value in by:
                used(env[0], value, site.span)
            new = atomic_result(s.op, old, by)
            put(place, _held(env, new, place.array.element, s), place.array.buffer)
        if target:
            env[target] = old

    return run


def _held(env: Env, value: Any, element: Any, s: n.Atomic) -> Any:
    counting = isinstance(element, IntType) and type(value) is int and s.op in ("add", "sub")
    if counting and not element.lo <= value <= element.hi:
        return note_wrap(env, s.span, f"atomic {s.op}", value, element)
    return stored(value, element)
