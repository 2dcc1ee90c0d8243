"""Upper bounds of quotients that a host can compute: `pid // heads <= (grid.x - 1) // heads`.

A quotient by a positive number of the launch grows with its dividend. So where each coordinate in the
dividend has a largest value over numbers of the launch, the quotient of the dividend's largest value is a
bound of it, and one that the host can read.
Sound in that direction only: coordinates are bounded one by one, so the bound need not be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpulint.term import ONE, ZERO, App, Atom, Int, Scope, add, const, floordiv, mul, sub
from gpulint.term.build import monomial, of_atom
from gpulint.term.node import Mono
from gpulint.term.walk import made_of

DEPTH = 4  # quotients within quotients


def quotient(
    a: App, constraints: Sequence[Int], known: Mapping[Atom, Int], nonneg: Callable[[Int], bool]
) -> list[Int]:
    """What says that a quotient of a point (whose divisor is positive) is at most that of its ceiling.

    The ceiling is what a constraint says of the dividend as a whole, or the sum of those of its parts.
    """
    x, w = a.args
    if _of_launch(a) or not _of_launch(w):
        return []
    own = loose(x)
    given = [(loose(g), g) for g in constraints]
    limits = [sub(x, g) for part, g in given if part == own]
    parts = _Ceilings(dict(known), nonneg, {tuple(part): g for part, g in reversed(given)})
    highest = [*limits, parts.sum(x, DEPTH)]
    return [sub(of_atom(a), floordiv(y, w)) for y in highest if y is not None]


@dataclass(frozen=True)
class _Ceilings:
    """What is known of parts of a dividend: `tops` of atoms, and constraints by the terms that they limit."""

    tops: Mapping[Atom, Int]
    nonneg: Callable[[Int], bool]
    limits: Mapping[tuple[tuple[Mono, int], ...], Int]

    def sum(self, x: Int, depth: int) -> Int | None:
        """A number of the launch that `x` does not exceed, or None."""
        out = ZERO
        for mono, c in x.terms:
            term = mul(monomial(mono), c) if mono else const(c)
            if _of_launch(term):
                out = add(out, term)
                continue
            if not all(self.nonneg(of_atom(a)) for a in mono):
                return None
            if c < 0:
                continue
            largest = const(c)
            for a in mono:
                top = self._top(a, depth)
                if top is None:
                    return None
                largest = mul(largest, top)
            out = add(out, largest)
        return out

    def _top(self, a: Atom, depth: int) -> Int | None:
        if _of_launch(a):
            return of_atom(a)
        if a in self.tops:
            return self.tops[a]
        if (
            not isinstance(a, App)
            or a.op not in ("floordiv", "mod")
            or not depth
            or not _of_launch(a.args[1])
        ):
            return None
        x, w = a.args
        if not self.nonneg(sub(w, ONE)):
            return None
        if a.op == "mod":
            return sub(w, ONE)
        limit = self.limits.get(tuple(loose(x)))
        top = sub(x, limit) if limit is not None else self.sum(x, depth - 1)
        return floordiv(top, w) if top is not None else None


def loose(t: Int) -> list[tuple[Mono, int]]:
    """The terms that are no numbers of the launch."""
    return [(m, c) for m, c in t.terms if not all(_of_launch(a) for a in m)]


def _of_launch(t: Int | Atom) -> bool:
    used, operators = made_of(t)
    return operators.isdisjoint(("load", "fn")) and all(x.scope is Scope.LAUNCH for x in used)
