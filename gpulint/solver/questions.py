"""Asking one obligation again in another setting, and what would refute it."""

from __future__ import annotations

from gpulint.interp.launch import MISSING_LANE, RELOAD
from gpulint.solver import (
    agree,
    blame,
    contents,
    convergence,
    disjoint,
    hidden,
    initialised,
    lanes,
    masks,
    ranges,
    search,
    shuffles,
    widths,
)
from gpulint.solver.pairs import Pair
from gpulint.solver.residual import Named
from gpulint.solver.search import Ask
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROGRAM, PROVED, UNDECIDED, Obligation, Verdict, Witness
from gpulint.term import and_, not_


def again(s: Setting, o: Obligation, named: Named) -> Verdict | None:
    """The verdict on an obligation in a setting; None for one that no setting decides."""
    if o.property == "in-range" and o.access is not None and o.axis is not None:
        seen = s.see(o.access)
        top, positive, lowest = ranges.goals(o.access, o.axis, seen.checks)
        goal = positive if o.kind == "negative" else and_(top, lowest)
        how = s.prover.prove(seen.domain, goal, z3_too=not ranges.unknowns(o.access))
        return Verdict(o, PROVED if how else UNDECIDED, rung=how, reason="" if how else ranges.why(o))
    if o.property == "no-wrap" and o.op is not None:
        seen = s.see(o.op)
        how = s.prover.prove(seen.domain, not_(widths.violated(o.op, seen.subscripts[0])))
        reason = "" if how else f"{o.op.text} may leave {o.op.type.bits} bits"
        return Verdict(o, PROVED if how else UNDECIDED, rung=how, reason=reason)
    if o.scope == PROGRAM:
        return hidden.again(s, o)
    if o.property == "disjoint" and o.access is not None and o.other is not None:
        return disjoint.decide(s, pair(s, o), named)
    if o.property == "convergent":
        return shuffles.again(s, o) if o.kind == shuffles.KIND else convergence.again(s, o)
    if o.lanes is not None:
        return lanes.again(s, o)
    if o.property == "initialised":
        return initialised.again(s, o)
    return None


def pair(s: Setting, o: Obligation) -> Pair:
    """The pair that a disjointness obligation is about."""
    assert o.access is not None and o.other is not None
    return s.order.pair(o.access, o.other, o.scope or "any")


def open_to_search(s: Setting, o: Obligation) -> bool:
    """Whether a search for a witness is allowed for, and one would count whatever the arrays hold."""
    if s.budget.models <= 0:
        return False
    return o.lanes is not None or (contents.tell(s, o) and not agree.alike(o))


def refute(s: Setting, o: Obligation) -> Witness | None:
    """A replayed witness against an obligation in a setting that binds the launch."""
    if not open_to_search(s, o):
        return None
    if o.lanes is not None:
        return lanes.refute(s, o)
    ask = _ask(s, o)
    return None if ask is None else search.find(s, ask)


def _ask(s: Setting, o: Obligation) -> Ask | None:
    if o.property == "in-range" and o.access is not None and o.axis is not None:
        seen = s.see(o.access)
        if o.kind == "negative":
            bad = ranges.negative(o.access, (seen.checks[o.axis],))
            return Ask(o, (seen.domain, bad), (seen,), "negative-index", o.access.array.name)
        sides = blame.sides(s, o.access, o.axis) if s.site is not None else (True, True)
        bad = ranges.violated(o.access, o.axis, seen.checks, sides)
        return Ask(o, (seen.domain, bad), (seen,), "out-of-range", o.access.array.name)
    if o.property == "no-wrap" and o.op is not None:
        seen = s.see(o.op)
        return Ask(o, (seen.domain, widths.violated(o.op, seen.subscripts[0])), (seen,), "wrap")
    if o.scope == PROGRAM and o.access is not None and o.other is not None:
        meeting, lanes_ = hidden.reload(s, o.access, o.other)
        return Ask(o, tuple(meeting), lanes_, RELOAD, o.access.array.name)
    if o.property == "disjoint" and o.access is not None and o.other is not None:
        p = pair(s, o)
        if s.order.handed_over(p):
            return None  # a run without that order would show a race that need not be one
        conditions, points = disjoint.conflict(s, p)
        return Ask(o, tuple(conditions), points, "race", o.access.array.name)
    if o.property == "convergent" and o.sync is not None and o.sync.kind == "grid":
        return Ask(o, (), (), "divergence")
    if o.property == "convergent" and o.sync is not None and o.sync.kind in ("block", "warp"):
        if masks.table(o.sync.mask) is None:
            return None  # which lanes it names is for data to say
        if o.kind == shuffles.KIND:
            return Ask(o, tuple(shuffles.broken(s, o.sync)), (), MISSING_LANE)
        apart = tuple(convergence.broken(s, o.sync)) if o.sync.exact else ()
        return Ask(o, apart, (), "divergence")
    if o.property == "initialised" and o.access is not None:
        one = s.see(o.access, frozenset())
        found = initialised.sources(s, o.access)
        gaps = [not_(s.term(x.reached)) for x in found]
        return Ask(o, (one.domain, *gaps), (one,), "uninitialised", o.access.array.name)
    return None
