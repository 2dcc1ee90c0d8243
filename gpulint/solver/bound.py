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

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

from gpulint.solver import ceilings
from gpulint.solver.flat import without
from gpulint.term import (
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Junction,
    add,
    conjuncts,
    const,
    exact,
    floordiv,
    mul,
    neg,
    sub,
    subst,
)
from gpulint.term.build import ONE, monomial, of_atom
from gpulint.term.interval import Bounds, bounds, of_terms, scale
from gpulint.term.node import Mono
from gpulint.term.walk import atoms

MAX_QUOTIENTS = 6  # by one divisor that are compared with each other


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


def definitions(constraints: Sequence[Int], *goals: Int) -> list[Int]:
    """Constraints that define the quotients, remainders and extremes in constraints and goals.

    Lower bounds that the constraints (at most zero) state of single atoms are used to see that a
    divisor is positive or a dividend not negative. A goal is not known to be at most zero, so it states
    nothing: `w >= 1` must not follow from a quotient by `w` that was read as one by a positive number.
    """
    low = floors(constraints)
    tops = ceilings.tops(constraints)
    out: list[Int] = []
    found = list(atoms(*goals, *constraints))
    for a in found:
        if not isinstance(a, App):
            continue
        t = of_atom(a)
        if a.op in ("floordiv", "mod") and at_least(a.args[1], low, 1):
            x, w = a.args
            positive = at_least(x, low, 0)
            if a.op == "floordiv":
                out += [sub(mul(w, t), x), sub(add(x, ONE), add(mul(w, t), w))]
                out += _quotient_bounds(t, x, w, constraints)
                out += ceilings.quotient(a, constraints, tops, lambda y: at_least(y, low, 0))
                out += [neg(t)] if positive else []
            else:
                out += [add(sub(t, w), ONE), neg(t)]
                out += [sub(t, x)] if positive else []
                q = floordiv(x, w)
                if q.atom in found:  # x == w * (x // w) + x % w
                    out += [sub(add(mul(w, q), t), x), sub(x, add(mul(w, q), t))]
        elif a.op == "min":
            out += [sub(t, x) for x in a.args]
        elif a.op == "max":
            out += [sub(x, t) for x in a.args]
    return out + _ordered_quotients(found, constraints, low)


def _ordered_quotients(found: Iterable[Atom], cons: Sequence[Int], low: dict[Atom, int]) -> list[Int]:
    """`x // w + k <= y // w` for quotients by one positive divisor where a constraint gives `x + k*w <= y`.

    Sound: floor division by w >= 1 is monotone, and `(x + k*w) // w == x // w + k`.
    """
    by: dict[Int, list[App]] = {}
    for a in found:
        if isinstance(a, App) and a.op == "floordiv" and at_least(a.args[1], low, 1):
            by.setdefault(a.args[1], []).append(a)
    out = []
    for w, quotients in by.items():
        for a, b in permutations(quotients[:MAX_QUOTIENTS], 2):
            gap = sub(a.args[0], b.args[0])
            ahead = next((k for k in (1, 0, -1) if _given(add(gap, mul(w, k)), cons)), None)
            if ahead is not None:
                out.append(add(sub(of_atom(a), of_atom(b)), ahead))
    return out


def _given(p: Int, cons: Sequence[Int]) -> bool:
    """Whether `p <= 0` by one constraint, or by static bounds."""
    if p.hi is not None and p.hi <= 0:
        return True
    open_ = [(m, c) for m, c in p.terms if of_terms(((m, c),))[1] is None]
    return any(_covers(g, open_) and (rest := sub(p, g)).hi is not None and rest.hi <= 0 for g in cons)


def _covers(g: Int, unbounded: Sequence[tuple[Mono, int]]) -> bool:
    """Whether taking a polynomial away leaves nothing of terms without an upper bound."""
    own = dict(g.terms)
    return all(own.get(m, 0) >= c if c > 0 else own.get(m, 0) <= c for m, c in unbounded)


def floors(constraints: Iterable[Int]) -> dict[Atom, int]:
    """Lower bounds of single atoms that constraints `k - a + rest <= 0` give, rest bounded below.

    A second pass uses what the first found: `n >= 1` and `n <= p` give `p >= 1`.
    """
    constraints = list(constraints)
    out: dict[Atom, int] = {}
    for _ in range(2):
        within = Bounds({a: (k, None) for a, k in out.items()})
        for g in constraints:
            if not any(c == -1 and len(m) == 1 for m, c in g.terms):
                continue
            lows = [scale(within.product(m), c)[0] for m, c in g.terms]
            unknown = lows.count(None)
            total = sum(low for low in lows if low is not None)
            for (m, c), low in zip(g.terms, lows, strict=True):
                if len(m) == 1 and c == -1 and unknown == (low is None):
                    least = total - (low or 0)
                    out[m[0]] = max(least, out.get(m[0], least))
    return out


def at_least(t: Int, low: dict[Atom, int], floor: int) -> bool:
    """Whether a term is at least a number by static bounds and lower bounds of atoms."""
    if t.lo is not None and t.lo >= floor:
        return True
    found = bounds(t, {a: (k, None) for a, k in low.items()})[0]
    return found is not None and found >= floor


def _quotient_bounds(t: Int, x: Int, w: Int, cons: Sequence[Int]) -> list[Int]:
    """`x // w <= h - 1` from a constraint `x <= h*w - 1`, for a symbolic divisor.

    Sound: `x < h*w` and `w >= 1` give `x // w < h`.
    """
    top = w.atom
    if top is None:
        return []
    out = []
    for g in cons:
        limit = sub(x, g)  # g <= 0 says x <= limit
        if limit.constant < 0 and all(top in m for m, _ in limit.terms if m) and len(limit.terms) > 1:
            rest = [(tuple(without(m, (top,))), c) for m, c in limit.terms if m]
            height = add(*(mul(monomial(m), c) if m else const(c) for m, c in rest))
            out.append(add(sub(t, height), ONE))
    return out


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


def extremes(p: Int) -> tuple[str, list[Int]] | None:
    """Replace one `min` or `max` of a goal `p <= 0` by its arguments: ('all' or 'any', goals).

    The min or max is one of its arguments wherever it stands, so that the goal for all of them is enough.
    One is enough where the goal can only grow by it: a min below every factor of the goal that is not
    negative, a max below those that are not positive, and neither of them anywhere else.
    """
    for mono, coeff in p.terms:
        for a in mono:
            if isinstance(a, App) and a.op in ("min", "max"):
                if len(mono) > 1 and not all(b.lo is not None and b.lo >= 0 for b in mono if b != a):
                    continue
                every = (a.op == "max") == (coeff > 0) or not _alone(p, a, coeff > 0)
                return ("all" if every else "any"), [subst(p, {a: x}) for x in a.args]
    return None


def _alone(p: Int, a: App, positive: bool) -> bool:
    """Whether an atom occurs in a polynomial as a factor of non-negative others alone, with one sign."""
    for mono, coeff in p.terms:
        others = [b for b in mono if b != a]
        if any(a in atoms(of_atom(b)) for b in others):
            return False
        if len(others) < len(mono) and (
            len(mono) - len(others) > 1
            or (coeff > 0) != positive
            or not all(b.lo is not None and b.lo >= 0 for b in others)
        ):
            return False
    return True
