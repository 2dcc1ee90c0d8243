"""Goals shown with their quotients as plain numbers.

A goal that follows from a few conditions by arithmetic alone can be out of reach where each quotient in it
brings its definition along. With every quotient and remainder replaced by a symbol that has its static
bounds, the same one for the same term, conditions and goal say less: what holds for all values of the symbols
holds for the quotients. Conditions that speak of anything else than the goal does are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.solver.prover import Prover
from gpulint.term import App, Atom, Bool, Int, Scope, and_, subst, sym, symbols
from gpulint.term.walk import atoms

PATIENCE = 240  # steps of the elimination, which has few conditions to go by
QUOTIENTS = ("floordiv", "mod", "truncdiv", "truncmod")


def follows(prover: Prover, conditions: Sequence[Bool], goal: Bool) -> bool:
    """Whether the conditions give the goal, whatever the quotients in them are."""
    known: dict[Atom, Int | Bool] = {}
    for a in atoms(*conditions, goal):
        if isinstance(a, App) and a.op in QUOTIENTS:
            known[a] = sym(f"number {len(known)}", Scope.POINT, a.lo, a.hi)
    wanted = subst(goal, known)
    spoken = symbols(wanted)
    domain = and_(*(c for c in (subst(c, known) for c in conditions) if symbols(c) <= spoken))
    plain = Prover([], prover.rlimit, memo=prover.memo)
    plain.settle = PATIENCE
    return bool(plain.prove(domain, wanted, z3_too=False))
