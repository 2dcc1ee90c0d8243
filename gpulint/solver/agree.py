"""Writes of one value by several threads, told apart from conflicts.

Two plain writes that meet in an element and always store the same value leave it the same in either
order. A value is known when it is an integer that is understood, or a named function of such integers
(a constant, a parameter, an element of an array that nobody writes).
"""

from __future__ import annotations

from gpulint.interp.launch import SAME_VALUE, Violation
from gpulint.solver import space
from gpulint.solver.pairs import Pair
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import Obligation
from gpulint.term import Bool, Sym, apps, ne


def differ(s: Setting, p: Pair, one: frozenset[Sym]) -> Bool | None:
    """The two points store different values; None when that is not known or makes no difference.

    `one` are the symbols that are one for both points.
    """
    if p.kind != "write-write" or s.tiles or p.first.value is None or p.second.value is None:
        return None
    first, second = s.term(p.first.value), s.term(p.second.value)
    return ne(space.twin(first, 1, one), space.twin(second, 2, one))


def harmless(o: Obligation, found: Violation) -> bool:
    """Whether a race that was seen stored one value, and no other contents of arrays could change that."""
    if found.detail != SAME_VALUE or o.access is None or o.other is None:
        return False
    a, b = o.access.value, o.other.value
    return a is not None and b is not None and not any(apps(a, b, op=op) for op in ("load", "fn"))


def alike(o: Obligation) -> bool:
    """Whether programs that meet in a store may all store the same there: then the race need not matter."""
    same = o.property == "disjoint" and o.access is not None and o.access is o.other
    return same and o.access is not None and o.access.alike and o.scope != "lanes"
