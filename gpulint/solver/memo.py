"""What the proofs of one kernel have in common: constraint systems and answers, by their content.

Clauses become premises, premises become new settings, launch sites repeat each other's facts: the same
question is asked many times of provers that differ in facts which do not bear on it. Equal content gives
the same answer, so sharing never changes one; only the budget is spent once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from gpulint.dataflow.access import Access, IntOp
from gpulint.solver import turns
from gpulint.solver.bound import upper
from gpulint.solver.cases import Halves
from gpulint.solver.constraints import Constraint, Constraints
from gpulint.solver.eliminate import SETTLE, Bounder
from gpulint.solver.given import Given
from gpulint.solver.pairs import Order
from gpulint.solver.points import Points
from gpulint.solver.replays import Replays
from gpulint.solver.space import Seen, see
from gpulint.term import Bool, Int, Sym

if TYPE_CHECKING:
    from gpulint.solver.initialised import Source

MODEL_UNITS = 8_000_000  # of Z3's resources, for all solutions that are sought for one kernel
Inverted = tuple[int, int, "frozenset[Sym]", Optional[Sym]]  # noqa: UP045 (evaluated on 3.10)


@dataclass
class Memo:
    """`unsat`: whether Z3 found sets of conditions contradictory within the resource limit of the run.

    `context`: Z3's, once it was asked something. `units`: of its resources, left to searches for solutions.
    `sources`: how a write gives a read its value, by identities of what is kept alive beside it.
    """

    unsat: dict[frozenset[Bool], bool] = field(default_factory=dict)
    context: Any = None
    units: int = MODEL_UNITS
    replays: Replays = field(default_factory=Replays)
    points: Points = field(default_factory=Points)
    order: Order | None = None
    cases: Halves = field(default_factory=dict)
    sources: dict[Inverted, tuple[tuple[Access, Access], Source | None]] = field(default_factory=dict)
    _store: Constraints = field(default_factory=Constraints)
    _given: dict[tuple[Constraint, ...], Given] = field(default_factory=dict)
    _upper: dict[Bool, list[Constraint]] = field(default_factory=dict)
    _seen: dict[tuple[int, frozenset[int]], Seen] = field(default_factory=dict)

    def bounder(self, known: Iterable[Bool], goals: Sequence[Int], settle: int = SETTLE) -> Bounder:
        """Elimination over what is known, with the definitions that the terms need.

        `settle`: steps for a goal over launch symbols.
        """
        constraints = tuple(dict.fromkeys(g for c in known for g in self.upper(c)))
        found = self._given.get(constraints)
        if found is None:
            found = self._given[constraints] = Given(constraints, self._store)
        return found.bounder(goals, settle)

    def upper(self, c: Bool) -> list[Constraint]:
        """The polynomials that a condition says are at most zero."""
        found = self._upper.get(c)
        if found is None:
            found = self._upper[c] = [self._store.of(p) for p in upper(c)]
        return found

    def see(self, a: Access | IntOp, within: frozenset[int]) -> Seen:
        """An access over global indices along the axes, before any launch site is looked at."""
        key = (id(a), within)
        if key not in self._seen:
            self._seen[key] = turns.seen(see(a, within))
        return self._seen[key]
