"""What a launch leaves to its caller for an output to be written in full: clauses over its host symbols.

A write reaches every element where the conditions of its point (`outputs`) follow from the element being in
range. Those that do not follow relate the output's sizes with those that the grid and the masks were made
from (`out.size // d <= x.size // d`): two inputs of the host function, or two ways to count one thing.
What elimination leaves of them without the element is sufficient, and over names that the host can read:
a clause of this launch, which says nothing of others and is no part of the kernel's contract.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.contract.clause import LAUNCH, Clause
from gpulint.solver import ranges
from gpulint.solver.blame import owner
from gpulint.solver.residual import CAP, SEVERAL, Named
from gpulint.solver.setting import Setting
from gpulint.term import (
    Bool,
    Cmp,
    Int,
    Scope,
    and_,
    conjuncts,
    ge,
    le,
    neg,
    symbols,
)


def sufficient(
    s: Setting, inside: Bool, gaps: Sequence[Sequence[Bool]], sizes: Sequence[Int]
) -> tuple[Clause, ...]:
    """Clauses under which one of the writes reaches every element that is `inside`; () for none.

    `gaps` are the conditions of each write that do not follow, `sizes` the output's extents. Clauses that
    cap a size by a number, or that only outputs of an element or two meet, are none that callers keep.
    """
    for gap in gaps:
        found = _of(s, inside, gap)
        if found and _roomy(s, inside, found, sizes):
            return found
    return ()


def _of(s: Setting, inside: Bool, gap: Sequence[Bool]) -> tuple[Clause, ...]:
    """What makes all conditions of one gap follow; () where one of them cannot be said."""
    out: dict[Clause, None] = {}
    for goal in (g for c in gap for g in _bounds(c)):
        answer = ranges.settle(s, inside, goal, _readable(s, inside, goal))
        if answer.how:
            continue
        if not answer.clauses or answer.rank >= CAP or any(map(_only_caps, answer.clauses)):
            return ()
        out.update(dict.fromkeys(Clause(c.condition, origin=LAUNCH) for c in answer.clauses))
    return tuple(out)


def _only_caps(c: Clause) -> bool:
    """Whether nothing may grow with what a clause holds down: a product of sizes is below a number."""
    return isinstance(c.condition, Cmp) and all(k > 0 for m, k in c.condition.poly.terms if m)


def of_callers(clauses: Sequence[Clause]) -> bool:
    """Whether each of the launch's clauses relates several inputs: none that callers break by one alone."""
    own = [c for c in clauses if c.origin == LAUNCH]
    return bool(own) and all(len({owner(x.name) for x in symbols(c.condition)}) > 1 for c in own)


def _readable(s: Setting, *terms: Bool) -> Named:
    """The names of the host code, less those that the kernel has for what the launch does not tell."""
    assert s.binding is not None
    found = symbols(*terms, *s.prover.relevant(*terms))
    own = (x for x in found if x.scope is Scope.LAUNCH and x.name in s.binding.taken)
    return Named(frozenset(own) - s.tile_sizes, frozenset())


def _roomy(s: Setting, inside: Bool, clauses: Sequence[Clause], sizes: Sequence[Int]) -> bool:
    """Whether outputs that are more than an element or two long meet the clauses, if any are that long."""
    conditions = [c.condition for c in clauses]
    if s.prover.unsat(inside, *conditions):
        return False
    long = and_(*(ge(n, SEVERAL) for n in sizes if n.value is None))
    return not s.prover.unsat(*conditions, long) or s.prover.unsat(long)


def _bounds(c: Bool) -> list[Bool]:
    """A condition as upper bounds `p <= 0`; what is no comparison stays as it is, for no clause to say."""
    if isinstance(c, Cmp) and c.op == "eq":
        return [le(c.poly, 0), le(neg(c.poly), 0)]
    return [*conjuncts(c)]
