"""Goals split by the condition of a select, which is settled in all of the goal and its domain at once."""

from __future__ import annotations

from typing import TypeVar

from gpulint.term import FALSE, App, Bool, Int, and_, not_, subst
from gpulint.term.walk import atoms

T = TypeVar("T", Int, Bool)
NESTED = 8  # selects by one condition within each other


def split(domain: Bool, p: Int) -> list[tuple[Bool, Int]] | None:
    """The two cases (domain, goal `<= 0`) by the condition of one select; None where there is no select.

    A select of the goal comes first, then one of the domain. Exact: the goal holds on the domain where it
    holds in both cases; a case that cannot be is left out.
    """
    selects = (a for t in (p, domain) for a in atoms(t) if isinstance(a, App) and a.op == "select")
    c = next((a.args[0] for a in selects), None)
    if c is None:
        return None
    out = []
    for holds, said in ((True, c), (False, not_(c))):
        inside = and_(settled(domain, c, holds), said)
        if inside != FALSE:
            out.append((inside, settled(p, c, holds)))
    return out


def settled(term: T, c: Bool, holds: bool) -> T:
    """The term where the condition is known: selects by it, or by its negation, are what they choose."""
    other = not_(c)
    for _ in range(NESTED):
        known = {
            a: a.args[1 if (a.args[0] == c) == holds else 2]
            for a in atoms(term)
            if isinstance(a, App) and a.op == "select" and a.args[0] in (c, other)
        }
        if not known:
            break
        term = subst(term, known)
    return term
