"""Equations of two points, split by a radix into equations of their digits.

Where `E == 0` reads `R * Q + rest == 0` with `R > 0` and `-R < rest < R`, it follows that `rest == 0` and
`Q == 0`: otherwise |R * Q| would be at least R. `R` is a product of launch symbols that divides all of `Q`;
which one is tried decides what is found, never whether it holds. Unlike `radix`, the two points may have
subscripts of different form, as with `x[i]` and `x[i + half]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.solver.prover import Prover
from gpulint.term import FALSE, TRUE, ZERO, Bool, Cmp, Int, Scope, add, and_, eq, ge, le, mul, neg, symbols
from gpulint.term.build import monomial, of_atom
from gpulint.term.mono import without

MAX_RADICES = 6  # tried of one equation
MAX_STEPS = 12  # equations split in all


def derived(prover: Prover, conditions: Sequence[Bool]) -> list[Bool]:
    """Equations that follow from the conditions; FALSE among them when these contradict each other."""
    whole = and_(*conditions)
    work = [c.poly for c in conditions if isinstance(c, Cmp) and c.op == "eq"]
    out: list[Bool] = []
    for _ in range(MAX_STEPS):
        if not work:
            break
        parts = _split(prover, whole, work.pop())
        for p in parts:
            if eq(p, 0) == FALSE:
                return [FALSE]
        out += [eq(p, 0) for p in parts]
        work += parts
    return out


def _split(prover: Prover, whole: Bool, e: Int) -> list[Int]:
    for radix in _radices(e)[:MAX_RADICES]:
        q, rest = divided(e, radix)
        if rest == ZERO or q == ZERO or not prover.prove(TRUE, ge(radix, 1), z3_too=False):
            continue
        inside = (le(add(rest, 1), radix), le(add(neg(rest), 1), radix))
        if all(prover.prove(whole, goal, z3_too=False) for goal in inside):
            return [q, rest]
    return []


def divided(e: Int, radix: Int) -> tuple[Int, Int]:
    """The monomials that the radix divides, over it, and all others."""
    ((by, count),) = radix.terms
    q, rest = ZERO, ZERO
    for mono, coeff in e.terms:
        left = without(mono, by)
        if left is None or coeff % count:
            rest = add(rest, mul(monomial(mono), coeff))
        else:
            q = add(q, mul(monomial(left), coeff // count))
    return q, rest


def _radices(e: Int) -> list[Int]:
    """The factors of points' coordinates, the larger ones first."""
    found: dict[Int, None] = {}
    for mono, coeff in e.terms:
        loose = [a for a in mono if any(x.scope is not Scope.LAUNCH for x in symbols(of_atom(a)))]
        if len(loose) == 1:
            rest = list(mono)
            rest.remove(loose[0])
            found[mul(monomial(tuple(rest)), abs(coeff))] = None
    return sorted(found, key=_weight, reverse=True)


def _weight(radix: Int) -> tuple[int, int, str]:
    ((mono, coeff),) = radix.terms
    return len(mono), coeff, radix.order
