"""Obligation initialised, for tile kernels: lanes that a load leaves out reach no result.

A lane outside the mask of a load without `other` has no value. Each way in which a use depends on a lane
(`dataflow.padding`) must imply that the mask holds there. A witness is a launch on which the interpreter
sees such a lane being stored, combined with others or deciding something. Where neither is found for any
parameters, what makes the mask hold (`K` a multiple of the block) is a clause of the contract.

Padding with zero is a value, and a wrong one where it takes part in a sum of exponentials or, unless no
element is on the other side of zero, in an extreme. That is told where a launch shows it, and is nothing
to prove otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import EXPONENTIALS, LeftOut
from gpulint.interp.launch import UNDEFINED_LANE
from gpulint.solver import search, segments, tails
from gpulint.solver.ranges import settle
from gpulint.solver.residual import EXACT, Named, extreme, rank, special
from gpulint.solver.search import Ask
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, UNDER, Obligation, Verdict, Witness
from gpulint.term import Bool, Cmp, Literal, Scope, apps, conjuncts, le, not_, or_, show, symbols

if TYPE_CHECKING:
    from gpulint.solver.sites import SiteRound

CLAUSES = "clauses"
LANES, PADDING, EXTREME = "lanes", "padding", "extreme"  # kinds of obligations


def obligations(s: Setting) -> list[Obligation]:
    """One question for each load without `other` and each use of it."""
    return [_about(x) for x in s.accesses.left_out if not x.wins]


def _about(x: LeftOut) -> Obligation:
    kind = (PADDING if x.wins == EXPONENTIALS else EXTREME) if x.wins else LANES
    return Obligation("initialised", kind, x.load.span, access=x.load, lanes=x)


def again(s: Setting, o: Obligation) -> Verdict:
    """The verdict on one load and use in a setting."""
    x = o.lanes
    assert x is not None
    rungs = [_shown(s, x, i) for i in range(len(x.cases))]
    if x.whole and all(rungs):
        return Verdict(o, PROVED, rung="z3" if "z3" in rungs else "bounds")
    return Verdict(o, UNDECIDED, reason=f"they may reach {_use(x)}")


def decide(s: Setting, o: Obligation, named: Named) -> Verdict:
    """The verdict for any parameters: where lanes may be left out, under the clauses by which none is.

    Sound since each case is asked for on its own: its clauses imply the mask wherever the use depends on the
    lane. Clauses true of special sizes alone are none.
    """
    x, v = o.lanes, again(s, o)
    assert x is not None
    if v.kind == PROVED or not x.whole:
        return v
    asked: dict[Clause, list[frozenset[Bool]]] = {}
    for case in x.cases:
        for goal in conjuncts(s.term(case.inside)):
            clauses = _asked(s, s.term(case.domain), goal, named)
            if clauses is None:
                return v
            for flags, c in clauses:
                asked.setdefault(c, []).append(flags)
    found = [_where(c, flags) for c, ways in asked.items() for flags in _merged(ways)]
    return Verdict(o, UNDER, clauses=tuple(dict.fromkeys(found)), rung=CLAUSES)


def _flag(c: Bool, named: Named) -> bool:
    """Whether a condition is a flag that the host can tell, or that a parameter is some number or not."""
    own = symbols(c)
    told = bool(own) and not apps(c) and all(x.scope is Scope.LAUNCH for x in own)
    plain = isinstance(c, Literal) or (isinstance(c, Cmp) and c.op in ("eq", "ne"))
    return told and plain and all(x.boolean or x in named.symbols for x in own)


def _merged(ways: list[frozenset[Bool]]) -> list[frozenset[Bool]]:
    """The flags under which a clause is asked: one that is asked either way is left out."""
    for a, b in itertools.combinations(ways, 2):
        rest = [w for w in ways if w not in (a, b)]
        if a <= b or b <= a:
            return _merged([*rest, a & b])
        if len(a - b) == 1 and {not_(c) for c in a - b} == b - a:
            return _merged([*rest, a & b])
    return ways


def _where(c: Clause, flags: frozenset[Bool]) -> Clause:
    """The clause where flags are so, in which alone it is needed."""
    if c.predicate or not flags:
        return c
    return Clause(or_(*map(not_, sorted(flags, key=show)), c.condition))


def _asked(s: Setting, domain: Bool, goal: Bool, named: Named) -> list[tuple[frozenset[Bool], Clause]] | None:
    """Clauses under which one comparison of a mask holds, and the flags where each is asked; None if unknown.

    Where no clauses say it for all ways that the host's flags go, each way is asked for its own.
    """
    ways: list[tuple[Bool, Bool]] = [(domain, goal)]
    found = [_whole(s, domain, goal, named)]
    if found == [None] and isinstance(goal, Cmp) and goal.op == "le":
        ways = [(inside, le(p, 0)) for inside, p in segments.ways(domain, goal.poly)]
        found = [_whole(s, *way, named) for way in ways] if len(ways) > 1 else found
    out: list[tuple[frozenset[Bool], Clause]] = []
    for (inside, _), clauses in zip(ways, found, strict=True):
        if clauses is None:
            return None
        flags = frozenset(c for c in conjuncts(inside) if _flag(c, named))
        out += [(flags, c) for c in clauses]
    return out


def _whole(s: Setting, domain: Bool, goal: Bool, named: Named) -> list[Clause] | None:
    """The clauses under which a comparison holds in a domain; none if it does anyway; None if unknown."""
    answer = settle(s, domain, goal, named, _fair)
    if answer.how:
        return []
    last = tails.whole(s.prover, domain, goal, named)
    if last is not None:
        return [last]
    return list(answer.clauses) or None


def _fair(c: Clause) -> bool:
    """Whether a clause is more than a limit of the hardware or true of a few sizes alone."""
    return rank(c) < EXACT or (isinstance(c.condition, Cmp) and not (special(c.condition.poly) or extreme(c)))


def on_clauses(v: Verdict) -> bool:
    """Whether a verdict rests on clauses that ask a mask to hold on all lanes."""
    return v.kind == UNDER and v.rung == CLAUSES and v.obligation.lanes is not None


def for_launch(s: Setting, v: Verdict) -> bool:
    """Whether a verdict rests on clauses on masks that an unseen launch of the usual kind may break.

    Not those that relate parameters of the kernel without its tiles (`out_rows <= in_cols` for a load and
    a store with masks of their own): as all data clauses they are for the launch to keep.
    """
    return on_clauses(v) and not all(c in s.premises or _relates(s, c) for c in v.clauses)


def _relates(s: Setting, c: Clause) -> bool:
    """Whether a clause bounds one parameter by others, and neither tiles nor the launch's size are in it."""
    used = symbols(c.condition)
    bound = isinstance(c.condition, Cmp) and c.condition.op == "le" and len(used) > 1
    return bound and not used & (s.tile_sizes | symbols(*search.geometry(s))) and not apps(c.condition)


