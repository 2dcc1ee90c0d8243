"""What the proofs of one kernel have in common: constraint systems and answers, by their content.

Clauses become premises, premises become new settings, launch sites repeat each other's facts: the same
question is asked many times of provers that differ in facts which do not bear on it. Equal content gives
the same answer, so sharing never changes one; only the budget is spent once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpulint.solver.eliminate import SETTLE, Bounder
from gpulint.solver.flat import Monomials
from gpulint.term import Bool, Int


@dataclass
class Memo:
    """`unsat`: whether Z3 found sets of conditions contradictory within the resource limit of the run."""

    unsat: dict[frozenset[Bool], bool] = field(default_factory=dict)
    _monomials: Monomials = field(default_factory=Monomials)
    _bounders: dict[tuple[tuple[Int, ...], int], Bounder] = field(default_factory=dict)

    def bounder(self, constraints: Sequence[Int], settle: int = SETTLE) -> Bounder:
        """Elimination over these constraints, with so many steps for a goal over launch symbols."""
        key = tuple(dict.fromkeys(constraints)), settle
        found = self._bounders.get(key)
        if found is None:
            found = self._bounders[key] = Bounder(key[0], self._monomials, settle)
        return found
