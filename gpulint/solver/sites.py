"""The second round: what stays open, and every clause, at each launch site in view.

A site may leave inputs free: arrays and numbers that its caller gives. Data clauses that relate two
independent inputs (`a.size <= b.size`) are the caller's to keep, so a launch that breaks only those
is not reported: they are assumed in the search for witnesses. What breaks for some value of a
single input (a size that is no multiple of the block) is a fault of the launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType

from gpulint.contract.bind import Binding, bind
from gpulint.contract.clause import APART, EVERY, Clause
from gpulint.contract.limits import COOPERATIVE, most_blocks, product
from gpulint.contract.predicates import at_site
from gpulint.frontend.host.dtypes import INTEGERS
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.ir import symbols as names
from gpulint.ir.span import Span
from gpulint.solver import (
    callers,
    contents,
    lanes,
    multiples,
    presumed,
    quantified,
    questions,
    sentinels,
    usual,
)
from gpulint.solver.blame import alone, counting, of_launch, owner, relation, square, stated
from gpulint.solver.general import Round
from gpulint.solver.options import COOPERATIVE_GRIDS, FITTING_INPUTS, NAMED_AXES, USUAL_INPUTS
from gpulint.solver.prover import Budget
from gpulint.solver.search import find
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, UNDER, SiteVerdict, Verdict, Witness
from gpulint.term import TRUE, Bool, Cmp, Int, Sym, and_, apps, const, ge, le, lt, subst, symbols
from gpulint.term.build import of_atom

SITE_PROOFS, SITE_MODELS = 24, 12  # questions to Z3 at one site
UNESTABLISHED = "the launch does not establish the clause"


@dataclass
class SiteRound:
    """The answers at one site: by position in the general round's verdicts."""

    setting: Setting
    answers: dict[int, Verdict] = field(default_factory=dict)
    unmet: list[Clause] = field(default_factory=list)
    extra: list[Verdict] = field(default_factory=list)
    limits: list[SiteVerdict] = field(default_factory=list)
    reason: str = ""
    assumed: set[str] = field(default_factory=set)


def each(r: Round, sites: Sequence[LaunchSite]) -> list[SiteRound]:
    """Decide at the sites in turn.

    One launch of the source may be seen in several ways: its callers, its branches, its configurations. What
    one of them leaves open is open at that launch, and the others are then only searched for a witness. No
    verdict on the kernel is lost by that: nothing is proved for all sites that one of them leaves open.
    """
    out: list[SiteRound] = []
    open_: dict[Span, dict[int, str]] = {}
    for site in sites:
        known = open_.setdefault(site.span, {})
        found = decide(r, site, known)
        out.append(found)
        known.update((i, v.reason) for i, v in found.answers.items() if v.kind == UNDECIDED)
    return out


def decide(r: Round, site: LaunchSite, open_: Mapping[int, str] = MappingProxyType({})) -> SiteRound:
    """Decide at one site what the general round left open or made hang on clauses.

    `open_`: positions of verdicts that need no proof here, as it would change nothing, and why they are open.
    """
    g = r.setting
    declared = tuple(c for c in g.premises if c.origin == "declared")
    binding = multiples.told(bind(g.kernel, g.accesses.arrays, site))
    budget = Budget(SITE_PROOFS, SITE_MODELS)
    s = Setting(g.kernel, g.accesses, g.options, (), site, binding, budget, g.memo)
    out = SiteRound(s)
    if binding.problems:
        out.reason = binding.problems[0].message
        return out
    if site.axes_named and NAMED_AXES not in g.options.assume:
        out.reason = "a tensor may have more axes than the host code names"
        return out
    out.assumed |= {NAMED_AXES} if site.axes_named else set()
    if s.accesses.flat and not meets(s, presumed.along_x()):
        out.reason = "the lanes of a warp are not shown to go along x"
        return out
    met = {c: meets(s, c) for c in dict.fromkeys((*declared, *r.inferred, *_all(r)))}
    out.unmet = [c for c in dict.fromkeys((*declared, *r.inferred)) if not met[c]]
    loose = cache(lambda c: independent(s, c))
    broken = [(v, c) for v in r.verdicts if v.kind == UNDER for c in v.clauses if not met[c]]
    wrong = {c for v, c in broken if _foreign(s, v, c) or square(s, v.obligation, c)}
    unmet = [x for x in r.inferred if not met[x] and x not in wrong]
    given = possible(s, [c for x in unmet for c in callers.bounds(x) if loose(c)])
    natural = s.with_premises(given)
    for i, v in enumerate(r.verdicts):
        if v.kind == PROVED:
            continue
        if v.kind == UNDER and all(met[c] for c in v.clauses):
            continue
        passed_on = chosen_by_caller(site) and not lanes.on_clauses(v)
        mine = [c for c in v.clauses if c not in wrong] if passed_on else []
        own = [c for x in mine for c in callers.bounds(x) if loose(c)]
        kept = s.with_premises((*given, *own)) if own else natural
        if contents.doubted(s, v.obligation):
            kept = s.with_premises(c for c in (*given, *own) if c.predicate != "injective")
        before = open_.get(i)
        out.answers[i] = (
            _answer(s, kept, v, r, binding) if before is None else _open(s, kept, v, r, before, binding)
        )
    return out


