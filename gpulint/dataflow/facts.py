"""What a guard plainly shows: cheap tests without a solver, and choices that a guard settles."""

from __future__ import annotations

from gpulint import term as t
from gpulint.term import App, Bool, Cmp, Int
from gpulint.term.interval import Interval, bounds, meet
from gpulint.term.node import Atom
from gpulint.term.walk import transform

MAX_FACTS = 24


class Facts:
    """The linear conjuncts of a guard, ready for `at_least`."""

    def __init__(self, guard: Bool, extents: tuple[Int, ...] = ()) -> None:
        self.guard, self.extents = guard, extents
        self.known = frozenset(t.conjuncts(guard))
        self.negative: list[Int] = []  # polynomials that are at most 0
        for c in t.conjuncts(guard):
            if isinstance(c, Cmp) and c.op in ("le", "eq"):
                self.negative.append(c.poly)
                if c.op == "eq":
                    self.negative.append(t.neg(c.poly))
        del self.negative[MAX_FACTS:]
        self.env = self._intervals(extents)

    def _intervals(self, extents: tuple[Int, ...]) -> dict[Atom, Interval]:
        """Bounds of atoms; an extent is at least 1, or no element of it is in range."""
        env: dict[Atom, Interval] = {e.atom: (1, e.hi) for e in extents if e.atom is not None}
        for p in self.negative:
            parts = [(m, k) for m, k in p.terms if m]
            if len(parts) != 1 or len(parts[0][0]) != 1:
                continue
            atom, k = parts[0][0][0], parts[0][1]
            limit: Interval = (None, -p.constant // k) if k > 0 else (_ceil(p.constant, -k), None)
            env[atom] = meet(env.get(atom, (atom.lo, atom.hi)), limit)
        return env

    def nonnegative(self, x: Int, splits: int = 2) -> bool:
        """Whether `x >= 0` shows by intervals, alone or over one or two conjuncts, for each choice in it."""
        return self._plainly(x) or self._by_cases(x, splits)

    def _by_cases(self, x: Int, splits: int) -> bool:
        choice = next((a for m, _ in x.terms for a in m if isinstance(a, App) and a.op == "select"), None)
        if choice is None or splits == 0:
            return False
        condition, then, other = choice.args
        for c, value in ((condition, then), (t.not_(condition), other)):
            case = Facts(t.and_(self.guard, c), self.extents)
            if not case.nonnegative(t.subst(x, {choice: value}), splits - 1):
                return False
        return True

    def _plainly(self, x: Int) -> bool:
        if self._low(x):
            return True
        once = [t.add(x, p) for p in self.negative if _touches(x, p)]
        if any(self._low(y) for y in once):
            return True
        if len(self.negative) > 8:
            return False
        return any(self._low(t.add(y, p)) for y in once for p in self.negative if _touches(y, p))

    def _low(self, x: Int) -> bool:
        lo = bounds(x, self.env)[0]
        return lo is not None and lo >= 0

    def settle(self, c: Bool) -> bool | None:
        """Whether the guard shows the condition or its negation."""
        if c in self.known:
            return True
        if t.not_(c) in self.known:
            return False
        if isinstance(c, Cmp) and c.op == "le":
            if self._plainly(t.neg(c.poly)):
                return True
            if self._plainly(t.sub(c.poly, t.ONE)):
                return False
        return None

    def simplify(self, x: Int) -> Int:
        """The term with each choice that the guard settles made."""
        if not t.apps(x, op="select"):
            return x

        def replace(a: Atom) -> Int | None:
            if not isinstance(a, App) or a.op != "select":
                return None
            way = self.settle(a.args[0])
            return None if way is None else a.args[1] if way else a.args[2]

        return transform(x, replace)


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _touches(x: Int, p: Int) -> bool:
    """Whether adding `p` cancels or shares a monomial of `x`."""
    mine = {m for m, _ in x.terms if m}
    return any(m in mine for m, _ in p.terms)
