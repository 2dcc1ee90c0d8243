"""Goals split by the condition of a select, which is settled in all of the goal and its domain at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from gpulint.term import FALSE, Bool, Int, Junction, and_, apps, conjuncts, not_, subst

T = TypeVar("T", Int, Bool)
Halves = dict[tuple[Bool, Bool], list[tuple[bool, Bool]]]  # by domain and condition: whether it holds, domain
NESTED = 8  # selects by one condition within each other


def split(domain: Bool, p: Int, known: Halves) -> list[tuple[Bool, Int]] | None:
    """The two cases (domain, goal `<= 0`) by the condition of one select; None where there is no select.

    A select of the goal comes first, then one of the domain. Exact: the goal holds on the domain where it
    holds in both cases; a case that cannot be is left out. `known`: how domains were split before.
    """
    c = condition(domain, p)
    if c is None:
        return None
    halves = known.get((domain, c))
    if halves is None:
        halves = known[domain, c] = _halves(domain, c)
    return [(inside, settled(p, c, holds)) for holds, inside in halves]


def condition(domain: Bool, p: Int) -> Bool | None:
    """The condition by which a goal and its domain are split; None without a select."""
    selects = (a for t in (p, domain) for a in apps(t, op="select"))
    return next((c for a in selects for c in a.args[:1] if isinstance(c, Bool)), None)


def resolved(facts: Iterable[Bool], domain: Bool) -> list[Bool]:
    """The facts, of disjunctions that the domain leaves one part of that part."""
    said = set(conjuncts(domain))
    out = []
    for f in facts:
        if isinstance(f, Junction) and f.op == "or":
            left = [a for a in f.args if not_(a) not in said]
            f = left[0] if len(left) == 1 else f
        out.append(f)
    return out


def _halves(domain: Bool, c: Bool) -> list[tuple[bool, Bool]]:
    both = ((h, and_(settled(domain, c, h), said)) for h, said in ((True, c), (False, not_(c))))
    return [(holds, inside) for holds, inside in both if inside != FALSE]


def settled(term: T, c: Bool, holds: bool) -> T:
    """The term where the condition is known: selects by it, or by its negation, are what they choose."""
    other = not_(c)
    for _ in range(NESTED):
        known = {
            a: a.args[1 if (a.args[0] == c) == holds else 2]
            for a in apps(term, op="select")
            if a.args[0] in (c, other)
        }
        if not known:
            break
        term = subst(term, known)
    return term
