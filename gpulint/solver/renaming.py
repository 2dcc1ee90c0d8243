"""Two accesses of one form in different loops: the counters of the second named as those of the first.

`for i in ...: store(row + i * B + lane)` on one branch and the same loop over `j` on the other have
subscripts that differ in nothing but the counter's name. A counter is a variable of its access alone: each of
the two points has a value of its own for it, so naming it otherwise changes nothing, as long as the name is
free there and nothing else is said of either counter: both have the same static bounds, and no fact beside
the access's own domain mentions them. Counters of loops that hold both accesses keep their names.
"""

from __future__ import annotations

from itertools import permutations

from gpulint.dataflow.access import Access
from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.term import Int, Sym, subst, symbols
from gpulint.term.build import of_atom

MAX_COUNTERS = 3  # of each access that the other lacks


def alike(s: Setting, a: Seen, b: Seen) -> Seen | None:
    """The second view with counters named as the first's, where its subscripts are the same then; or None."""
    if not isinstance(a.source, Access) or not isinstance(b.source, Access):
        return None
    mine, theirs = _own(a, b), _own(b, a)
    if not mine or len(mine) != len(theirs) or len(mine) > MAX_COUNTERS:
        return None
    told = symbols(*s.prover.facts)
    if told.intersection((*mine, *theirs)):
        return None
    for order in permutations(mine):
        pairs = list(zip(theirs, order, strict=True))
        if any((x.lo, x.hi) != (y.lo, y.hi) for x, y in pairs):
            continue
        renamed = _renamed(b, {x: of_atom(y) for x, y in pairs})
        if renamed.subscripts == a.subscripts:
            return renamed
    return None


def _renamed(b: Seen, to: dict[Sym, Int]) -> Seen:
    return b.mapped(lambda c: subst(c, to), lambda x: subst(x, to))


def _own(a: Seen, b: Seen) -> list[Sym]:
    """The counters in the subscripts of the first, of loops that do not hold the second."""
    assert isinstance(a.source, Access) and isinstance(b.source, Access)
    shared = symbols(b.domain, *b.subscripts) | {x.counter for x in b.source.loops}
    used = symbols(*a.subscripts)
    return [x.counter for x in a.source.loops if x.counter in used and x.counter not in shared]
