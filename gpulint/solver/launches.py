"""Obligations contract and no-alias at one launch site: device limits, rank, declared clauses, overlap."""

from __future__ import annotations

from dataclasses import replace

from gpulint.contract.clause import LAUNCH, Clause
from gpulint.contract.limits import LimitCondition, launch_conditions
from gpulint.ir import symbols as names
from gpulint.solver import aliases, space
from gpulint.solver.blame import owner
from gpulint.solver.general import Round
from gpulint.solver.options import DISTINCT_ARRAYS, GRID_LIMITS, INT32_SIZES
from gpulint.solver.prover import Prover
from gpulint.solver.reader import Reader
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound, independent, meets
from gpulint.solver.verdict import (
    ADVICE,
    REFUTED,
    UNDECIDED,
    UNDER,
    Obligation,
    SiteVerdict,
    Verdict,
    Witness,
)
from gpulint.term import FALSE, TRUE, Bool, ge, le, not_, symbols
from gpulint.term.build import of_atom


def check(a: SiteRound, r: Round) -> None:
    """Add what the launch itself gets wrong to the site's verdicts."""
    if a.reason or a.setting.site is None:
        return
    broken = any(v.kind == REFUTED for v in a.answers.values())
    if not broken and _too_large(a.setting):
        a.reason = f"the launch has sizes that the assumption {INT32_SIZES} leaves out"
        return
    _limits(a)
    _rank(a)
    _declared(a, r)
    a.extra.extend(aliases.overlapping(a.setting, r.named))
    if aliases.left_to_caller(a.setting):
        a.assumed.add(DISTINCT_ARRAYS)


def status(a: SiteRound, r: Round) -> SiteVerdict:
    """How the site stands: violates, undecided or meets."""
    site = a.setting.site
    assert site is not None
    if a.reason:
        return SiteVerdict(site, "undecided", reason=a.reason)
    answers = [v for v in (*a.answers.values(), *a.extra) if v.obligation.kind not in ADVICE]
    bad = next((v for v in answers if v.kind == REFUTED), None)
    if bad is not None:
        clause = bad.clauses[0] if bad.clauses else None
        return SiteVerdict(site, "violates", clause, bad.witness, bad.reason)
    open_ = next((v for v in answers if v.kind == UNDECIDED), None)
    unmet = [c for c in a.unmet if c.origin == "declared"]
    unmet += [c for v in a.extra if v.kind == UNDER for c in v.clauses if not _met(a.setting, c)]
    if open_ is not None or unmet:
        clause = unmet[0] if unmet else next(iter(open_.clauses), None) if open_ else None
        reason = open_.reason if open_ else "clause not established"
        return SiteVerdict(site, "undecided", clause, reason=reason)
    return SiteVerdict(site, "meets")


def _met(s: Setting, c: Clause) -> bool:
    """Whether the site establishes a clause; one over its own host symbols it would have shown already."""
    return c.origin != LAUNCH and meets(s, c)


def _too_large(s: Setting) -> bool:
    """Whether the numbers of the launch contradict what the proofs assume of sizes."""
    only = replace(s.options, assume=s.options.assume & {INT32_SIZES})
    return any(s.term(f) == FALSE for f in space.launch_facts(s.kernel, s.accesses, only))


def host_prover(s: Setting) -> Prover:
    """What the host code and the standing assumptions say before the device accepted the launch."""
    assert s.binding is not None
    sizes = space.launch_facts(s.kernel, s.accesses, s.options)
    apart = [f for f in sizes if not any(x.name.startswith("grid.") for x in symbols(f))]
    known = [f for f in map(s.term, apart) if f != FALSE]
    return Prover([*known, *s.binding.facts], s.options.rlimit, budget=s.budget, memo=s.memo)