def _use(x: LeftOut) -> str:
    known = {"subscript": "a subscript", "mask": "a mask", "branch": "a branch", "loop": "a loop's bounds"}
    return known.get(x.what, f"the {x.what} of line {x.span.row}")


def _shown(s: Setting, x: LeftOut, i: int) -> str:
    """How it was shown that in one case the mask holds, or ''."""
    case = x.cases[i]
    quick = s.prover.prove(s.term(case.domain), s.term(case.inside), z3_too=False)
    return quick or ("z3" if s.prover.unsat(s.see(case.where).domain) else "")


def refute(s: Setting, o: Obligation) -> Witness | None:
    """A replayed launch on which a lane that the load leaves out is used."""
    assert o.lanes is not None
    for ask in _asks(s, o, o.lanes):
        found = search.find(s, ask)
        if found is not None:
            return found
    return None


def _asks(s: Setting, o: Obligation, x: LeftOut) -> Iterator[Ask]:
    for case in x.cases:
        seen = s.see(case.where)
        yield Ask(o, (seen.domain,), (seen,), UNDEFINED_LANE, x.load.array.name)


def check(a: SiteRound) -> None:
    """Add the zero paddings that win at one launch site."""
    s = a.setting
    if not a.reason and s.site is not None and s.site.exact:
        a.extra += _padded(s)


def usual(s: Setting) -> list[Verdict]:
    """The zero paddings that win in a usual launch, where none is in view."""
    return _padded(s) if any(x.wins for x in s.accesses.left_out) else []


def _padded(s: Setting) -> list[Verdict]:
    out = []
    for x in s.accesses.left_out:
        if x.wins:
            o = _about(x)
            w = refute(s, o)
            if w is not None:
                geometry = s.site is None
                out.append(Verdict(o, REFUTED, witness=w, site=s.site, geometry=geometry, rung="search"))
    return out
