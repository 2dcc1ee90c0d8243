"""Obligation initialised: shared and local memory is written before it is read.

Shown for a read by one write of the same array that comes before it in program order, is separated
from it by a barrier wherever another thread makes it, and reaches the element: the subscripts of
the write are solved for its thread and loop counters (`inverse`), and the point found lies in the
write's domain whenever the read happens. A thread's own earlier write needs no barrier.
Several writes count together when one of them always reaches the element (two sides of a branch).
"""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.dataflow.access import Access
from gpulint.dataflow.intervals import Intervals
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.inverse import definite, hits, inverse
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, UNDECIDED, Obligation, Verdict
from gpulint.term import Bool, Int, Scope, Sym, and_, not_, subst, symbols


@dataclass(frozen=True)
class Source:
    """A write that gives a read its value: the write's point as terms over the reader's symbols."""

    write: Access
    reached: Bool  # the point lies in the write's domain


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
    order = Intervals(s.kernel.body)
    for w in s.accesses.accesses:
        if w.array.name != read.array.name or w.mode == "read" or w.index >= read.index:
            continue
        own = _own(read, w)
        if own is not None:
            out.append(own)
        if read.array.space == "shared" and _before(order, w, read):
            found = _other(read, w)
            if found is not None:
                out.append(found)
    return out


def _common(a: Access, b: Access) -> set[Sym]:
    """Counters of the loops around both."""
    spans = {x.span for x in b.loops}
    return {x.counter for x in a.loops if x.span in spans}


def _before(order: Intervals, w: Access, read: Access) -> bool:
    """Whether a barrier lies between the write and the read of the same iteration, on every path."""
    ways = order.ties(w.stmt, read.stmt)
    if ways is None:
        return False
    return all(any(t.gap is not None and t.gap != 0 for t in way) for way in ways)


def _own(read: Access, w: Access) -> Source | None:
    """The reading thread's own write: same coordinates, same iterations of the common loops."""
    held = _coordinates() | _common(w, read)
    return _solved(read, w, held)


def _other(read: Access, w: Access) -> Source | None:
    """Some thread of the block's write."""
    held = {space.atom_of(names.block(a)) for a in AXES} | _common(w, read)
    return _solved(read, w, held)


def _coordinates() -> set[Sym]:
    return {space.atom_of(f(a)) for a in AXES for f in (names.block, names.thread)}


def _solved(read: Access, w: Access, held: set[Sym]) -> Source | None:
    wanted = definite(w)
    if wanted is None:
        return None
    seen = space.see(w, frozenset(), wanted)
    point = inverse(seen, read.subscripts, frozenset(held))
    if point is None:
        return None
    moved: dict[Sym, Int] = dict(point)
    reached = and_(subst(seen.domain, moved), hits(seen, moved, read.subscripts))
    known = held | symbols(read.domain, *read.subscripts)
    return Source(w, reached) if _points(reached) <= known else None


def _points(c: Bool) -> set[Sym]:
    return {x for x in symbols(c) if x.scope is not Scope.LAUNCH}

