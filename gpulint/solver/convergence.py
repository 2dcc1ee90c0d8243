"""Obligation convergent: every block barrier is reached by all threads of a block, or by none.

Shown for each barrier on its own: its condition and the trip counts of the loops around it are the
same for any two threads of a block (in equal iterations of those loops). With every barrier so,
all threads of a block meet the same barriers in the same order. Uniformity by dataflow first, then
Z3 on the conditions; only barriers whose condition is tracked exactly can be decided.
"""

from __future__ import annotations

from gpulint.dataflow.access import Sync
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, UNDECIDED, Obligation, Verdict
from gpulint.term import Bool, Sym, and_, not_, symbols

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
    if y.kind != "block":
        if y.uniform:
            return Verdict(o, PROVED, rung="uniform")
        return Verdict(o, UNDECIDED, reason="participants not decided")
    if y.uniform:
        return Verdict(o, PROVED, rung="uniform")
    if not y.exact:
        return Verdict(o, UNDECIDED, reason="some thread may have jumped past the barrier")
    if s.prover.unsat(*split(s, y)):
        return Verdict(o, PROVED, rung="z3")
    return Verdict(o, UNDECIDED, reason="the barrier's condition may differ between threads")


def split(s: Setting, y: Sync) -> list[Bool]:
    """A thread that reaches the barrier and one of its block that does not, in the same iteration."""
    domain = s.term(and_(y.guard, *(loop.domain for loop in y.loops)))
    one = shared(y)
    bounds = [s.term(space.below(names.thread(a), names.block_size(a))) for a in AXES]
    own = symbols(domain)
    used = and_(*(b for b in bounds if symbols(b) & own))
    return [
        space.twin(and_(domain, used), 1, one),
        space.twin(and_(not_(s.term(y.apart)), used), 2, one),
    ]


def shared(y: Sync) -> frozenset[Sym]:
    """What two threads of a block have in common: the block index and the loops' counters."""
    blocks = {space.atom_of(names.block(a)) for a in AXES}
    return frozenset(blocks | {loop.counter for loop in y.loops})
