"""Terms to Z3: quotients and remainders made explicit, products of symbols uninterpreted.

Products become `mul(a, b)` with the instances of three lemmas that the products at hand suggest:

- sign: `a >= 0` and `b >= 0` give `mul(a, b) >= 0`;
- step: `a < b` and `w >= 0` give `mul(a, w) + w <= mul(b, w)`; with `w >= 1` this is injectivity and
  monotonicity, with a bounded second digit it is the radix lemma;
- unit: `mul(0, w) == 0`, `mul(1, w) == w`, `mul(q, w) >= w` from `q >= 1`, `<= -w` from `q <= -1`;
- commutativity, for products of two launch symbols;
- distributivity: `mul(a + b, w) == mul(a, w) + mul(b, w)`, where a product's factor is a sum.

Each lemma is true of real multiplication, so an unsatisfiable answer is a proof. A satisfiable one
says nothing until real products were put in. A quotient `x // w` is a fresh `q` with
`x == mul(q, w) + r`, `0 <= r < w` under `w >= 1`; where the divisor's sign is not known the quotient stays
an unconstrained function of its arguments, which is weaker, so still sound.
"""

from __future__ import annotations

from typing import Any

import z3

from gpulint.term import App, Atom, Bool, Cmp, Int, Junction, Literal, Scope, Sym
from gpulint.term.build import monomial
from gpulint.term.node import Mono, intern

MAX_PRODUCTS = 16  # products sharing a factor, above which step lemmas are not instantiated


