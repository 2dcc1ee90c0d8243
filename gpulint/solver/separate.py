"""Arrays that the proofs take as distinct memory.

Accesses of different array parameters are never compared: that they do not meet rests on the parameters'
memory being apart. Where a launch is in view the host code may show it; what it leaves to a caller, and
every parameter of a kernel that nothing in view launches, rests on the assumption `distinct-arrays`, or
else on a clause that a launch has to keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, AccessSet
from gpulint.solver.options import DISTINCT_ARRAYS
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import UNDER, Obligation, Verdict

GLOBAL = "global"


def conflicts(accesses: AccessSet, first: str, second: str) -> Iterator[tuple[Access, Access]]:
    """The accesses of two arrays that would race where they meet, the writing one first."""
    for x in accesses.accesses:
        for y in accesses.accesses:
            if x.array.name != first or y.array.name != second or {x.mode, y.mode} in ({"read"}, {"atomic"}):
                continue
            yield (x, y) if x.mode != "read" else (y, x)


def declared_apart(clauses: Sequence[Clause], a: str, b: str) -> bool:
    """Whether a clause says that these two share no element."""
    return any(c.predicate == "noalias" and {a, b} <= set(c.arrays) for c in clauses)


def parameters(s: Setting) -> list[Verdict]:
    """Clauses that keep apart the parameters in which accesses would race, where no launch is in view."""
    given = [p.name for p in s.kernel.params if p.name in s.accesses.arrays]
    out = []
    for a, b in combinations(given, 2):
        if not declared_apart(s.premises, a, b) and any(conflicts(s.accesses, a, b)):
            o = Obligation("no-alias", "distinct", s.kernel.span)
            clause = Clause(predicate="noalias", arrays=(a, b))
            out.append(Verdict(o, UNDER, clauses=(clause,), rung="clause"))
    return out


def assumed(s: Setting) -> bool:
    return DISTINCT_ARRAYS in s.options.assume
