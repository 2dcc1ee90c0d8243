"""Evidence that the reading of a function gathers, and the conclusions from it."""

from __future__ import annotations

import ast

from gpulint.frontend.numba.facts import Fact, Facts
from gpulint.frontend.numba.syntax import added, counts, plain

ROUNDS = 4


class Evidence:
    """Facts of names, and what relates them: rows of arrays, sums, comparisons."""

    def __init__(self) -> None:
        self.facts = Facts()
        self.arrays_of: list[tuple[str, str, int]] = []  # (x, row, d): rank(x) >= rank(row) + d
        self.flows: list[tuple[str, set[str]]] = []  # target, names that its value adds up
        self.compares: list[tuple[ast.expr, ast.expr]] = []
        self.floats: set[str] = set()

    def fact(self, name: str) -> Fact:
        return self.facts.of.setdefault(name, Fact())

    def settle(self) -> None:
        for _ in range(ROUNDS):
            changed = False
            for x, row, dropped in self.arrays_of:
                changed |= self.rank_of_row(x, row, dropped)
            for target, names in self.flows:
                if self.facts.get(target).index:
                    changed |= self.mark(names)
            for left, right in self.compares:
                changed |= self.compared(left, right) | self.compared(right, left)
            if not changed:
                break

    def rank_of_row(self, x: str, row: str, dropped: int) -> bool:
        inner = self.facts.get(row)
        if not inner.array:
            if inner.record and dropped:
                self.fact(x).array = True
            if inner.record and not dropped:
                self.fact(x).record = True
            return False
        f, rank = self.fact(x), dropped + max(inner.rank, inner.exact or 0)
        if f.array and f.rank >= rank:
            return False
        f.array, f.rank = True, max(f.rank, rank)
        return True

    def mark(self, names: set[str]) -> bool:
        new = [name for name in names if name not in self.floats and not self.fact(name).index]
        for name in new:
            self.fact(name).index = True
        return bool(new)

    def compared(self, left: ast.expr, right: ast.expr) -> bool:
        """What is compared with a sum of integers is one."""
        names = added(left)
        known = counts(left) or (bool(names) and all(self.facts.get(x).index for x in names))
        return bool(known) and plain(left) and self.mark(added(right))
