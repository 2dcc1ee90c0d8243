"""What upper bounds by elimination start from: the cheap rung, and where clauses come from.

To show `p <= 0` under constraints `g_i <= 0` it looks for a certificate

    p * s == p' + sum(c_i * g_i),   s > 0, each c_i a non-negative term

with the unwanted atoms gone from `p'`. Then `p' <= 0` implies `p <= 0` (each `c_i * g_i <= 0`), so
that `p'` is either settled by static bounds, a proof, or a sufficient condition over what was kept:
a clause. The search for one is in `eliminate`. The multipliers are integers times monomials whose
atoms are known not to be negative. Sound in that direction only: no certificate says nothing about the goal.
Source: Fourier-Motzkin elimination along one goal, with products by non-negative factors (a
fragment of Handelman's theorem).
"""

from __future__ import annotations

from collections.abc import Callable

from gpulint.term import (
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Junction,
    add,
    conjuncts,
    exact,
    mul,
    neg,
    sub,
    subst,
)
from gpulint.term.build import ONE, monomial, of_atom
from gpulint.term.walk import atoms


def upper(cond: Bool) -> list[Int]:
    """The polynomials that `cond` says are at most zero; what is no conjunction of them is left out."""
    out: list[Int] = []
    for c in conjuncts(cond):
        if isinstance(c, Cmp) and c.op in ("le", "eq"):
            out.extend(_spread(c.poly))
            if c.op == "eq":
                out.extend(_spread(neg(c.poly)))
        elif isinstance(c, Junction) and c.op == "or":
            out.extend(_common(c))
    return out


def _common(c: Junction) -> list[Int]:
    """Bounds that every branch of a disjunction gives, up to the constant: the weakest one."""
    first, *rest = [upper(a) for a in c.args]
    out = []
    for p in first:
        worst = p.constant
        for other in rest:
            same = [q.constant for q in other if sub(q, p).value is not None]
            if not same:
                break
            worst = min(worst, max(same))
        else:
            out.append(add(p, worst - p.constant))
    return out


def _spread(p: Int, depth: int = 3) -> list[Int]:
    """`p <= 0` with `max` (positive) and `min` (negative) replaced by each argument in turn."""
    if depth:
        for mono, coeff in p.terms:
            a = mono[0] if len(mono) == 1 else None
            if isinstance(a, App) and a.op == ("max" if coeff > 0 else "min"):
                parts = [add(sub(p, mul(coeff, of_atom(a))), mul(coeff, x)) for x in a.args]
                return [q for part in parts for q in _spread(part, depth - 1)] + [p]
    return [p]


def multiplied(p: Int, proved: Callable[[Int], bool]) -> list[Int]:
    """Goals `q <= 0` that give `p <= 0`, one quotient of it multiplied out by its divisor.

    For integers and a factor `t >= 1` (`proved(1 - t)`), `p <= 0` is `t * p < t`. With a quotient of divisor
    `w == t * k` and `k >= 1`, a goal `k * (x // w) + rest <= 0` follows from `x + t * rest < t`, since
    `w * (x // w) <= x`, and `rest - k * (x // w) <= 0` from `t * rest + w <= x + t`, since
    `x - w < w * (x // w)`. With `k == 1` this is exact. Elimination rounds no fractions up; so it need not.
    """
    out = []
    for m, c in p.terms:
        for a in m:
            if not isinstance(a, App) or a.op != "floordiv":
                continue
            x, w = a.args
            factor = exact(w, mul(monomial(tuple(b for b in m if b is not a)), abs(c)))
            rest = sub(p, mul(monomial(m), c))
            if factor is None or m.count(a) > 1 or a in atoms(rest):
                continue
            if not proved(sub(ONE, factor)) or not (len(m) == 1 == abs(c) or proved(sub(ONE, w))):
                continue
            scaled = mul(factor, rest)
            out.append(add(x, sub(scaled, factor), ONE) if c > 0 else add(sub(sub(scaled, x), factor), w))
    return out


def extremes(p: Int, proved: Callable[[Int], bool]) -> tuple[str, list[Int]] | None:
    """Replace one `min` or `max` of a goal `p <= 0` by its arguments: ('all' or 'any', goals).

    The min or max is one of its arguments wherever it stands, so that the goal for all of them is enough.
    One is enough where the goal can only grow by it: a min below every factor of the goal that is not
    negative, a max below those that are not positive, and neither of them anywhere else. `proved(q)` says
    that `q <= 0` follows from what the goal may rest on.
    """

    def nonneg(a: Atom) -> bool:
        return (a.lo is not None and a.lo >= 0) or proved(neg(of_atom(a)))

    for mono, coeff in p.terms:
        for a in mono:
            if isinstance(a, App) and a.op in ("min", "max"):
                if len(mono) > 1 and not all(nonneg(b) for b in mono if b != a):
                    continue
                every = (a.op == "max") == (coeff > 0) or not _alone(p, a, coeff > 0, nonneg)
                return ("all" if every else "any"), [subst(p, {a: x}) for x in a.args]
    return None


def _alone(p: Int, a: App, positive: bool, nonneg: Callable[[Atom], bool]) -> bool:
    """Whether an atom occurs in a polynomial as a factor of non-negative others alone, with one sign."""
    for mono, coeff in p.terms:
        others = [b for b in mono if b != a]
        if any(a in atoms(of_atom(b)) for b in others):
            return False
        if len(others) < len(mono) and (
            len(mono) - len(others) > 1 or (coeff > 0) != positive or not all(map(nonneg, others))
        ):
            return False
    return True
