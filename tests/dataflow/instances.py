"""Is an element that a thread touched an instance of an access? A small search over the unknowns."""

from __future__ import annotations

from gpulint import term as t
from gpulint.dataflow import Access
from gpulint.interp import ConcreteArray
from gpulint.term import App, Atom, Bool, Sym
from gpulint.term.walk import transform

BUDGET = 1500
NEAR = sorted(range(-45, 46), key=abs)


class Search:
    """`covers` answers True, False or None (not settled within the budget)."""

    def __init__(self, known: dict[Atom, int], arrays: dict[str, ConcreteArray]) -> None:
        self.known, self.arrays = known, arrays
        self.budget = 0

    def covers(self, a: Access, element: tuple[int, ...]) -> bool | None:
        self.budget = BUDGET
        same = [t.eq(s, e) for s, e in zip(a.subscripts, element, strict=True)]
        return self._possible(self._concrete(t.and_(a.domain, *same), self.known))

    def _concrete(self, c: Bool, known: dict[Atom, int]) -> Bool:
        def replace(a: Atom):
            if a in known:
                value = known[a]
                return (t.TRUE if value else t.FALSE) if isinstance(value, bool) else t.const(value)
            if isinstance(a, App) and all(getattr(x, "value", None) is not None for x in a.args):
                return self._loaded(a)
            return None

        return transform(c, replace)

    def _loaded(self, a: App):
        """The value of a load of `idx`, or of the one float predicate that the programs use."""
        at = tuple(x.value for x in a.args)
        if a.op == "load" and 0 <= at[0] < self.arrays[a.data].shape[0]:
            return t.const(self.arrays[a.data].initial(at))
        if a.op == "fn" and a.data == "gt(x[_], 0.5)" and 0 <= at[0] < self.arrays["x"].shape[0]:
            return t.TRUE if self.arrays["x"].initial(at) > 0.5 else t.FALSE
        return None

    def _possible(self, c: Bool) -> bool | None:
        self.budget -= 1
        if c == t.TRUE or c == t.FALSE:
            return c == t.TRUE
        unknown = sorted(t.symbols(c), key=lambda s: (s.scope is not t.Scope.LOOP, s.name))
        if self.budget < 0 or not unknown:
            return None
        forced = self._forced(c)
        if forced is not None:
            symbol, value = forced
            inside = (symbol.lo is None or value >= symbol.lo) and (symbol.hi is None or value <= symbol.hi)
            return self._possible(self._concrete(c, {symbol: value})) if inside else False
        return self._try(c, unknown[0])

    def _forced(self, c: Bool) -> tuple[Sym, int] | None:
        for part in t.conjuncts(c):
            if not isinstance(part, t.Cmp) or part.op != "eq":
                continue
            terms = [(m, k) for m, k in part.poly.terms if m]
            if len(terms) == 1 and len(terms[0][0]) == 1 and abs(terms[0][1]) == 1:
                symbol = terms[0][0][0]
                if isinstance(symbol, Sym):
                    return symbol, -part.poly.constant * terms[0][1]
        return None

    def _try(self, c: Bool, s: Sym) -> bool | None:
        settled = s.boolean
        low, high = (s.lo if s.lo is not None else -45), (s.hi if s.hi is not None else 45)
        values = [True, False] if s.boolean else [v for v in NEAR if low <= v <= high]
        answers = []
        for v in values:
            answers.append(self._possible(self._concrete(c, {s: v})))
            if answers[-1]:
                return True
        return False if settled and None not in answers else (None if None in answers else False)