class Encoder:
    """One encoding; `sides` collects the definitions and lemmas that the encoded terms need.

    With `exact` the products are real ones: for models, where a solution has to be true.
    """

    def __init__(self, exact: bool = False) -> None:
        self.exact = exact
        self.sides: list[Any] = []
        self.names: dict[Any, Any] = {}
        self.products: dict[Any, list[tuple[Any, Any]]] = {}
        self.mul = z3.Function("mul", z3.IntSort(), z3.IntSort(), z3.IntSort())
        self._ints: dict[Int, Any] = {}

    def boolean(self, c: Bool) -> Any:
        if isinstance(c, Cmp):
            p = self.integer(c.poly)
            return {"le": p <= 0, "eq": p == 0, "ne": p != 0}[c.op]
        if isinstance(c, Junction):
            parts = [self.boolean(a) for a in c.args]
            return z3.And(*parts) if c.op == "and" else z3.Or(*parts)
        assert isinstance(c, Literal)
        if c.atom is None:
            return z3.BoolVal(not c.negated)
        lit = self._predicate(c.atom)
        return z3.Not(lit) if c.negated else lit

    def integer(self, t: Int) -> Any:
        if t not in self._ints:
            self._ints[t] = self._polynomial(t)
        return self._ints[t]

    def atom(self, a: Atom) -> Any:
        """The Z3 constant (or expression) of an atom."""
        if a not in self.names:
            self.names[a] = None
            value = self._symbol(a) if isinstance(a, Sym) else self._app(a)
            self.names[a] = value
            if a.lo is not None:
                self.sides.append(value >= a.lo)
            if a.hi is not None:
                self.sides.append(value <= a.hi)
        return self.names[a]

    def lemmas(self) -> list[Any]:
        """Step and sign lemmas for the products encoded so far."""
        out: list[Any] = []
        for uses in self.products.values():
            w = uses[0][1]
            quotients = [q for q, _ in uses]
            for q in quotients:
                out.append(z3.Implies(z3.And(q >= 0, w >= 0), self.mul(q, w) >= 0))
                out.append(z3.Implies(z3.And(q >= 1, w >= 0), self.mul(q, w) >= w))
                out.append(z3.Implies(z3.And(q <= 0, w >= 0), self.mul(q, w) <= 0))
                out.append(z3.Implies(z3.And(q <= -1, w >= 0), self.mul(q, w) <= -w))
                out.append(z3.Implies(z3.Or(q == 0, w == 0), self.mul(q, w) == 0))
                out.append(z3.Implies(q == 1, self.mul(q, w) == w))
            if len(quotients) <= MAX_PRODUCTS:
                for i, a in enumerate(quotients):
                    for b in quotients[i + 1 :]:
                        for low, high in ((a, b), (b, a)):
                            gap = self.mul(low, w) + w <= self.mul(high, w)
                            out.append(z3.Implies(z3.And(low < high, w >= 0), gap))
        return out

    def _symbol(self, s: Sym) -> Any:
        return z3.Int(f"{s.name}|{s.scope.value}")

    def _predicate(self, a: Atom) -> Any:
        if isinstance(a, Sym):
            return z3.Bool(f"{a.name}|{a.scope.value}")
        sorts = [z3.IntSort()] * len(a.args) + [z3.BoolSort()]
        return z3.Function(f"pred {a.op} {a.data}", *sorts)(*[self.integer(x) for x in a.args])

    def _app(self, a: App) -> Any:
        if a.op == "select":
            return z3.If(self.boolean(a.args[0]), self.integer(a.args[1]), self.integer(a.args[2]))
        args = [self.integer(x) for x in a.args]
        if a.op in ("min", "max"):
            out = args[0]
            for x in args[1:]:
                out = z3.If(x < out if a.op == "min" else x > out, x, out)
            return out
        if a.op in ("floordiv", "mod"):
            return self._division(a, *args)
        sorts = [z3.IntSort()] * (len(args) + 1)
        return z3.Function(f"{a.op} {a.data}", *sorts)(*args)

    def _division(self, a: App, x: Any, w: Any) -> Any:
        divisor = a.args[1]
        if divisor.value is not None and divisor.value > 0:
            return x / w if a.op == "floordiv" else x % w
        div = z3.Function("div", z3.IntSort(), z3.IntSort(), z3.IntSort())
        q = div(x, w)
        r = x - self._times(q, w)
        self.sides.append(z3.Implies(w >= 1, z3.And(r >= 0, r < w)))
        return q if a.op == "floordiv" else r

    def _times(self, a: Any, b: Any) -> Any:
        if self.exact:
            return a * b
        uses = self.products.setdefault(b.get_id(), [])
        if not any(z3.eq(q, a) for q, _ in uses):
            uses.append((a, b))
        return self.mul(a, b)

    def _scaled(self, quotient: Int, w: Atom) -> Any:
        """`quotient * w`, tied to the products of its monomials by distributivity."""
        factor = self.atom(w)
        whole = self._times(self.integer(quotient), factor)
        other = quotient.atom
        if not self.exact and other is not None and _launch(other) and _launch(w):
            self.sides.append(whole == self._times(factor, self.atom(other)))
        if not self.exact and other is None and quotient.value is None:
            parts = quotient.constant * factor
            for mono, coeff in quotient.terms:
                if mono:
                    inner = monomial(mono)
                    parts = parts + coeff * self._times(self.integer(inner), factor)
            self.sides.append(whole == parts)
        return whole

    def _polynomial(self, t: Int) -> Any:
        linear = z3.IntVal(t.constant)
        rest: list[tuple[Mono, int]] = []
        for mono, coeff in t.terms:
            if len(mono) == 1:
                linear = linear + coeff * self.atom(mono[0])
            elif mono:
                rest.append((mono, coeff))
        while rest:
            w = self._factor(rest)
            inner = [(_drop(m, w), c) for m, c in rest if w in m]
            rest = [(m, c) for m, c in rest if w not in m]
            sign = -1 if inner[0][1] < 0 else 1
            quotient = intern(Int, tuple(sorted(((m, c * sign) for m, c in inner), key=_order)))
            linear = linear + sign * self._scaled(quotient, w)
        return linear

    @staticmethod
    def _factor(rest: list[tuple[Mono, int]]) -> Atom:
        """The atom to draw out: a launch symbol shared by most monomials, else the most shared."""
        counts: dict[Atom, int] = {}
        for m, _ in rest:
            for a in set(m):
                counts[a] = counts.get(a, 0) + 1

        def rank(a: Atom) -> tuple[int, int, str]:
            return (0 if _launch(a) else 1, -counts[a], a.order)

        return min(counts, key=rank)


def _launch(a: Atom) -> bool:
    return isinstance(a, Sym) and a.scope is Scope.LAUNCH


def _drop(m: Mono, a: Atom) -> Mono:
    left = list(m)
    left.remove(a)
    return tuple(left)


def _order(item: tuple[Mono, int]) -> tuple[int, list[str]]:
    return (len(item[0]), [a.order for a in item[0]])
