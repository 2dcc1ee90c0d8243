"""Obligation initialised: shared and local memory is written before it is read.

Shown for a read by one write of the same array that comes before it in program order, is separated
from it by a barrier wherever another thread makes it, and reaches the element: the subscripts of
the write are solved for its thread and loop counters (`inverse`), and the point found lies in the
write's domain whenever the read happens. A thread's own earlier write needs no barrier.
In a loop, writes of the iteration before count as well. Several writes count together when one of them
always reaches the element (two sides of a branch).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpulint.dataflow.access import Access, Loop
from gpulint.dataflow.intervals import BLOCK, GRID, WARP
from gpulint.ir import symbols as names
from gpulint.solver import disjoint, masks, space
from gpulint.solver.inverse import definite, hits, inverse
from gpulint.solver.pairs import Ways
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, UNDECIDED, Obligation, Verdict
from gpulint.term import Atom, Bool, Int, Scope, Sym, and_, eq, ge, not_, subst, symbols
from gpulint.term.build import of_atom


@dataclass(frozen=True)
class Source:
    """A write that gives a read its value: the write's point as terms over the reader's symbols."""

    write: Access
    reached: Bool  # the point lies in the write's domain
    point: Mapping[Sym, Int]


def obligations(s: Setting) -> list[Obligation]:
    """One question for each read of shared or local memory (equal reads together)."""
    done: set[tuple[object, ...]] = set()
    out = []
    for a in s.accesses.accesses:
        key = (a.array.name, a.subscripts, a.domain, a.span)
        if a.array.space in ("shared", "local") and a.mode != "write" and key not in done:
            done.add(key)
            out.append(Obligation("initialised", a.array.space, a.span, access=a))
    return out


def again(s: Setting, o: Obligation) -> Verdict:
    """The verdict on one read in a setting."""
    read = o.access
    assert read is not None
    domain = s.term(read.domain)
    reached = [s.term(x.reached) for x in sources(s, read)]
    if any(s.prover.prove(domain, c, z3_too=False) for c in reached):
        return Verdict(o, PROVED, rung="bounds")
    if reached and s.prover.unsat(domain, *map(not_, reached)):
        return Verdict(o, PROVED, rung="z3")
    return Verdict(o, UNDECIDED, reason=f"not shown that {read.text or read.array.name} was written before")


def sources(s: Setting, read: Access) -> list[Source]:
    """The writes before the read whose subscripts can be solved for the element that it reads."""
    out = []
    for w in s.accesses.accesses:
        if w.array.name != read.array.name or w.mode == "read":
            continue
        found = [] if w.index >= read.index else [_own(s, read, w), *_others(s, read, w)]
        out += [x for x in (*found, *_last_round(s, read, w)) if x is not None]
    return out


def _others(s: Setting, read: Access, w: Access) -> Iterator[Source | None]:
    """Writes of other threads: of the warp, of the block, of any, as far as barriers order them."""
    blocks = {space.atom_of(names.block(a)) for a in AXES}
    common = _common(w, read)
    if _before(s, w, read, BLOCK) and read.array.space != "local":
        yield _solved(s, read, w, blocks | common)
    elif _before(s, w, read, WARP) and read.array.space != "local":
        yield _of_warp(s, _solved(s, read, w, blocks | common))
    elif read.array.space != "local":
        yield from _of_lanes(s, read, w, _solved(s, read, w, blocks | common))
    if read.array.space == "global" and _before(s, w, read, GRID):
        yield _solved(s, read, w, common)


def _last_round(s: Setting, read: Access, w: Access) -> Iterator[Source | None]:
    """Writes in the iteration before, of the innermost loop around both."""
    loops = [x for x in read.loops if x.counter in _common(w, read)]
    if not loops:
        return
    loop, common = loops[-1], _common(w, read)
    yield _solved(s, read, w, _coordinates() | common, loop.counter)
    if loop.barrier and read.array.space != "local" and _crossed(s, w, read, loop):
        yield _solved(s, read, w, {space.atom_of(names.block(a)) for a in AXES} | common, loop.counter)


def _crossed(s: Setting, w: Access, read: Access, loop: Loop) -> bool:
    """Whether a barrier lies between the write in one iteration and the read in the next."""
    ways = s.order.ways(w, read, BLOCK)
    if ways is None:
        return False
    ties = [next((t for t in way if getattr(t.loop, "span", None) == loop.span), None) for way in ways]
    return all(t is not None and t.gap is not None and t.gap != 1 for t in ties)


def _of_warp(s: Setting, found: Source | None) -> Source | None:
    """The same write where the thread that makes it is of the reader's warp."""
    if found is None:
        return None
    mine = disjoint.warp(s)
    return Source(found.write, and_(found.reached, eq(subst(mine, found.point), mine)), found.point)


