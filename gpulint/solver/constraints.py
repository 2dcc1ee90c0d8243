"""Polynomials that are at most zero, each with what it says alone; found once a kernel.

The constraints of one question differ from those of the next in a few: what can be said of a single one
is kept with it, and lower bounds that depend on others are kept by the bounds that they were derived from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from gpulint.solver import ceilings
from gpulint.solver.flat import Flat, Monomials
from gpulint.term import Atom, Int, sub
from gpulint.term.build import of_atom
from gpulint.term.interval import Bounds, Interval, scale
from gpulint.term.node import Mono
from gpulint.term.walk import atoms

Lows = list[tuple[Atom, int]]


class Constraint:
    """`poly <= 0`. Compared by identity: a store has one for each polynomial."""

    def __init__(self, poly: Int, monomials: Monomials) -> None:
        self.poly = poly
        self.flat: Flat = monomials.flat(poly)
        self.atoms = tuple(atoms(poly))
        self.coefficients = dict(poly.terms)
        self._floors: dict[tuple[int | None, ...], Lows] = {}

    @cached_property
    def single(self) -> tuple[Atom, Interval] | None:
        """A constraint on one atom alone, as its bounds."""
        named = [(m, c) for m, c in self.poly.terms if m]
        if len(named) != 1 or len(named[0][0]) != 1:
            return None
        (a,), c = named[0]
        k = self.poly.constant
        return (a, (None, -k // c)) if c > 0 else (a, (-(k // c), None))

    @cached_property
    def loose(self) -> tuple[tuple[Mono, int], ...]:
        """The terms that are no numbers of the launch."""
        return tuple(ceilings.loose(self.poly))

    @cached_property
    def top(self) -> tuple[Atom, Int] | None:
        """The largest value, over numbers of the launch, that it gives a single atom."""
        if len(self.loose) == 1 and len(self.loose[0][0]) == 1 and self.loose[0][1] == 1:
            (atom,) = self.loose[0][0]
            return atom, sub(of_atom(atom), self.poly)
        return None

    @cached_property
    def lowering(self) -> bool:
        """Whether it may bound an atom from below."""
        return any(c == -1 and len(m) == 1 for m, c in self.poly.terms)

    def floors(self, low: Mapping[Atom, int]) -> Lows:
        """Lower bounds of single atoms that `k - a + rest <= 0` gives, rest bounded below.

        `low`: lower bounds of atoms that are better than their static ones.
        """
        key = tuple(low.get(a) for a in self.atoms)
        found = self._floors.get(key)
        if found is None:
            within = Bounds({a: (k, None) for a, k in zip(self.atoms, key, strict=True) if k is not None})
            found = self._floors[key] = self._lows(within)
        return found

    def _lows(self, within: Bounds) -> Lows:
        terms = self.poly.terms
        lows = [scale(within.product(m), c)[0] for m, c in terms]
        unknown = lows.count(None)
        total = sum(low for low in lows if low is not None)
        return [
            (m[0], total - (low or 0))
            for (m, c), low in zip(terms, lows, strict=True)
            if len(m) == 1 and c == -1 and unknown == (low is None)
        ]


class Constraints:
    """The constraints that the questions about one kernel are asked under."""

    def __init__(self) -> None:
        self.monomials = Monomials()
        self._known: dict[Int, Constraint] = {}

    def of(self, poly: Int) -> Constraint:
        found = self._known.get(poly)
        if found is None:
            found = self._known[poly] = Constraint(poly, self.monomials)
        return found


def floors(constraints: Iterable[Constraint], start: Mapping[Atom, int] | None = None) -> dict[Atom, int]:
    """Lower bounds of single atoms, besides those to start with.

    A second pass uses what the first found: `n >= 1` and `n <= p` give `p >= 1`.
    """
    lowering = [g for g in constraints if g.lowering]
    out = dict(start or {})
    for _ in range(2):
        better = {a: k for a, k in out.items() if a.lo is None or k > a.lo}
        for g in lowering:
            for a, least in g.floors(better):
                if least > out.get(a, least - 1):
                    out[a] = least
    return out
