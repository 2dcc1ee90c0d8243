"""Upper bounds of polynomials by elimination: the cheap rung, and where clauses come from.

To show `p <= 0` under constraints `g_i <= 0` it looks for a certificate

    p * s == p' + sum(c_i * g_i),   s > 0, each c_i a non-negative term

with the unwanted atoms gone from `p'`. Then `p' <= 0` implies `p <= 0` (each `c_i * g_i <= 0`), so
that `p'` is either settled by static bounds, a proof, or a sufficient condition over what was kept:
a clause. The multipliers are integers times monomials whose atoms are known not to be negative.
Sound in that direction only: no certificate says nothing about the goal.
Source: Fourier-Motzkin elimination along one goal, with products by non-negative factors (a
fragment of Handelman's theorem).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence

from gpulint.term import (
    ZERO,
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Junction,
    add,
    conjuncts,
    const,
    mul,
    neg,
    sub,
    subst,
)
from gpulint.term.build import ONE, monomial, of_atom
from gpulint.term.interval import Interval, bounds, meet
from gpulint.term.node import Mono
from gpulint.term.walk import atoms

Keep = Callable[[Atom], bool]
NODES = 80  # search steps for one goal
SETTLE = 16  # of them, for a goal over kept atoms
MAX_TERMS = 24  # monomials of a polynomial worth going on with
HUGE = 2**24
FOUND = 6  # candidates for one goal


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


def definitions(terms: Iterable[Int]) -> list[Int]:
    """Constraints that define the quotients, remainders and extremes in the terms.

    The terms themselves may be constraints (at most zero): lower bounds that they state of single
    atoms are used to see that a divisor is positive or a dividend not negative.
    """
    terms = list(terms)
    low = floors(terms)
    out: list[Int] = []
    for a in atoms(*terms):
        if not isinstance(a, App):
            continue
        t = of_atom(a)
        if a.op in ("floordiv", "mod") and at_least(a.args[1], low, 1):
            x, w = a.args
            positive = at_least(x, low, 0)
            if a.op == "floordiv":
                out += [sub(mul(w, t), x), sub(add(x, ONE), add(mul(w, t), w))]
                out += _quotient_bounds(t, x, w, terms)
                out += [neg(t)] if positive else []
            else:
                out += [add(sub(t, w), ONE), neg(t)]
                out += [sub(t, x)] if positive else []
        elif a.op == "min":
            out += [sub(t, x) for x in a.args]
        elif a.op == "max":
            out += [sub(x, t) for x in a.args]
    return out


def floors(constraints: Iterable[Int]) -> dict[Atom, int]:
    """Lower bounds of single atoms that constraints `k - a + rest <= 0` give, rest bounded below."""
    out: dict[Atom, int] = {}
    for g in constraints:
        for m, c in g.terms:
            if len(m) == 1 and c == -1:
                rest = add(g, of_atom(m[0]))
                if rest.lo is not None:
                    out[m[0]] = max(rest.lo, out.get(m[0], rest.lo))
    return out


def at_least(t: Int, low: dict[Atom, int], floor: int) -> bool:
    """Whether a term is at least a number by static bounds and lower bounds of atoms."""
    if t.lo is not None and t.lo >= floor:
        return True
    found = bounds(t, {a: (k, None) for a, k in low.items()})[0]
    return found is not None and found >= floor


def _quotient_bounds(t: Int, x: Int, w: Int, cons: list[Int]) -> list[Int]:
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
            rest = [(tuple(_minus(m, (top,))), c) for m, c in limit.terms if m]
            height = add(*(mul(monomial(m), c) if m else const(c) for m, c in rest))
            out.append(add(sub(t, height), ONE))
    return out


class Bounder:
    """Constraints indexed for elimination; those on single atoms become bounds of the atoms."""

    def __init__(self, constraints: Sequence[Int]) -> None:
        self.constraints = list(dict.fromkeys(constraints))
        self.by_mono: dict[tuple[Mono, bool], list[tuple[Int, int]]] = {}
        self.edges: dict[Atom, Interval] = {}
        floor = floors(self.constraints)
        for a, low in floor.items():
            self.edges[a] = (low, None)
        for g in self.constraints:
            single = _single(g)
            if single is not None:
                a, edge = single
                self.edges[a] = meet(self.edges.get(a, (None, None)), edge)
                continue
            for m, c in g.terms:
                if m:
                    self.by_mono.setdefault((m, c > 0), []).append((g, c))

    def edge(self, a: Atom) -> Interval:
        return meet((a.lo, a.hi), self.edges.get(a, (None, None)))

    def nonneg(self, m: Mono) -> bool:
        return all((low := self.edge(a)[0]) is not None and low >= 0 for a in m)

    def proves(self, p: Int) -> bool:
        """Whether `p <= 0` follows."""
        return self.reduce(p, _none, 1) == [ZERO]

    def _negative(self, p: Int) -> bool:
        """Whether `p <= 0` by the bounds of its atoms alone."""
        if p.hi is not None:
            return p.hi <= 0 or (bool(self.edges) and self._top(p) <= 0)
        return bool(self.edges) and self._top(p) <= 0

    def _top(self, p: Int) -> float:
        high = bounds(p, self.edges)[1]
        return math.inf if high is None else high

    def reduce(self, p: Int, keep: Keep, wanted: int = FOUND) -> list[Int]:
        """Polynomials `p'` with `p' <= 0` sufficient for `p <= 0`, unwanted atoms gone.

        A proof comes back as the only one, `ZERO`. The order is that of discovery.
        """
        found: list[Int] = []
        hopeless: list[Int] = []
        seen = {p}
        queue = [(0, 0, p)]
        steps = 0
        while queue and steps < NODES and len(found) < wanted:
            q = heapq.heappop(queue)[2]
            steps += 1
            if self._negative(q):
                return [ZERO]
            m = self._pick(q, keep)
            if m is None:
                if q.value is not None:
                    hopeless.append(q)  # this way leads nowhere, another may
                    continue
                if self._settle(q):
                    return [ZERO]
                found.append(q)
                continue
            for n in self._options(q, m, edges=keep is not _none):
                if n not in seen and len(n.terms) <= MAX_TERMS:
                    seen.add(n)
                    loose = sum(1 for mono, _ in n.terms if not all(keep(a) for a in mono))
                    heapq.heappush(queue, (2 * loose + len(n.terms), len(seen), n))
        return found + hopeless[:1]

    def _settle(self, q: Int) -> bool:
        """Whether a polynomial over kept atoms is at most zero by the constraints at hand."""
        stack, seen, steps = [q], {q}, 0
        while stack and steps < SETTLE:
            r = stack.pop(0)
            steps += 1
            if self._negative(r):
                return True
            for m, _ in r.terms:
                if m:
                    for n in self._options(r, m, edges=False):
                        if n not in seen and len(n.terms) <= len(q.terms) + 2:
                            seen.add(n)
                            stack.append(n)
        return False

    @staticmethod
    def _pick(p: Int, keep: Keep) -> Mono | None:
        """The monomial to eliminate next: the longest that holds an unwanted atom."""
        best: Mono | None = None
        for m, _ in p.terms:
            if m and not all(keep(a) for a in m) and (best is None or len(m) > len(best)):
                best = m
        return best

    def _options(self, p: Int, m: Mono, edges: bool) -> list[Int]:
        """Polynomials at least `p` (up to a positive factor) without `m`, fewest monomials first.

        `edges`: also put the bounds of single atoms in their place (bounds beyond HUGE apart, which say
        nothing of the code).
        """
        c = next(k for mono, k in p.terms if mono == m)
        out: list[Int] = []
        parts = {m, *((a,) for a in m)} if len(m) > 1 else {m}
        if len(m) == 3:
            parts |= {(m[0], m[1]), (m[0], m[2]), (m[1], m[2])}
        for part in sorted(parts, key=lambda q: (-len(q), [a.order for a in q])):
            rest = _minus(m, part)
            if not self.nonneg(rest):
                continue
            factor = monomial(rest)
            for g, k in self.by_mono.get((part, c > 0), ()):
                if len(g.terms) > len(p.terms) + 4:
                    continue
                scale = math.lcm(abs(c), abs(k))
                out.append(sub(mul(p, scale // abs(c)), mul(mul(g, factor), scale // abs(k))))
            if len(part) == 1:
                low, high = self.edge(part[0])
                bound = high if c > 0 else low
                if bound is not None and (edges or rest) and abs(bound) <= HUGE:
                    out.append(sub(p, mul(mul(sub(of_atom(part[0]), const(bound)), factor), c)))
        out.sort(key=lambda q: len(q.terms))
        return out


def _single(g: Int) -> tuple[Atom, Interval] | None:
    """A constraint on one atom alone, as its bounds."""
    named = [(m, c) for m, c in g.terms if m]
    if len(named) != 1 or len(named[0][0]) != 1:
        return None
    (a,), c = named[0]
    k = g.constant
    return (a, (None, -k // c)) if c > 0 else (a, (-(k // c), None))


def _none(_: Atom) -> bool:
    return False


def _minus(m: Mono, part: Mono) -> Mono:
    left = list(m)
    for a in part:
        left.remove(a)
    return tuple(left)


def extremes(p: Int) -> tuple[str, list[Int]] | None:
    """Replace one `min` or `max` of a goal `p <= 0` by its arguments: ('all' or 'any', goals).

    Exact: with a positive coefficient a max needs all of its arguments, a min any of them.
    """
    for mono, coeff in p.terms:
        for a in mono:
            if isinstance(a, App) and a.op in ("min", "max"):
                if len(mono) > 1 and not all(b.lo is not None and b.lo >= 0 for b in mono if b != a):
                    continue
                every = (a.op == "max") == (coeff > 0)
                return ("all" if every else "any"), [subst(p, {a: x}) for x in a.args]
    return None


def choices(p: Int) -> tuple[Bool, Int, Int] | None:
    """Split one `select` of a goal: (condition, goal when it holds, goal when it does not)."""
    for a in atoms(p):
        if isinstance(a, App) and a.op == "select":
            return a.args[0], subst(p, {a: a.args[1]}), subst(p, {a: a.args[2]})
    return None
