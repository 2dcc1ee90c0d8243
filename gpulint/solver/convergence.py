"""Obligation convergent: every barrier is reached by all its participants, or by none.

Shown for each barrier on its own: its condition and the trip counts of the loops around it are the
same for any two threads of a block (in equal iterations of those loops). With every barrier so,
all threads of a block meet the same barriers in the same order. Uniformity by dataflow first, then
Z3 on the conditions; only barriers whose condition is tracked exactly can be decided.

A barrier of the grid is reached by all threads of the launch, and asks for a cooperative launch that the
device holds as a whole (the clause `cooperative`). Numba launches so by itself.
"""

from __future__ import annotations

from gpulint.contract.limits import COOPERATIVE
from gpulint.dataflow.access import Sync
from gpulint.ir import symbols as names
from gpulint.solver import disjoint, masks, space
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import FALSE, Bool, Sym, and_, eq, not_, or_, symbols

FENCES = ("fence_block", "fence_device", "fence_system")


def obligations(s: Setting) -> list[Obligation]:
    """One question for each barrier of the kernel."""
    return [obligation(y) for y in s.accesses.syncs if y.kind not in FENCES]


def obligation(y: Sync) -> Obligation:
    return Obligation("convergent", y.kind, y.span, sync=y)


def again(s: Setting, o: Obligation) -> Verdict:
    """The verdict on one barrier in a setting."""
    y = o.sync
    assert y is not None
    if y.kind == "grid":
        return _of_grid(s, o, y)
    found = table(s, y) if y.kind == "warp" else None
    if y.uniform and (y.kind != "warp" or masks.whole(found)):
        return Verdict(o, PROVED, rung="uniform")
    if y.kind == "warp" and found is None:
        return Verdict(o, UNDECIDED, reason="participants not decided")
    if not y.exact:
        return Verdict(o, UNDECIDED, reason="some thread may have jumped past the barrier")
    if s.prover.unsat(*split(s, y)) and (y.kind != "warp" or s.prover.unsat(*_stranger(s, y))):
        return Verdict(o, PROVED, rung="z3")
    return Verdict(o, UNDECIDED, reason="the barrier's condition may differ between threads")


def _of_grid(s: Setting, o: Obligation, y: Sync) -> Verdict:
    """A barrier of the whole grid: every thread comes, and the device holds all blocks at once."""
    every = y.exact and not y.loops and bool(s.prover.prove(_inside(s), s.term(y.guard)))
    if y.uniform or every:
        return Verdict(o, UNDER, clauses=(COOPERATIVE,), rung="uniform")
    return Verdict(o, UNDECIDED, reason="the barrier's condition may differ between blocks")


def _inside(s: Setting) -> Bool:
    sizes = ((names.thread, names.block_size), (names.block, names.grid_size))
    return and_(*(s.term(space.below(at(a), size(a))) for a in AXES for at, size in sizes))


def table(s: Setting, y: Sync) -> masks.Table | None:
    """The mask that each lane comes to a warp barrier with; None where that is not known."""
    found = masks.table(y.mask)
    return found if found is None or masks.constant(found) or disjoint.along_x(s) else None


def _stranger(s: Setting, y: Sync) -> list[Bool]:
    """A thread that reaches a warp barrier with a mask that does not name it, or names one with another."""
    found = table(s, y)
    if found is None or masks.fitting(found) == masks.FULL:
        return [FALSE]
    return [reached(s, y), not_(masks.among(disjoint.lane(s), masks.fitting(found)))]


def reached(s: Setting, y: Sync) -> Bool:
    """A thread comes to the barrier."""
    domain = s.term(and_(y.guard, *(loop.domain for loop in y.loops)))
    return and_(domain, *(s.term(space.below(names.thread(a), names.block_size(a))) for a in AXES))


def split(s: Setting, y: Sync) -> list[Bool]:
    """A thread that reaches the barrier and a participant that does not, in the same iteration.

    The participants are the threads of the block, or those of the warp that the first one's mask names.
    """
    domain = s.term(and_(y.guard, *(loop.domain for loop in y.loops)))
    one = shared(y)
    bounds = [s.term(space.below(names.thread(a), names.block_size(a))) for a in AXES]
    own = symbols(domain)
    used = and_(*(b for b in bounds if symbols(b) & own))
    out = [
        space.twin(and_(domain, used), 1, one),
        space.twin(and_(not_(s.term(y.apart)), used), 2, one),
    ]
    if y.kind == "warp":
        warp = disjoint.warp(s)
        out.append(eq(space.twin(warp, 1, one), space.twin(warp, 2, one)))
        found = table(s, y)
        if found is not None and not masks.whole(found):
            lane, other = (space.twin(disjoint.lane(s), side, one) for side in (1, 2))
            out.append(masks.names(found, lane, other))
    return out


def broken(s: Setting, y: Sync) -> list[Bool]:
    """What would break the obligation: a participant stays away, or a thread comes that is none."""
    apart = and_(*split(s, y))
    return [or_(apart, and_(*_stranger(s, y)))] if y.kind == "warp" else [apart]


def shared(y: Sync) -> frozenset[Sym]:
    """What two threads of a block have in common: the block index and the loops' counters."""
    blocks = {space.atom_of(names.block(a)) for a in AXES}
    return frozenset(blocks | {loop.counter for loop in y.loops})
