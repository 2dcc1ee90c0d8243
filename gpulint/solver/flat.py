"""Polynomials as dictionaries over numbered monomials: what elimination computes with.

An interned `Int` knows its bounds, its hash and its sort key; elimination makes thousands of sums that
live for one step and need none of these. Here a monomial is a small number, a polynomial a dictionary
from numbers to coefficients. `Monomials` belongs to one kernel and is dropped with it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

from gpulint.term import Atom, Int, add
from gpulint.term.build import monomial
from gpulint.term.interval import Interval, of_terms
from gpulint.term.node import Mono

Flat = dict[int, int]
MAX_DEGREE = 16  # atoms of a monomial that elimination makes
MAX_FACTORS = 5  # of a monomial whose parts are all tried
UNIT = 0  # the number of the empty monomial


class Numbered:
    """One monomial: its atoms, its place in the order of a polynomial's terms, and its divisors."""

    __slots__ = ("__dict__", "atoms", "rank")

    def __init__(self, atoms: Mono) -> None:
        self.atoms = atoms
        self.rank = (len(atoms), [a.order for a in atoms])

    @cached_property
    def parts(self) -> list[tuple[Mono, Mono]]:
        """(part, rest) with part * rest the monomial: all of it, some of its atoms, single ones."""
        m = self.atoms
        parts = {m, *((a,) for a in m)} if len(m) > 1 else {m}
        if 3 <= len(m) <= MAX_FACTORS:
            parts |= {p for n in range(2, len(m)) for p in combinations(m, n)}
        return [(p, without(m, p)) for p in sorted(parts, key=lambda q: (-len(q), [a.order for a in q]))]


class Monomials:
    """Numbers for monomials, and their products."""

    def __init__(self) -> None:
        self.known: list[Numbered] = [Numbered(())]
        self._numbers: dict[Mono, int] = {(): UNIT}
        self._products: dict[tuple[int, int], int] = {}
        self._static: dict[int, Interval] = {UNIT: (1, 1)}
        self._parts: dict[int, list[tuple[int, int]]] = {}

    def number(self, m: Mono) -> int:
        found = self._numbers.get(m)
        if found is None:
            found = self._numbers[m] = len(self.known)
            self.known.append(Numbered(m))
        return found

    def flat(self, p: Int) -> Flat:
        return {self.number(m): c for m, c in p.terms}

    def term(self, p: Flat) -> Int:
        return add(*(monomial(self.known[m].atoms, c) for m, c in p.items()))

    def static(self, m: int) -> Interval:
        """The bounds of a monomial by the static bounds of its atoms."""
        found = self._static.get(m)
        if found is None:
            found = self._static[m] = of_terms(((self.known[m].atoms, 1),))
        return found

    def below(self, p: Flat, q: Flat) -> bool:
        """Whether `p <= q` by the static bounds of the atoms in their difference."""
        top = 0
        for m, c in q.items():
            if m not in p:
                edge = self.static(m)[c < 0]
                if edge is None:
                    return False
                top -= c * edge
        for m, c in p.items():
            c -= q.get(m, 0)
            edge = self.static(m)[c > 0] if c else 0
            if edge is None:
                return False
            top += c * edge
        return top <= 0

    def parts(self, m: int) -> list[tuple[int, int]]:
        """The divisors of a monomial that elimination tries, longest first, with what is left."""
        found = self._parts.get(m)
        if found is None:
            found = [(self.number(p), self.number(r)) for p, r in self.known[m].parts]
            self._parts[m] = found
        return found

    def times(self, p: Flat, m: int) -> Flat | None:
        """A polynomial times a monomial; None when the degree grows beyond what is worth following."""
        if m == UNIT:
            return p
        out: Flat = {}
        for n, c in p.items():
            product = self._product(n, m)
            if product is None:
                return None
            out[product] = c
        return out

    def _product(self, a: int, b: int) -> int | None:
        if a == UNIT or b == UNIT:
            return a or b
        key = (a, b) if a < b else (b, a)
        found = self._products.get(key)
        if found is None:
            both = (*self.known[a].atoms, *self.known[b].atoms)
            if len(both) > MAX_DEGREE:
                return None
            found = self._products[key] = self.number(tuple(sorted(both, key=_order)))
        return found


def combined(p: Flat, k: int, q: Flat, n: int) -> Flat:
    """`k*p - n*q`."""
    out = dict(p) if k == 1 else {m: c * k for m, c in p.items()}
    for m, c in q.items():
        left = out.get(m, 0) - c * n
        if left:
            out[m] = left
        else:
            out.pop(m, None)
    return out


def _order(a: Atom) -> str:
    return a.order


def without(m: Mono, part: Mono) -> Mono:
    """The monomial without the atoms of a divisor of it."""
    left = list(m)
    for a in part:
        left.remove(a)
    return tuple(left)
