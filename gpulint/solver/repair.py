"""Moves towards a point where a condition holds: one symbol or opaque value is given another number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from gpulint.solver.point import Place, Point, within
from gpulint.term import App, Atom, Bool, Cmp, Int, Junction, Literal, not_

Move = tuple[Place, int]
DEPTH = 5  # of operators that are looked into


def moves(point: Point, c: Bool, depth: int = DEPTH) -> Iterator[Move]:
    """Moves after which a condition that fails at a point may hold."""
    if isinstance(c, Junction):
        for part in c.args if depth else ():
            if not point.holds(part):
                yield from moves(point, part, depth - 1)
    elif isinstance(c, Literal):
        if c.atom is not None:
            yield from _toward(point, c.atom, int(not c.negated), depth)
    elif isinstance(c, Cmp):
        v = point.integer(c.poly)
        if c.op == "ne":
            yield from _shifts(point, c.poly, 1, depth)
            yield from _shifts(point, c.poly, -1, depth)
        else:
            yield from _shifts(point, c.poly, -v, depth, c.op == "eq")


def _shifts(point: Point, p: Int, by: int, depth: int, exactly: bool = False) -> Iterator[Move]:
    """Moves that change a polynomial by about so much; first those that do so exactly."""
    if not by:
        return
    later = []
    for a in dict.fromkeys(a for m, _ in p.terms for a in m):
        slope = _slope(point, p, a)
        if not slope:
            continue
        if by % slope == 0:
            yield from _toward(point, a, point.atom(a) + by // slope, depth)
            continue
        size = abs(by) // abs(slope) + (not exactly)
        later.append((a, size if (by > 0) == (slope > 0) else -size))
    for a, step in later:
        yield from _toward(point, a, point.atom(a) + step, depth)


def _slope(point: Point, p: Int, a: Atom) -> int:
    """How much a polynomial grows with an atom, the others as they are; as if linear in it."""
    total = 0
    for mono, c in p.terms:
        if a in mono:
            rest = list(mono)
            rest.remove(a)
            for b in rest:
                c *= point.atom(b)
            total += c
    return total


def _toward(point: Point, a: Atom, value: int, depth: int) -> Iterator[Move]:
    """Moves that bring an atom to about a value."""
    now = point.atom(a)
    value = within(a, value)
    if value == now:
        return
    place = point.place(a)
    if place is not None:
        yield place, value
    elif depth and isinstance(a, App):
        yield from _inside(point, a, value, now, depth - 1)


def _inside(point: Point, a: App, value: int, now: int, depth: int) -> Iterator[Move]:
    if a.op == "select":
        c, yes, no = cast("tuple[Bool, Int, Int]", a.args)
        taken, other = (yes, no) if point.holds(c) else (no, yes)
        if (point.integer(other) > now) == (value > now):
            yield from moves(point, not_(c) if taken is yes else c, depth)
        yield from _shifts(point, taken, value - now, depth)
    elif a.op in ("min", "max"):
        for x in a.args:
            v = point.integer(x)
            if (v > value) if a.op == "max" else (v < value):
                yield from _shifts(point, x, value - v, depth)
                return
        for x in a.args:
            yield from _shifts(point, x, value - point.integer(x), depth)
    elif a.op in ("floordiv", "truncdiv"):
        x, w = (point.integer(t) for t in a.args)
        goal = value * w if (value > now) == (w > 0) else value * w + abs(w) - 1
        yield from _shifts(point, a.args[0], goal - x, depth)
        if value and abs(x // value) != abs(w):
            yield from _shifts(point, a.args[1], x // value - w, depth)
    elif a.op in ("mod", "truncmod"):
        w = abs(point.integer(a.args[1]))
        yield from _shifts(point, a.args[0], value - now, depth)
        yield from _shifts(point, a.args[0], value - now + (w if value < now else -w), depth)
    elif a.op == "fn" and a.data == "xor":
        for x, y in (a.args, a.args[::-1]):
            yield from _shifts(point, x, (value ^ point.integer(y)) - point.integer(x), depth)
    elif a.op == "fn" and a.data == "product":
        x, y = (point.integer(t) for t in a.args)
        if y:
            yield from _shifts(point, a.args[0], value // y - x, depth)
        if x:
            yield from _shifts(point, a.args[1], value // x - y, depth)
