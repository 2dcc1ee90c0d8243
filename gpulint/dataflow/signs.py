"""C's division as Python's, where a guard shows that it makes no difference.

They agree for a dividend that is not negative and a positive divisor; a divisor is never zero. And
where only `k < a / b` is asked, with k >= 0 and b > 0, they agree whatever the sign of `a`: when it is
negative both quotients are below one.
"""

from __future__ import annotations

from typing import cast

from gpulint import term as t
from gpulint.dataflow.facts import Facts
from gpulint.dataflow.lanes import T
from gpulint.term import App, Atom, Bool, Cmp, Int
from gpulint.term.build import of_atom
from gpulint.term.interval import Interval, bounds
from gpulint.term.walk import transform

_FLOOR = {"truncdiv": t.floordiv, "truncmod": t.mod}


def truncates(*terms: Int | Bool) -> bool:
    return any(a.op in _FLOOR for a in t.apps(*terms))


def limit(x: Int) -> Int:
    """An upper limit of something that is not negative, its quotient as floor division.

    Sound only where nothing but `k < x` for k >= 0 (or max(0, x)) is asked.
    """
    atom = x.atom
    if isinstance(atom, App) and atom.op == "truncdiv" and _positive(atom.args[1]):
        return t.floordiv(*atom.args)
    return x


def _positive(x: Int) -> bool:
    return x.lo is not None and x.lo >= 1


def floored(guard: Bool) -> Bool:
    """The guard with the quotients that only limit something not negative as floor divisions."""
    if not truncates(guard):
        return guard
    return t.and_(*(_conjunct(c) for c in t.conjuncts(guard)))


def _conjunct(c: Bool) -> Bool:
    """`rest - a / b <= 0` with rest >= 1."""
    if not isinstance(c, Cmp) or c.op != "le":
        return c
    for mono, k in c.poly.terms:
        if k == -1 and len(mono) == 1 and isinstance(mono[0], App) and mono[0].op == "truncdiv":
            quotient = of_atom(mono[0])
            rest = t.add(c.poly, quotient)
            if _positive(rest) and limit(quotient) != quotient:
                return t.le(rest, limit(quotient))
    return c


class Signs:
    """What a guard shows of the signs of dividends and divisors, for terms used where it holds."""

    def __init__(self, guard: Bool) -> None:
        plain = t.and_(*(c for c in t.conjuncts(guard) if not truncates(c)))
        self.done: dict[Int | Bool, Int | Bool] = {}
        facts = Facts(plain)
        self.env: dict[Atom, Interval] = dict(facts.env)
        for s in sorted(t.symbols(plain), key=lambda s: s.name):
            if not s.boolean and (s.lo is None or s.lo < 0) and facts.nonnegative(of_atom(s)):
                self.env[s] = (0, self.env.get(s, (None, s.hi))[1])

    def apply(self, term: T) -> T:
        """The term with the divisions made Python's whose operands the guard shows not negative."""
        if term not in self.done:
            self.done[term] = transform(term, self._replace) if truncates(term) else term
        return cast(T, self.done[term])

    def _replace(self, a: Atom) -> Int | None:
        if not isinstance(a, App) or a.op not in _FLOOR:
            return None
        natural = all((low := bounds(x, self.env)[0]) is not None and low >= 0 for x in a.args)
        return _FLOOR[a.op](*a.args) if natural else None