def _limits(a: SiteRound) -> None:
    s = a.setting
    assert s.site is not None and s.binding is not None
    host = s.binding.host
    grid = tuple(map(host, s.site.grid)) if s.site.grid is not None else None
    block = tuple(map(host, s.site.block)) if s.site.block is not None else None
    prover = host_prover(s)
    cooperative = any(y.kind == "grid" for y in s.accesses.syncs)
    for c in launch_conditions(grid, block, s.site.shared_bytes, cooperative):
        for goal in (le(c.value, c.limit), ge(c.value, c.least)):
            excused = c.name == "grid-axis" and goal == le(c.value, c.limit)
            if s.site.forall and c.name == "grid-axis" and not excused:
                continue  # `forall(0)` launches nothing
            if excused and GRID_LIMITS in s.options.assume and c.value.value is None:
                continue
            if c.name == "cooperative-grid" and c.value.value is None:
                continue  # one that grows with the data is for the clause
            if not prover.prove(TRUE, goal):
                _refute_limit(a, prover, c, goal)


def _refute_limit(a: SiteRound, prover: Prover, c: LimitCondition, goal: Bool) -> None:
    """Report a limit that is broken for some size of an array, or in every launch."""
    s = a.setting
    assert s.site is not None
    free = symbols(c.value)
    sized = any(owner(x.name) != x.name for x in free)
    if c.value.atom is not None and not sized:
        return  # the caller's own choice of a size
    if not s.site.exact or (free and not sized):
        a.reason = f"{c.what} is not shown to be within the device's limit"
        return
    w = launch_witness(s, prover, not_(goal))
    if w is None:
        a.reason = f"{c.what} is not shown to be within the device's limit"
        return
    of_grid = c.name in ("grid-axis", "cooperative-grid")
    where = (s.site.grid_span if of_grid else s.site.block_span) or s.site.span
    o = Obligation("contract", c.name, where)
    a.extra.append(Verdict(o, REFUTED, reason=c.message, witness=w, site=s.site, rung="search"))


def launch_witness(s: Setting, prover: Prover, bad: Bool) -> Witness | None:
    """Numbers for the free inputs of a site that make a condition on the launch itself true.

    Replayed by evaluating the condition on them; nothing runs, since the launch is refused.
    """
    sizes = [s.term(f(axis)) for axis in space.AXES for f in (names.grid_size, names.block_size)]
    free = sorted((x for x in symbols(bad, *sizes) if not x.boolean), key=lambda x: x.order)
    limits = [le(of_atom(x), 2**46) for x in free if x.hi is None]
    model = prover.model([bad, *limits], free)
    if model is None or not model.holds(bad):
        return None
    reader = Reader(s, model, ())
    numbers = [reader.number(t) for t in sizes]
    return Witness(
        reader.names(), (numbers[0], numbers[2], numbers[4]), (numbers[1], numbers[3], numbers[5]), (),
        values={x.name: reader.number(of_atom(x)) for x in free}, replayed=True, tile=reader.tile(None),
    )  # fmt: skip


def _rank(a: SiteRound) -> None:
    """A kernel that indexes fewer axes than the launch has: threads along the rest repeat its work."""
    s = a.setting
    assert s.site is not None
    rank = s.accesses.rank
    written = any(x.mode == "write" and x.array.space == "global" for x in s.accesses.accesses)
    if not 0 < rank < 3 or not written:
        return
    for axis in range(rank, 3):
        for size in (s.term(names.block_size(axis)), s.term(names.grid_size(axis))):
            if size.value is not None and size.value > 1:
                o = Obligation("contract", "rank", s.site.span)
                reason = f"the kernel indexes {rank} of the launch's {axis + 1} axes"
                w = launch_witness(s, host_prover(s), TRUE)
                a.extra.append(Verdict(o, REFUTED, reason=reason, witness=w, site=s.site, rung="constant"))
                return


def _declared(a: SiteRound, r: Round) -> None:
    """Declared clauses that the launch breaks."""
    s = a.setting
    assert s.site is not None and s.binding is not None
    for c in a.unmet:
        if c.origin != "declared" or c.predicate or not s.site.exact or independent(s, c):
            continue
        w = launch_witness(s, host_prover(s), not_(s.term(c.condition)))
        if w is not None:
            o = Obligation("contract", "clause", s.site.span)
            a.extra.append(
                Verdict(o, REFUTED, reason=f"the launch violates `{c}`", clauses=(c,), witness=w, site=s.site)
            )
