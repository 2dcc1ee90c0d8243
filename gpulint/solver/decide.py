"""From a kernel, its accesses and its launch sites to verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpulint.contract.clause import INFERRED, Clause
from gpulint.contract.declared import declared
from gpulint.contract.satisfy import simplify
from gpulint.dataflow.access import AccessSet
from gpulint.frontend.host.site import LaunchSite, Scalar
from gpulint.ir.nodes import Barrier, Kernel
from gpulint.ir.walk import statements
from gpulint.solver import (
    buffers,
    coverage,
    fresh,
    gaps,
    general,
    lanes,
    late,
    launches,
    questions,
    rowwidth,
    search,
    separate,
    shapes,
    sites,
    strides,
    unread,
)
from gpulint.solver.general import Round
from gpulint.solver.options import (
    COOPERATIVE_GRIDS,
    DISTINCT_ARRAYS,
    FUNCTIONS_IN_VIEW,
    NUMBER_ARGUMENTS,
    WHERE_USED,
    Options,
    unassumed,
)
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import (
    ADVICE,
    PROVED,
    REFUTED,
    UNDECIDED,
    UNDER,
    KernelResult,
    Obligation,
    SiteVerdict,
    Verdict,
)

MAX_SITES = 16
TOO_MANY = "more launch sites than the budget"
IN_VIEW = "for the launch sites in view"


def decide(
    kernel: Kernel, accesses: AccessSet, sites_: Sequence[LaunchSite], options: Options
) -> KernelResult:
    """Decide every obligation: for any parameters first, then at each launch site in view."""
    given = tuple(replace(c, origin="declared") for c in declared(kernel).clauses)
    start = Setting(kernel, accesses, options, given)
    if given and start.prover.unsat(*(c.condition for c in given)):
        parts = [c.condition for c in given]
        free = Setting(kernel, accesses, options, memo=start.memo).prover
        last = next((k for k in range(len(given)) if free.unsat(*parts[: k + 1])), 0)
        o = Obligation("contract", "unsatisfiable", given[last].span)
        v = Verdict(o, REFUTED, reason="no launch can meet the declared clauses", clauses=given)
        return KernelResult((v,), (), "refuted", given, (), _assumed(kernel, options, sites_, (), False))
    r = general.decide(start)
    apart = distinct(sites_)
    at = sites.each(r, apart[:MAX_SITES])
    for a in at:
        launches.check(a, r)
        coverage.check(a, r, sites_)
        fresh.check(a, sites_)
        shapes.check(a)
        strides.check(a)
        buffers.check(a)
        lanes.check(a)
        late.check(a)
        gaps.check(a, sites_)
        unread.check(a)
        rowwidth.check(a)
    verdicts = _merge(r, at) if at else _alone(r)
    taken = separate.parameters(start) if not at else []
    if not separate.assumed(start):
        verdicts += taken
    for a in at:
        verdicts += a.extra
    verdicts = [v for v in verdicts if v.obligation.kind != "negative" or v.kind == REFUTED]
    skipped = (SiteVerdict(x, "undecided", reason=TOO_MANY) for x in apart[MAX_SITES:])
    site_verdicts = (*(launches.status(a, r) for a in at), *skipped)
    assumed = _assumed(kernel, options, sites_, at, bool(taken))
    status = _status(accesses, verdicts, site_verdicts)
    if status in ("undecided", "verified") and any(unassumed(kernel, assumed)):
        status = "unsupported"
    inferred = simplify(_named(verdicts))
    return KernelResult(tuple(verdicts), site_verdicts, status, given, inferred, assumed)


def _assumed(
    kernel: Kernel,
    options: Options,
    sites_: Sequence[LaunchSite],
    at: Sequence[SiteRound],
    distinct_parameters: bool,
) -> tuple[str, ...]:
    """The standing assumptions; what is assumed of callers only where a verdict or the lowering rests on it.

    That parameters are numbers is assumed of other launches only where those in view all give numbers.
    """
    used = {name for a in at for v in a.answers.values() for name in v.assumptions}
    used = used.union(*(a.assumed for a in at))
    given = [site.arguments.get(name) for site in sites_ for name in kernel.numbers]
    more = {
        DISTINCT_ARRAYS: distinct_parameters,
        NUMBER_ARGUMENTS: bool(given) and all(isinstance(a, Scalar) for a in given),
        FUNCTIONS_IN_VIEW: bool(kernel.functions),
        COOPERATIVE_GRIDS: bool(sites_)
        and any(isinstance(x, Barrier) and x.kind == "grid" for x in statements(kernel.body)),
    }
    used |= {name for name, needed in more.items() if needed} & options.assume
    return tuple(sorted((options.assume - WHERE_USED) | used))


def distinct(sites_: Sequence[LaunchSite]) -> list[LaunchSite]:
    """The sites that differ in more than their callers."""
    seen: dict[object, LaunchSite] = {}
    for s in sites_:
        key = (s.span, s.grid, s.block, tuple(sorted(s.arguments.items())), frozenset(s.facts), s.exact)
        seen.setdefault(key, s)
    return list(seen.values())


def _named(verdicts: Sequence[Verdict]) -> tuple[Clause, ...]:
    """The clauses over the kernel's parameters that the verdicts rest on, each once."""
    found = (c for v in verdicts if v.kind == UNDER for c in v.clauses if c.origin == INFERRED)
    return general.merged(tuple(dict.fromkeys(found)))


