"""Obligation convergent, of shuffles: what a lane reads and uses comes from a lane that takes part.

A shuffle gives nothing where the lane that it reads is not named by its mask, does not exist since the
block does not fill its last warp, or has ended. Asked of the lanes whose result matters
(`dataflow.shuffles`). Lanes of a warp exist up to some lane, so that a lane no higher than the reader's is
always there; of others it is shown, or asked of the launch, that the block is a whole number of warps. That
a lane named by the mask comes, rather than having ended, is what the barrier's own obligation shows.
"""

from __future__ import annotations

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Sync
from gpulint.ir import symbols as names
from gpulint.ir.collectives import SHUFFLES, WARP
from gpulint.solver import convergence, disjoint, masks
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import ONE, TRUE, Bool, Int, and_, eq, le, mod, mul

KIND = "shuffle"
BELOW = ("shfl_up_sync",)  # shuffles that never read a lane above their own


def obligations(s: Setting) -> list[Obligation]:
    """One question for each shuffle of the kernel."""
    return [Obligation("convergent", KIND, y.span, sync=y) for y in s.accesses.syncs if _reads(y)]


def _reads(y: Sync) -> bool:
    return y.collective in SHUFFLES


def again(s: Setting, o: Obligation) -> Verdict:
    """The verdict on the lanes that one shuffle reads."""
    y = o.sync
    assert y is not None
    whole = y.uniform if y.mask is None else masks.whole(masks.table(y.mask))  # no mask: the lanes that come
    pairs = y.taken if disjoint.along_x(s) else None
    named = convergence.table(s, y)
    if not whole and named is None:
        return Verdict(o, UNDECIDED, reason="which lanes the mask of the shuffle names is not known")
    if not whole and (named is None or not _all_named(named, pairs)):
        return Verdict(o, UNDECIDED, reason="not shown that the mask names every lane whose value is used")
    if convergence.again(s, convergence.obligation(y)).kind != PROVED:
        return Verdict(o, UNDECIDED, reason="a lane whose value is used may have ended")
    above = [there for lane, there in pairs if there > lane] if pairs is not None else [WARP - 1]
    there = not above or y.collective in BELOW or _there(s, max(above))
    if s.site is not None:
        reason = "" if there else "the last warp may not have the lane whose value is used"
        return Verdict(o, PROVED if there else UNDECIDED, reason=reason, rung="lanes")
    needed = [] if there else [Clause(_full(s))]
    flat = disjoint.rank_clause(s)
    if flat is not None and not (whole and (y.collective in BELOW or above)):
        needed.append(flat)  # which lanes matter was worked out for it
    return Verdict(o, UNDER if needed else PROVED, clauses=tuple(needed), rung="lanes")


def _all_named(t: masks.Table, pairs: tuple[tuple[int, int], ...] | None) -> bool:
    return pairs is not None and all(lane == there or t[lane] >> there & 1 for lane, there in pairs)


def _threads(s: Setting) -> Int:
    out = ONE
    for axis in AXES if s.site is not None else disjoint.live_axes(s):
        out = mul(out, s.term(names.block_size(axis)))
    return out


def _full(s: Setting) -> Bool:
    """The block is a whole number of warps."""
    return eq(mod(_threads(s), WARP), 0)


def _there(s: Setting, lane: int) -> bool:
    """Whether every warp has the lane."""
    if s.prover.prove(TRUE, _full(s), z3_too=False):
        return True
    count = _threads(s).value
    return count is not None and (count % WARP == 0 or count % WARP > lane)


def broken(s: Setting, y: Sync) -> list[Bool]:
    """What may break the obligation: a participant stays away, or a lane is not there."""
    if not y.exact:
        return []
    partial = and_(le(1, mod(_threads(s), WARP)), convergence.reached(s, y))
    if y.mask is not None and not masks.whole(masks.table(y.mask)):
        return [convergence.reached(s, y)]
    return [partial] if y.uniform else convergence.split(s, y)