def _of_lanes(s: Setting, read: Access, w: Access, found: Source | None) -> Iterator[Source | None]:
    """The same write where a barrier of a part of the warp orders the two lanes."""
    near = _of_warp(s, found)
    for part in s.order.parts(w, read) if near is not None else ():
        if near is not None and part.applies(disjoint.along_x(s)) and _apart(part.ways):
            mine = disjoint.lane(s)
            meet = and_(*(masks.meet(t, subst(mine, near.point), mine) for t in part.tables))
            yield Source(near.write, and_(near.reached, meet), near.point)


def _common(a: Access, b: Access) -> set[Sym]:
    """Counters of the loops around both."""
    spans = {x.span for x in b.loops}
    return {x.counter for x in a.loops if x.span in spans}


def _before(s: Setting, w: Access, read: Access, cuts: tuple[str, ...]) -> bool:
    """Whether such a barrier lies between the write and the read of the same iteration, on every path."""
    ways = s.order.ways(w, read, cuts)
    return ways is not None and _apart(ways)


def _apart(ways: Ways) -> bool:
    """Whether two accesses are never concurrent in one iteration."""
    return all(any(t.gap is not None and t.gap != 0 for t in way) for way in ways)


def _own(s: Setting, read: Access, w: Access) -> Source | None:
    """The reading thread's own write: same coordinates, same iterations of the common loops.

    What is unknown and occurs in both conditions has one value there.
    """
    both = {x for x in symbols(read.domain) & symbols(w.domain) if x.scope is Scope.POINT}
    return _solved(s, read, w, _coordinates() | _common(w, read) | both)


def _coordinates() -> set[Sym]:
    return {space.atom_of(f(a)) for a in AXES for f in (names.block, names.thread)}


def _solved(s: Setting, read: Access, w: Access, held: set[Sym], back: Sym | None = None) -> Source | None:
    """The write that gives the element; `back`: the counter of a loop that stood one lower then.

    It is over the kernel's own terms, the same in every setting.
    """
    key = (id(read), id(w), frozenset(held), back)
    if key not in s.memo.sources:
        s.memo.sources[key] = (read, w), _inverted(read, w, held, back)
    return s.memo.sources[key][1]


def _inverted(read: Access, w: Access, held: set[Sym], back: Sym | None) -> Source | None:
    wanted = definite(w)
    if wanted is None:
        return None
    seen = space.see(w, frozenset(), wanted)
    if back is not None:
        earlier: dict[Atom, Int | Bool] = {back: of_atom(back) - 1}
        seen = seen.mapped(lambda c: subst(c, earlier), lambda i: subst(i, earlier))
    point = inverse(seen, read.subscripts, frozenset(held))
    if point is None:
        return None
    moved: dict[Sym, Int] = dict(point)
    reached = and_(subst(seen.domain, moved), hits(seen, moved, read.subscripts))
    if back is not None:
        reached = and_(reached, ge(of_atom(back), 1))
    known = held | symbols(read.domain, *read.subscripts)
    return Source(w, reached, moved) if _points(reached) <= known else None


def _points(c: Bool) -> set[Sym]:
    return {x for x in symbols(c) if x.scope is not Scope.LAUNCH}
