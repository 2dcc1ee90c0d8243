"""What the proofs of one kernel have in common: constraint systems and answers, by their content.

Clauses become premises, premises become new settings, launch sites repeat each other's facts: the same
question is asked many times of provers that differ in facts which do not bear on it. Equal content gives
the same answer, so sharing never changes one; only the budget is spent once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gpulint.dataflow.access import Access, IntOp
from gpulint.solver import turns
from gpulint.solver.bound import definitions, upper
from gpulint.solver.eliminate import SETTLE, Bounder
from gpulint.solver.flat import Monomials
from gpulint.solver.pairs import Order
from gpulint.solver.replays import Replays
from gpulint.solver.space import Seen, see
from gpulint.term import Bool, Int, apps
from gpulint.term.build import of_atom


@dataclass
class Memo:
    """`unsat`: whether Z3 found sets of conditions contradictory within the resource limit of the run."""

    unsat: dict[frozenset[Bool], bool] = field(default_factory=dict)
    replays: Replays = field(default_factory=Replays)
    _monomials: Monomials = field(default_factory=Monomials)
    order: Order | None = None
    _bounders: dict[tuple[object, ...], Bounder] = field(default_factory=dict)
    _upper: dict[Bool, list[Int]] = field(default_factory=dict)
    _seen: dict[tuple[int, frozenset[int]], Seen] = field(default_factory=dict)

    def bounder(self, known: Iterable[Bool], goals: Sequence[Int], settle: int = SETTLE) -> Bounder:
        """Elimination over what is known, with the definitions that the terms need.

        `settle`: steps for a goal over launch symbols.
        """
        constraints = tuple(dict.fromkeys(p for c in known for p in self.upper(c)))
        defined = tuple(of_atom(a) for a in apps(*goals))
        key = (constraints, defined, settle)
        found = self._bounders.get(key)
        if found is None:
            whole = [*constraints, *definitions(constraints, *defined)]
            found = self._bounders[key] = Bounder(whole, self._monomials, settle)
        return found

    def upper(self, c: Bool) -> list[Int]:
        """The polynomials that a condition says are at most zero."""
        found = self._upper.get(c)
        if found is None:
            found = self._upper[c] = upper(c)
        return found

    def see(self, a: Access | IntOp, within: frozenset[int]) -> Seen:
        """An access over global indices along the axes, before any launch site is looked at."""
        key = (id(a), within)
        if key not in self._seen:
            self._seen[key] = turns.seen(see(a, within))
        return self._seen[key]