def _merge(r: Round, at: Sequence[SiteRound]) -> list[Verdict]:
    """One verdict an obligation: refuted by a site, proved for the sites, or as for any parameters.

    A site that was given up keeps anything from being proved for all sites.
    """
    out = []
    followed = not any(a.reason for a in at)
    for i, v in enumerate(r.verdicts):
        answers = [a.answers.get(i) for a in at if not a.reason]
        bad = next((a for a in answers if a is not None and a.kind == REFUTED), None)
        if bad is not None:
            out.append(bad)
        elif not followed:
            out.append(replace(v, geometry=False) if v.kind == UNDECIDED else v)
        elif v.kind == UNDECIDED and answers and all(a is None or a.kind in (PROVED, UNDER) for a in answers):
            out.append(replace(v, kind=PROVED, reason=IN_VIEW, rung="sites", geometry=False))
        elif v.kind == UNDER and any(answers) and all(a is None or a.kind == PROVED for a in answers):
            out.append(replace(v, kind=PROVED, reason=IN_VIEW, rung="sites or clauses", clauses=()))
        else:
            out.append(replace(v, geometry=False) if v.kind == UNDECIDED else v)
    return _sized(r, out) if r.setting.tiles else out


def _sized(r: Round, verdicts: list[Verdict]) -> list[Verdict]:
    """The verdicts, also those under clauses on how large the launch is: one in view has that to show.

    Clauses that contradict the others are left out, as always: no launch would meet them.
    """
    taken = [c.condition for c in r.inferred]
    out = []
    for v in verdicts:
        own = [c.condition for c in v.clauses]
        if v.kind == UNDECIDED and v.exact and not r.setting.prover.unsat(*taken, *own):
            taken += own
            v = replace(v, kind=UNDER, reason="", rung="launch size", exact=False)
        out.append(v)
    return out


def _alone(r: Round) -> list[Verdict]:
    """No launch in view: what a usual launch would break is refuted for the usual launches."""
    out = []
    usual = search.usual(r.setting)
    for v in r.verdicts:
        if (v.kind == UNDECIDED and _worth_trying(v)) or lanes.for_launch(r.setting, v):
            w = questions.refute(usual, v.obligation)
            if w is not None:
                v = replace(v, kind=REFUTED, witness=w, geometry=True, rung="search")
        out.append(v)
    return out + lanes.usual(usual)


def _worth_trying(v: Verdict) -> bool:
    """Whether a usual launch may break an open obligation, rather than odd parameters alone."""
    o = v.obligation
    if o.property in ("convergent", "initialised"):
        return True
    return v.geometry or o.kind == "negative" or _plain_race(v)


def _plain_race(v: Verdict) -> bool:
    """Whether a race is one whatever the parameters: no parameter scales a coordinate in it."""
    o = v.obligation
    if o.property != "disjoint" or o.access is None or o.other is None:
        return False
    terms = (*o.access.subscripts, *o.other.subscripts)
    return all(len(m) <= 1 or search.of_geometry(m) for t in terms for m, _ in t.terms)


def _status(accesses: AccessSet, verdicts: Sequence[Verdict], at: Sequence[SiteVerdict]) -> str:
    if any(v.kind == REFUTED and v.obligation.kind not in ADVICE for v in verdicts):
        return "refuted"
    if any(s.status == "violates" for s in at):
        return "refuted"
    if accesses.unsupported:
        return "unsupported"
    if any(v.kind == UNDECIDED for v in verdicts) or any(s.status == "undecided" for s in at):
        return "undecided"
    return "verified"
