"""One place to ask whether something follows: static bounds, elimination, case splits, then Z3.

`prove` answers True only with a proof; False means 'not proved', never 'false'. `model` searches a
solution with real products, for witnesses. Budgets are Z3 resource units and step counts, so that
the answers do not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from gpulint.solver import cases, equalities, powers
from gpulint.solver.bound import extremes, multiplied
from gpulint.solver.eliminate import SETTLE, Bounder
from gpulint.solver.memo import Memo
from gpulint.term import (
    FALSE,
    TRUE,
    Bool,
    Cmp,
    Int,
    Junction,
    Scope,
    Sym,
    and_,
    apps,
    conjuncts,
    gt,
    le,
    neg,
    not_,
    or_,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import ONE, of_atom

if TYPE_CHECKING:
    from gpulint.solver.model import Model

SPLITS = 4
LEAST_UNITS = 200_000  # for a solution where those of the kernel are spent
MAX_SORTED = 8  # elements of sorted arrays that are compared with each other in one question
CONNECTED = 64  # facts through so many others are all that there are
PROOF_HOPS = 2  # facts further from a goal seldom matter to a proof and cost encoding
ELEMENT = sym("element", Scope.POINT)  # stands for a loaded element in `ranges`
_ELEMENT = next(iter(symbols(ELEMENT)))


@dataclass
class Budget:
    """How many questions Z3 may still be asked for one kernel: proofs and models apart."""

    proofs: int = 60
    models: int = 24

    def spend(self, kind: str) -> bool:
        left = getattr(self, kind)
        setattr(self, kind, left - 1)
        return bool(left > 0)


class Prover:
    """Proves goals under fixed `facts`; each query adds a domain."""

    def __init__(
        self,
        facts: Sequence[Bool],
        rlimit: int,
        ranges: Mapping[str, Bool] | None = None,
        budget: Budget | None = None,
        ordered: frozenset[str] = frozenset(),
        memo: Memo | None = None,
    ) -> None:
        """`ranges` maps an array to what holds of each element, over the symbol `ELEMENT`.

        `ordered` are the one-dimensional arrays whose elements do not decrease.
        """
        self.ordered = ordered
        self.budget, self.memo = budget or Budget(), memo or Memo()
        self.facts = tuple(dict.fromkeys(p for f in facts for p in conjuncts(f)))
        self.rlimit = rlimit
        self.settle = SETTLE  # steps for a goal over launch symbols; more of them where few are asked
        self.ranges = dict(ranges or {})
        self._support = [(f, frozenset(symbols(f))) for f in self.facts]
        self._relevant: dict[tuple[frozenset[Sym], int], list[Bool]] = {}
        self._bounders: dict[tuple[Bool | Int | int, ...], Bounder] = {}
        self._cache: dict[tuple[Bool, Bool, bool], str] = {}
        self._refuted: dict[tuple[Bool, Bool], bool] = {}

    @cached_property
    def _solved(self) -> equalities.Solved:
        return equalities.solve(self.facts)

    @cached_property
    def _reduced(self) -> Prover:
        """The same facts with one name for what they say is equal; for questions whose terms nobody sees."""
        if not self._solved:
            return self
        facts = equalities.rewritten(self.facts, self._solved)
        ranges = {name: subst(what, dict(self._solved)) for name, what in self.ranges.items()}
        out = Prover(facts, self.rlimit, ranges, self.budget, self.ordered, self.memo)
        out.__dict__.update(_solved={}, _reduced=out, settle=self.settle)
        return out

    def extended(self, *facts: Bool, ranges: Mapping[str, Bool] | None = None) -> Prover:
        """This prover with more facts."""
        merged = dict(self.ranges)
        for array, what in (ranges or {}).items():
            merged[array] = and_(what, merged.get(array, TRUE))
        both = [*self.facts, *facts]
        if not facts and not ranges:
            return self
        return Prover(both, self.rlimit, merged, self.budget, self.ordered, self.memo)

    def spending(self, budget: Budget) -> Prover:
        """This prover, what it knows included, with other questions to Z3 allowed."""
        out = copy(self)
        out.budget = budget
        return out

    def sorting(self, arrays: frozenset[str]) -> Prover:
        """This prover with more arrays taken as sorted."""
        both = self.ordered | arrays
        return Prover(self.facts, self.rlimit, self.ranges, self.budget, both, self.memo)

    def elements(self, *terms: Bool | Int) -> list[Bool]:
        """What the known ranges say of the loaded elements in the terms."""
        if not self.ranges and not self.ordered:
            return []
        loads = apps(*terms, op="load")
        out = [subst(self.ranges[a.data], {_ELEMENT: of_atom(a)}) for a in loads if a.data in self.ranges]
        sorted_ = [a for a in loads if a.data in self.ordered and len(a.args) == 1][:MAX_SORTED]
        for a, b in permutations(sorted_, 2):
            if a.data == b.data:
                out.append(or_(gt(a.args[0], b.args[0]), le(of_atom(a), of_atom(b))))
        return out

    def relevant(self, *terms: Bool | Int, hops: int = 8) -> list[Bool]:
        """The facts connected to the symbols of the terms, through at most `hops` other facts."""
        want = frozenset(symbols(*terms))
        key = (want, hops)
        if key not in self._relevant:
            self._relevant[key] = self._connected(want, hops)
        return self._relevant[key]

    def _connected(self, want: Set[Sym], hops: int) -> list[Bool]:
        left = self._support
        out: list[Bool] = []
        for _ in range(hops):
            near = [item for item in left if item[1] & want]
            if not near:
                break
            left = [item for item in left if not item[1] & want]
            out += [f for f, _ in near]
            want = frozenset().union(*(s for _, s in near))  # what earlier ones have in common is taken
        return out

    def prove(self, domain: Bool, goal: Bool, z3_too: bool = True) -> str:
        """How `facts and domain => goal` was shown ('bounds', 'cases', 'z3'), or ''."""
        if goal == TRUE or domain == FALSE:
            return "bounds"
        key = (domain, goal, z3_too)
        if key not in self._cache:
            self._cache[key] = "" if self.refuted(domain, goal) else self._ladder(domain, goal, z3_too)
        return self._cache[key]

    def refuted(self, domain: Bool, goal: Bool) -> bool:
        """Whether a point is known where the facts and the domain hold and the goal does not."""
        key = (domain, goal)
        if key not in self._refuted:
            asked = and_(domain, not_(goal))
            self._refuted[key] = asked != FALSE and self._met(self._claims(asked, CONNECTED))
        return self._refuted[key]

    def _met(self, claims: Sequence[Bool]) -> bool:
        """Whether a point is known where all claims hold."""
        return self.memo.points.meet(claims, self.facts)

    def _claims(self, asked: Bool, hops: int) -> list[Bool]:
        """The parts of a condition, with what is known of its elements and symbols."""
        parts = [asked, *self.elements(asked)]
        parts += self.relevant(*parts, hops=hops)
        return list(dict.fromkeys(p for c in parts for p in conjuncts(c)))

    def _ladder(self, domain: Bool, goal: Bool, z3_too: bool) -> str:
        where, what = subst(domain, dict(self._solved)), subst(goal, dict(self._solved))
        how = self._reduced._cheap(where, what, SPLITS)
        return how or ("z3" if z3_too and self.unsat(domain, not_(goal)) else "")

    def bounder(self, domain: Bool, *goals: Int) -> Bounder:
        """Elimination over the facts and the domain, with the definitions that the terms need."""
        key: tuple[Bool | Int | int, ...] = (self.settle, domain, *goals)
        if key not in self._bounders:
            self._bounders[key] = self._bounder(domain, *goals)
        return self._bounders[key]

    def _bounder(self, domain: Bool, *goals: Int) -> Bounder:
        known = [domain, *self.elements(domain, *goals)]
        known += cases.resolved(self.relevant(*known, *goals), domain)
        return self.memo.bounder(known, goals, self.settle)

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
        bounder = self.bounder(domain, p)
        if bounder.proves(p):
            return "bounds"
        if any(self.bounder(domain, q).proves(q) for q in multiplied(p, bounder.proves)):
            return "bounds"
        if depth == 0:
            return ""
        split = extremes(p, bounder.proves)
        if split is not None:
            every, goals = split
            answers = (self._at_most_zero(domain, g, depth - 1) for g in goals)
            if all(answers) if every == "all" else any(answers):
                return "cases"
            return ""
        both = cases.split(domain, p, self.memo.cases)
        if both is not None:
            return "cases" if all(self._at_most_zero(d, g, depth - 1) for d, g in both) else ""
        for part in conjuncts(domain):
            if isinstance(part, Junction) and part.op == "or" and len(part.args) <= 4:
                rest = and_(*(c for c in conjuncts(domain) if c != part))
                ways = (and_(rest, a) for a in part.args)
                if all(c == FALSE or self._at_most_zero(c, p, depth - 1) for c in ways):
                    return "cases"
                return ""
        return ""

    def unsat(self, *conditions: Bool) -> bool:
        """Whether facts and conditions contradict each other, by Z3 with lemmas."""
        whole = and_(*conditions)
        whole = powers.cases(whole) or whole
        if whole == FALSE:
            return True
        claims = self._claims(whole, PROOF_HOPS)
        key = frozenset(claims)
        if key not in self.memo.unsat:
            if self._met(claims):
                self.memo.unsat[key] = False
            elif not self.budget.spend("proofs"):
                return False
            else:
                self.memo.unsat[key] = self._contradictory(claims)
        return self.memo.unsat[key]

    def unsat_each(self, whole: Bool, ways: Sequence[Bool]) -> list[bool]:
        """For each of the ways, whether it contradicts the facts and a condition.

        All are asked of one solver; each costs as much of the budget as a question of its own.
        """
        if apps(whole, op="pow") or not ways:
            return [self.unsat(whole, way) for way in ways]
        from gpulint.solver.model import alternatives

        whole = and_(whole, *self.elements(whole))
        claims = [whole, *self.relevant(whole, *ways, hops=PROOF_HOPS)]
        key = frozenset(p for c in claims for p in conjuncts(c))
        asked = [w for w in dict.fromkeys(ways) if (key | {w}) not in self.memo.unsat]
        for w in asked:
            if self._met([*conjuncts(w), *key]):
                self.memo.unsat[key | {w}] = False
        asked = [w for w in asked if (key | {w}) not in self.memo.unsat]
        asked = [w for w in asked if self.budget.spend("proofs")]
        for w, answer in zip(asked, alternatives(claims, asked, self.rlimit, self.memo), strict=True):
            self.memo.unsat[key | {w}] = answer
        return [self.memo.unsat.get(key | {w}, False) for w in ways]

    def _contradictory(self, claims: list[Bool]) -> bool:
        import z3

        from gpulint.solver.encode import Encoder
        from gpulint.solver.model import make_solver

        solver = make_solver(self.rlimit, self.memo)
        solver.from_string(Encoder().script(claims))
        return bool(solver.check() == z3.unsat)

    def model(
        self, conditions: Iterable[Bool], small: Sequence[Sym] = (), rlimit: int | None = None
    ) -> Model | None:
        """A solution of facts and conditions with real products, `small` symbols minimised in turn.

        It holds to what the facts say of those symbols too, unless Z3 cannot tell whether that can be.
        """
        whole = and_(*conditions)
        if whole == FALSE or not self.budget.spend("models"):
            return None
        whole = and_(whole, *self.elements(whole))
        near = self.relevant(whole)
        for facts in dict.fromkeys((tuple(self.relevant(whole, *map(of_atom, small))), tuple(near))):
            answer, found = self._solution([whole, *facts], small, rlimit or self.rlimit)
            if answer != "unknown":
                return found
        return None

    def _solution(
        self, claims: Sequence[Bool], small: Sequence[Sym], rlimit: int
    ) -> tuple[str, Model | None]:
        """What Z3 says of claims, with the solution; units that it took are the kernel's no more."""
        from gpulint.solver.encode import Encoder
        from gpulint.solver.model import make_solver, smallest, units, within_reach

        left = max(self.memo.units, LEAST_UNITS)
        encoder = Encoder(exact=True)
        solver = make_solver(min(rlimit, left), self.memo)
        solver.from_string(encoder.script(claims))
        before, answer, found = units(solver), str(solver.check()), None
        if answer == "unknown" and within_reach(solver, encoder, small):
            answer = "sat"
        if answer == "sat":
            found = smallest(solver, encoder, small, before + left)
        self.memo.units -= units(solver) - before
        return answer, found


def _at_most(p: Int) -> Bool:
    return le(p, 0)
