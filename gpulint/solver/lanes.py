"""Obligation initialised, for tile kernels: lanes that a load leaves out reach no result.

A lane outside the mask of a load without `other` has no value. Each way in which a use depends on a lane
(`dataflow.padding`) must imply that the mask holds there. A witness is a launch on which the interpreter
sees such a lane being stored, combined with others or deciding something.

Padding with zero is a value, and a wrong one where it takes part in a sum of exponentials or, unless no
element is on the other side of zero, in an extreme. That is told where a launch shows it, and is nothing
to prove otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpulint.dataflow.access import EXPONENTIALS, LeftOut
from gpulint.interp.launch import UNDEFINED_LANE
from gpulint.solver import search
from gpulint.solver.search import Ask
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, Obligation, Verdict, Witness

if TYPE_CHECKING:
    from gpulint.solver.sites import SiteRound

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
