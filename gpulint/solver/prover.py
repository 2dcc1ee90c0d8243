"""One place to ask whether something follows: static bounds, elimination, case splits, then Z3.

`prove` answers True only with a proof; False means 'not proved', never 'false'. `model` searches a
solution with real products, for witnesses. Budgets are Z3 resource units and step counts, so that
the answers do not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpulint.solver.bound import Bounder, choices, definitions, extremes, upper
from gpulint.term import (
    FALSE,
    TRUE,
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Junction,
    Scope,
    Sym,
    and_,
    apps,
    conjuncts,
    le,
    neg,
    not_,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import ONE, of_atom

SPLITS = 4
ELEMENT = sym("element", Scope.POINT)  # stands for a loaded element in `ranges`
_ELEMENT = next(iter(symbols(ELEMENT)))


class Prover:
    """Proves goals under fixed `facts`; each query adds a domain."""

    def __init__(
        self, facts: Sequence[Bool], rlimit: int, ranges: Mapping[str, Bool] | None = None
    ) -> None:
        """`ranges` maps an array to what holds of each element, over the symbol `ELEMENT`."""
        self.facts = tuple(dict.fromkeys(p for f in facts for p in conjuncts(f)))
        self.rlimit = rlimit
        self.ranges = dict(ranges or {})
        self.queries = 0
        self._support = [(f, frozenset(symbols(f))) for f in self.facts]
        self._cache: dict[tuple[Bool, Bool, bool], str] = {}

    def extended(self, *facts: Bool, ranges: Mapping[str, Bool] | None = None) -> Prover:
        """This prover with more facts."""
        merged = dict(self.ranges)
        for array, what in (ranges or {}).items():
            merged[array] = and_(what, merged.get(array, TRUE))
        return Prover([*self.facts, *facts], self.rlimit, merged) if facts or ranges else self

    def elements(self, *terms: Bool | Int) -> list[Bool]:
        """What the known ranges say of the loaded elements in the terms."""
        if not self.ranges:
            return []
        return [
            subst(self.ranges[a.data], {_ELEMENT: of_atom(a)})
            for a in apps(*terms, op="load")
            if a.data in self.ranges
        ]

    def relevant(self, *terms: Bool | Int) -> list[Bool]:
        """The facts connected to the symbols of the terms, directly or through other facts."""
        want: set[Sym] = set(symbols(*terms))
        left = list(self._support)
        out: list[Bool] = []
        changed = True
        while changed:
            changed = False
            for item in list(left):
                if item[1] & want:
                    out.append(item[0])
                    left.remove(item)
                    if len(item[1]) <= 8:
                        want |= item[1]
                    changed = True
        return out

    def prove(self, domain: Bool, goal: Bool, z3_too: bool = True) -> str:
        """How `facts and domain => goal` was shown ('bounds', 'cases', 'z3'), or ''."""
        if goal == TRUE or domain == FALSE:
            return "bounds"
        key = (domain, goal, z3_too)
        if key not in self._cache:
            self._cache[key] = self._cheap(domain, goal, SPLITS) or (
                "z3" if z3_too and self.unsat(domain, not_(goal)) else ""
            )
        return self._cache[key]

    def bounder(self, domain: Bool, *goals: Int) -> Bounder:
        """Elimination over the facts and the domain, with the definitions that the terms need."""
        known = [domain, *self.elements(domain, *goals)]
        known += self.relevant(*known, *goals)
        cons = [p for f in known for p in upper(f)]
        return Bounder([*cons, *definitions([*goals, *cons])])

    def _cheap(self, domain: Bool, goal: Bool, depth: int) -> str:
        if goal == TRUE or domain == FALSE or goal in conjuncts(domain):
            return "bounds"
        if isinstance(goal, Junction):
            if goal.op == "and":
                return "bounds" if all(self._cheap(domain, g, depth) for g in goal.args) else ""
            if any(self._cheap(domain, g, depth) for g in goal.args):
                return "bounds"
            return ""
        if not isinstance(goal, Cmp):
            return ""
        if goal.op == "eq":
            both = (_at_most(goal.poly), _at_most(neg(goal.poly)))
            return "bounds" if all(self._cheap(domain, g, depth) for g in both) else ""
        if goal.op == "ne":
            sides = (_at_most(goal.poly + ONE), _at_most(ONE - goal.poly))
            return "bounds" if any(self._cheap(domain, g, depth) for g in sides) else ""
        return self._at_most_zero(domain, goal.poly, depth)

    def _at_most_zero(self, domain: Bool, p: Int, depth: int) -> str:
        if self.bounder(domain, p).proves(p):
            return "bounds"
        if depth == 0:
            return ""
        split = extremes(p)
        if split is not None:
            every, goals = split
            answers = (self._at_most_zero(domain, g, depth - 1) for g in goals)
            if all(answers) if every == "all" else any(answers):
                return "cases"
            return ""
        choice = choices(p)
        if choice is not None:
            c, yes, no = choice
            on, off = and_(domain, c), and_(domain, not_(c))
            if (on == FALSE or self._at_most_zero(on, yes, depth - 1)) and (
                off == FALSE or self._at_most_zero(off, no, depth - 1)
            ):
                return "cases"
            return ""
        for part in conjuncts(domain):
            if isinstance(part, Junction) and part.op == "or" and len(part.args) <= 4:
                rest = and_(*(c for c in conjuncts(domain) if c != part))
                cases = (and_(rest, a) for a in part.args)
                if all(c == FALSE or self._at_most_zero(c, p, depth - 1) for c in cases):
                    return "cases"
                return ""
        return ""

    def unsat(self, *conditions: Bool) -> bool:
        """Whether facts and conditions contradict each other, by Z3 with lemmas."""
        import z3

        from gpulint.solver.encode import Encoder

        whole = and_(*conditions)
        if whole == FALSE:
            return True
        self.queries += 1
        enc = Encoder()
        whole = and_(whole, *self.elements(whole))
        claims = [enc.boolean(c) for c in (whole, *self.relevant(whole))]
        solver = _solver(self.rlimit)
        solver.add(*claims, *enc.sides, *enc.lemmas())
        return bool(solver.check() == z3.unsat)

    def model(
        self, conditions: Iterable[Bool], small: Sequence[Atom] = (), rlimit: int | None = None
    ) -> Model | None:
        """A solution of facts and conditions with real products, `small` atoms minimised in turn."""
        import z3

        from gpulint.solver.encode import Encoder

        whole = and_(*conditions)
        if whole == FALSE:
            return None
        self.queries += 1
        enc = Encoder(exact=True)
        whole = and_(whole, *self.elements(whole))
        claims = [enc.boolean(c) for c in (whole, *self.relevant(whole))]
        solver = _solver(rlimit or self.rlimit)
        solver.add(*claims, *enc.sides)
        if solver.check() != z3.sat:
            return None
        best = solver.model()
        for a in small:
            if a in enc.names:
                best = _minimise(solver, enc.names[a], best)
        return Model(best, enc)


def _minimise(solver: Any, name: Any, best: Any) -> Any:
    """Shrink one value by bisection; the solver keeps the bound it ends with."""
    import z3

    value = best.eval(name, model_completion=True).as_long()
    low = -1
    for _ in range(72):
        if value <= low + 1:
            break
        middle = (low + value) // 2
        solver.push()
        solver.add(name <= middle, name >= 0)
        if solver.check() == z3.sat:
            best = solver.model()
            value = best.eval(name, model_completion=True).as_long()
        else:
            low = middle
        solver.pop()
    solver.add(name <= value)
    return best


def _solver(rlimit: int) -> Any:
    import z3

    solver = z3.SimpleSolver()
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 7)
    return solver


def _at_most(p: Int) -> Bool:
    return le(p, 0)


class Model:
    """A Z3 model read back as numbers."""

    def __init__(self, model: Any, encoder: Any) -> None:
        self._model, self._encoder = model, encoder

    def value(self, t: Int) -> int:
        """The value of a term; what the model leaves open is completed by Z3's choice."""
        return int(self._model.eval(self._encoder.integer(t), model_completion=True).as_long())

    def known(self) -> frozenset[Sym]:
        """The integer symbols that the encoded conditions speak of."""
        return frozenset(a for a in self._encoder.names if isinstance(a, Sym) and not a.boolean)

    def tells(self, array: str) -> bool:
        """Whether the encoded conditions speak of elements of an array."""
        return any(isinstance(a, App) and a.op == "load" and a.data == array for a in self._encoder.names)

    def element(self, array: str, subscripts: Sequence[int]) -> int:
        """The value that the model gives to an element of a read-only array."""
        import z3

        sorts = [z3.IntSort()] * (len(subscripts) + 1)
        f = z3.Function(f"load {array}", *sorts)
        out = self._model.eval(f(*[z3.IntVal(i) for i in subscripts]), model_completion=True)
        return int(out.as_long())

    def holds(self, c: Bool) -> bool:
        import z3

        return bool(z3.is_true(self._model.eval(self._encoder.boolean(c), model_completion=True)))

    def values(self, names: Iterable[Sym]) -> Mapping[Sym, int]:
        return {s: self.value(of_atom(s)) for s in names}