def _foreign(s: Setting, v: Verdict, c: Clause) -> bool:
    """Whether a clause that keeps stores apart gives an allocation of the host the rows of something else.

    `n <= k` for an output of n columns that is made here and stored to with rows of k: no caller is to
    see to that, whose tensors the two come from or not.
    """
    o = v.obligation
    arg = s.site.arguments.get(o.access.array.name) if s.site is not None and o.access is not None else None
    if o.property != "disjoint" or c.predicate or not isinstance(arg, HostArray) or s.binding is None:
        return False
    if not arg.fresh or not arg.whole or arg.shape is None:
        return False
    condition = s.binding.apply(c.condition)
    if not isinstance(condition, Cmp) or condition.op != "le":
        return False
    rows = {x for m, k in condition.poly.terms if k < 0 for a in m for x in symbols(of_atom(a))}
    return bool(rows) and rows.isdisjoint(symbols(*map(s.binding.host, (*arg.shape, *(arg.strides or ())))))


def possible(s: Setting, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, less those that no launch from here meets together with the ones before."""
    conditions = {c: s.term(c.condition) for c in clauses if not c.predicate}
    if not conditions or not s.prover.unsat(*conditions.values()):
        return list(clauses)
    kept: list[Clause] = []
    for c in clauses:
        before = [conditions[k] for k in kept if k in conditions]
        if c not in conditions or not s.prover.unsat(*before, conditions[c]):
            kept.append(c)
    return kept


def _all(r: Round) -> tuple[Clause, ...]:
    return tuple(c for v in r.verdicts if v.kind == UNDER for c in v.clauses)


def meets(s: Setting, c: Clause) -> bool:
    """Whether the site establishes a clause, for all values of its free inputs."""
    if c.predicate:
        return _predicate(s, c)
    goal = s.term(c.condition)
    return bool(s.prover.prove(TRUE, goal))


def _predicate(s: Setting, c: Clause) -> bool:
    """Whether the host code establishes a predicate on its arguments."""
    assert s.site is not None and s.binding is not None
    if c.predicate == COOPERATIVE.predicate:
        return _held_at_once(s)
    if c.predicate == EVERY:
        return bool(s.prover.prove(s.term(quantified.domain(c)), s.term(c.each)))
    if c.predicate == APART:
        return False  # what shows it shows the race away as well
    known = s.binding.elements.get(c.arrays[0]) if c.arrays else None
    if c.predicate == "injective":
        return known is not None and bool(known.injective)
    if c.predicate == "sorted":
        return known is not None and bool(known.sorted)
    if c.predicate in ("within", "above"):
        return any(_inside(s, c, low, high) for low, high in _ranges(s, c.arrays[0]))
    return bool(at_site(c, s.site))


def _ranges(s: Setting, array: str) -> Iterator[tuple[Int | None, Int | None]]:
    """Bounds of an array's elements: those that the host code gives, and those of their type."""
    assert s.site is not None and s.binding is not None
    known = s.binding.elements.get(array)
    if known is not None:
        yield known.low, known.high
    given = s.site.arguments.get(array)
    type_ = INTEGERS.get(given.dtype) if isinstance(given, HostArray) else None
    if type_ is not None:
        yield const(type_.lo), const(type_.hi)


def _inside(s: Setting, c: Clause, low: Int | None, high: Int | None) -> bool:
    """Whether elements between these bounds are within (or above) those of the clause."""
    if low is None or (c.predicate == "within" and high is None):
        return False
    goals = [ge(low, s.term(c.bounds[0]))]
    if c.predicate == "within" and high is not None:
        goals.append(lt(high, s.term(c.bounds[1])))
    return bool(s.prover.prove(TRUE, and_(*goals)))


def _held_at_once(s: Setting) -> bool:
    """Whether a device holds all blocks of a launch at once: a single one, or as assumed."""
    blocks = product(tuple(s.term(names.grid_size(axis)) for axis in AXES))
    if s.prover.prove(TRUE, le(blocks, 1), z3_too=False):
        return True
    block = tuple(s.term(names.block_size(axis)) for axis in AXES)
    return COOPERATIVE_GRIDS in s.options.assume and (blocks.lo or 0) <= most_blocks(block)


def independent(s: Setting, c: Clause) -> bool:
    """Whether a clause is a relation of inputs that the site leaves free to its caller.

    One that rounds what is rounded already (the launch's size, up to a multiple of another block) speaks of
    how the kernel is tiled: no caller keeps it.
    """
    assert s.binding is not None
    known = s.binding.elements.get(c.arrays[0]) if c.predicate == "within" else None
    if known is not None and known.most is not None:
        # the host code says what the elements are: what it leaves open is how that fits the bound
        return relation(s, lt(stated(s, known.most), s.term(c.bounds[1])))
    if c.predicate:
        return True
    condition = s.binding.apply(c.condition)
    rounded = (a.args[0] for a in apps(condition, op="floordiv"))
    arrays = {x.name.partition(".")[0] for x in symbols(c.condition) if names.is_extent(x.name)}
    counted = counting(s, arrays) & {owner(x.name) for x in symbols(condition)}
    if counted or any(apps(x, op="floordiv") for x in rounded) or alone(s, condition):
        return False
    return relation(s, condition) and _by_default(s, condition)


def _by_default(s: Setting, condition: Bool) -> bool:
    """Whether callers who say nothing of a number can keep the condition too, by their arrays."""
    at = subst(condition, usual.numbers(s))
    return at == condition or relation(s, at) or bool(s.prover.prove(TRUE, at, z3_too=False))


def chosen_by_caller(site: LaunchSite) -> bool:
    """Whether the launch passes on sizes that its caller gives, with no arithmetic of its own."""
    sizes = (*(site.grid or ()), *(site.block or ()))
    free = [t for t in sizes if t.value is None]
    return bool(free) and all(isinstance(t.atom, Sym) and owner(t.atom.name) == t.atom.name for t in free)


def _proved(s: Setting, v: Verdict, r: Round) -> bool:
    """Whether an obligation is proved in a setting."""
    found = questions.again(s, v.obligation, r.named)
    return found is not None and found.kind == PROVED


def _answer(s: Setting, natural: Setting, v: Verdict, r: Round, binding: Binding) -> Verdict:
    """One obligation at one site: proved, refuted with a witness, or undecided.

    What callers keep is taken as kept first: where nothing is proved with it, nothing is without it.
    """
    best = questions.again(natural, v.obligation, r.named)
    if best is None:
        return replace(v, site=s.site)
    held = best.kind == PROVED
    new = questions.again(s, v.obligation, r.named) if held and natural is not s else best
    if new is not None and new.kind == PROVED:
        return replace(new, site=s.site)
    if usual.excused(s, v, r.named):
        return replace(v, site=s.site, assumptions=(USUAL_INPUTS,))
    if usual.solid(s, v, r.named):
        return replace(v, kind=PROVED, clauses=(), site=s.site, assumptions=(USUAL_INPUTS,))
    told = _told(s, v, binding)
    if told is not None:
        return told
    if held:
        outside = callers.keeping(s, natural, v, r.verdicts)
        if v.kind == UNDER and outside is not None and _proved(outside, v, r):
            return replace(v, site=s.site, assumptions=(FITTING_INPUTS,))
        return replace(v, kind=UNDECIDED, site=s.site, reason=UNESTABLISHED)
    return _sought(s, natural, v, best.reason or v.reason, binding)


def _open(s: Setting, natural: Setting, v: Verdict, r: Round, reason: str, binding: Binding) -> Verdict:
    """An obligation that another view of the launch left open for a reason: refuted, or open here too."""
    told = _told(s, v, binding)
    if told is not None:
        return told
    if reason == UNESTABLISHED and _proved(natural, v, r):
        return replace(v, kind=UNDECIDED, site=s.site, reason=reason)  # callers keep it: no witness
    return _sought(s, natural, v, reason, binding)


def _told(s: Setting, v: Verdict, binding: Binding) -> Verdict | None:
    """A refutation by what the code says that an array holds: no clause on its contents excuses that."""
    asked = sentinels.ask(s, v.obligation) if binding.exact and s.budget.models > 0 else None
    w = find(s, asked) if asked is not None else None
    return None if w is None else _refuted(s, v, w)


def _sought(s: Setting, natural: Setting, v: Verdict, reason: str, binding: Binding) -> Verdict:
    """An obligation that is not proved: refuted with a witness, or undecided for a reason."""
    places = v.obligation.property in ("in-range", "disjoint")  # a width only limits how large inputs are
    defaults = usual.at_defaults(natural) if places else None
    for at in (usual.sensible(natural), defaults) if binding.exact else ():
        if at is None or not questions.open_to_search(at, v.obligation) or not of_launch(at, v.obligation):
            continue
        w = questions.refute(at, v.obligation)
        if w is not None:
            return _refuted(s, v, w)
    return replace(v, kind=UNDECIDED, site=s.site, reason=reason)


def _refuted(s: Setting, v: Verdict, w: Witness) -> Verdict:
    return Verdict(v.obligation, REFUTED, witness=w, site=s.site, clauses=v.clauses, rung="search")
