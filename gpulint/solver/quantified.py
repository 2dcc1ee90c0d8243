"""Clauses about the elements of index arrays together: what an access asks of each program.

Where an index is made of several loaded elements (a row of one table and a column of another, a page of a
page), no range of one array says that it is within its extent. What elimination leaves is then asked for
each value of the coordinates that the elements hang on:

    all(stride * rows[2 * pid_0] + cols[2 * pid_0 + 1] < x.size for pid_0 in range(grid.x))

A point of the launch has each of those coordinates within its range, and its own guard holds there, so that
the condition at the point's coordinates is among those asked. Where coordinates are cut by a guard, the
clause asks under that part of it which speaks of launch symbols, the same coordinates and loaded elements
alone: a weaker part of the guard makes the clause stronger, never too weak.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from gpulint.contract.clause import APART, EVERY, Clause
from gpulint.solver import space
from gpulint.solver.prover import Prover
from gpulint.solver.residual import Named
from gpulint.term import (
    ZERO,
    App,
    Bool,
    Cmp,
    Int,
    Literal,
    Scope,
    Sym,
    add,
    and_,
    apps,
    conjuncts,
    le,
    lt,
    mul,
    ne,
    neg,
    not_,
    or_,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import of_atom

MAX_COORDINATES = 4
MAX_GUARDS = 4
NAMES = {"blockIdx.": "pid_", "lane": "lane_"}
Ranges = dict[Sym, Int]  # of each coordinate, how many values it has from zero


def every(prover: Prover, domain: Bool, p: Int, named: Named) -> Clause | None:
    """The clause that `p <= 0` for all coordinates in it; None where it speaks of anything else."""
    if not _said(p, named):
        return None
    near = (*conjuncts(domain), *(c for f in prover.relevant(domain, p) for c in conjuncts(f)))
    ranges = _ranges(_points(p), near, named)
    if not ranges:
        return None
    when = [c for c in conjuncts(domain) if _about(c, ranges, named)][:MAX_GUARDS]
    if prover.prove(and_(*when, *_inside(ranges)), not_(le(p, 0)), z3_too=False):
        return None
    naming = {x: _name(x, k) for k, x in enumerate(ranges)}
    over = tuple((naming[x], space.unfold(subst(n, naming))) for x, n in ranges.items())
    goal, guard = (space.unfold(subst(c, naming)) for c in (le(p, 0), and_(*when)))
    arrays = tuple(sorted({a.data for a in apps(goal, guard, op="load")}))
    return Clause(predicate=EVERY, arrays=arrays, each=goal, when=guard, over=over)


def apart(
    prover: Prover, domain: Bool, bounds: tuple[Int, ...], live: Sequence[Int], named: Named
) -> Clause | None:
    """The clause that the boxes of two different values of the `live` coordinates do not overlap.

    `bounds` are the ends of a box along each of its axes, from and below which.
    """
    near = (*conjuncts(domain), *(c for f in prover.relevant(domain, *live) for c in conjuncts(f)))
    ranges = _ranges([space.atom_of(x) for x in live], near, named)
    if not ranges or not all(_said(b, named) and set(_points(b)) <= set(ranges) for b in bounds):
        return None
    when = [c for c in conjuncts(domain) if _about(c, ranges, named)][:MAX_GUARDS]
    inside = and_(*when, *_inside(ranges))
    if not all(_may_part(prover, inside, bounds, space.atom_of(x)) for x in live):
        return None
    naming = {x: _name(x, k) for k, x in enumerate(ranges)}
    over = tuple((naming[x], space.unfold(subst(n, naming))) for x, n in ranges.items())
    ends = tuple(space.unfold(subst(b, naming)) for b in bounds)
    guard = space.unfold(subst(and_(*when), naming))
    arrays = tuple(sorted({a.data for a in apps(guard, *ends, op="load")}))
    return Clause(predicate=APART, arrays=arrays, bounds=ends, when=guard, over=over)


def lengths(p: Int) -> Int:
    """The polynomial with each difference of two elements of one array, so many places apart, as a size.

    What an array holds one after the other are ends of segments, and their differences lengths: a clause that
    no lengths but the smallest keep (`block + cu[i + 1] <= cu[i] + 2`) is true of special launches alone.
    """
    held = [(a, k) for m, k in p.terms if len(m) == 1 and isinstance(a := m[0], App) and a.op == "load"]
    for n, ((a, k), (b, less)) in enumerate(itertools.combinations(held, 2)):
        places = sub(a.args[0], b.args[0]) if a.data == b.data and k == -less and len(a.args) == 1 else None
        if places is not None and places.value:
            size = mul(sym(f"length.{n}", Scope.LAUNCH, 0), k if places.value > 0 else less)
            p = add(sub(p, mul(sub(of_atom(a), of_atom(b)), k)), size)
    return p


def _may_part(prover: Prover, inside: Bool, bounds: tuple[Int, ...], x: Sym) -> bool:
    """Whether boxes of points that differ in one coordinate alone can be apart for some contents.

    A clause that no contents keep would only say that the launch has one program along an axis.
    """
    other = sym(f"{x.name}'", x.scope, x.lo, x.hi)
    there = {x: other}
    ends = list(zip(bounds[::2], bounds[1::2], strict=True))
    gaps = [(le(high, subst(low, there)), le(subst(high, there), low)) for low, high in ends]
    filled = [lt(low, high) for low, high in ends]
    filled += [subst(c, there) for c in filled]
    apart_ = or_(*(c for pair in gaps for c in pair))
    return not prover.unsat(inside, subst(inside, there), ne(of_atom(x), other), *filled, apart_)


def _said(t: Int | Bool, named: Named) -> bool:
    """Whether a host can evaluate a term, given its coordinates."""
    held = apps(t)
    if any(a.op == "fn" or (a.op == "load" and a.data not in named.arrays) for a in held):
        return False
    return all(x.boolean or x in named.symbols or x.scope is not Scope.LAUNCH for x in symbols(t))


def _ranges(points: Sequence[Sym], near: Sequence[Bool], named: Named) -> Ranges:
    """The coordinates, each after those that its range hangs on; empty where one has no range."""
    out: Ranges = {}

    def place(x: Sym, around: tuple[Sym, ...]) -> bool:
        if x in out:
            return True
        size = _size(x, near, named) if x not in around and len(out) < MAX_COORDINATES else None
        if size is None or not all(place(y, (*around, x)) for y in _points(size)):
            return False
        out[x] = size
        return True

    return out if all(place(x, ()) for x in points) else {}


def _points(t: Int | Bool) -> list[Sym]:
    return sorted((x for x in symbols(t) if x.scope is not Scope.LAUNCH), key=lambda x: x.order)


def _size(x: Sym, near: Sequence[Bool], named: Named) -> Int | None:
    """How many values a coordinate that is not negative has, by a condition `x < size`."""
    if x.boolean or x.lo is None or x.lo < 0:
        return None
    found = []
    for c in near:
        if not isinstance(c, Cmp) or c.op != "le" or dict(c.poly.terms).get((x,)) != 1:
            continue
        size = neg(add(c.poly, neg(of_atom(x)))) + 1
        if x not in symbols(size) and _said(size, named):
            found.append(size)
    return min(found, key=lambda t: (len(_points(t)), len(apps(t)), len(t.terms), t.order), default=None)


def _about(c: Bool, ranges: Ranges, named: Named) -> bool:
    """Whether a part of a guard speaks of these coordinates and what a host knows alone."""
    own = set(_points(c))
    flag = isinstance(c, Literal)
    return bool(own or flag or apps(c, op="load")) and own <= set(ranges) and _said(c, named)


def _inside(ranges: Ranges) -> list[Bool]:
    return [le(of_atom(x) + 1, n) for x, n in ranges.items()]


def _name(x: Sym, k: int) -> Int:
    """A coordinate's name in a clause, as a reader of the kernel may have called it."""
    for prefix, name in NAMES.items():
        rest = x.name[len(prefix) :]
        if x.name.startswith(prefix) and rest:
            return sym(name + {"x": "0", "y": "1", "z": "2"}.get(rest, rest), Scope.POINT, 0)
    return sym(x.name if x.name.isidentifier() else f"i{k}", Scope.POINT, 0)


def domain(c: Clause) -> Bool:
    """For which values of its coordinates a clause asks what it asks."""
    return and_(c.when, *(le(x + 1, n) for x, n in c.over), *(le(ZERO, x) for x, _ in c.over))
