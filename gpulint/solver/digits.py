"""An element as a number of mixed radix: one unknown digit for each group of a subscript's coordinates.

A subscript `z*T*V + (16*y + i)*V + 16*x + j` has the radices `T*V`, `V` and `1`, each a multiple of the
next. Every element `e >= 0` is `g0*T*V + g1*V + g2` in exactly one way with `0 <= g1 < T` and
`0 <= g2 < V` (Euclid's division, the radices being positive). Coordinates whose radices are no
multiples of each other form a group with one digit, which is split on by quotients: `x = g2 // 16`,
`j = g2 - 16*x`. Over the digits the range of the point is nearly linear, where `e // V % T` is not.

`split` only chooses; that the point lies in the access's domain and writes the element is for the caller
to prove, for all digits within `ranges` and given that `radices` are positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as Set
from dataclasses import dataclass, replace

from gpulint.solver.inverse import apart, completed, digits_of, divided, halves_of
from gpulint.solver.space import Seen
from gpulint.term import ONE, ZERO, Bool, Int, Scope, Sym, add, exact, ge, lt, mul, sub, sym
from gpulint.term.build import of_atom
from gpulint.term.walk import atoms

Digit = tuple[Sym, Int]  # a coordinate and its radix


@dataclass(frozen=True)
class Digits:
    """The element over its digits, the point that writes it, and what holds of the digits."""

    element: Int
    point: dict[Sym, Int]
    ranges: tuple[Bool, ...]
    radices: tuple[Int, ...]
    top: Int  # the digit of the largest radix, which no width bounds

    def below(self, extent: Int) -> tuple[Bool, ...]:
        """What `element < extent` says of the top digit: `g*r <= e < b*r` gives `g < b`."""
        count = exact(extent, self.radices[0])
        return () if count is None else (lt(self.top, count),)


def of(seen: Seen, sizes: Sequence[Int], held: Set[Sym] = frozenset()) -> Digits | None:
    """The digits of an access with one subscript, and a value for every coordinate but the `held` ones."""
    halves = halves_of(seen.subscripts, frozenset())
    found = split(apart(seen.subscripts[0], halves), sizes)
    if found is None:
        return None
    point = completed(seen, found.point, halves, held)
    return None if point is None else replace(found, point=point)


def split(s: Int, sizes: Sequence[Int], held: Set[Sym] = frozenset()) -> Digits | None:
    """The digits of a subscript without a fixed part; None where its radices are not nested.

    `sizes` are the lengths of the tile's axes: a radix made of one lies below another of its degree.
    """
    found = digits_of(s, held)
    if not found or sub(s, add(*(mul(r, of_atom(d)) for d, r in found))) != ZERO:
        return None
    small = set(atoms(*sizes))
    levels = _levels(sorted(found, key=lambda p: _height(p[1], small)))
    if levels is None or levels[0][0][1] != ONE:
        return None
    return _numbered(levels)


def _height(radix: Int, small: Set[object]) -> tuple[int, int, int, str]:
    degree = max((len(m) for m, _ in radix.terms), default=0)
    tile = any(a in small for m, _ in radix.terms for a in m)
    return degree, 0 if tile else 1, max((abs(c) for _, c in radix.terms), default=0), radix.order


def _levels(ascending: list[Digit]) -> list[list[Digit]] | None:
    """Groups from the smallest radix up: each starts at a multiple of where the one below starts."""
    levels: list[list[Digit]] = []
    for d, r in ascending:
        if levels and r == levels[-1][0][1]:
            return None  # two coordinates of one radix: which of them moves is open
        while levels and exact(r, levels[-1][0][1]) is None:
            if len(levels) == 1:
                return None
            upper = levels.pop()
            levels[-1] += upper
        levels.append([(d, r)])
    return levels


def _numbered(levels: list[list[Digit]]) -> Digits:
    element, ranges = ZERO, []
    point: dict[Sym, Int] = {}
    top = ZERO
    for k, group in enumerate(levels):
        start = group[0][1]
        top = sym(f"digit{k}", Scope.POINT, 0)
        element = add(element, mul(start, top))
        if k + 1 < len(levels):
            width = exact(levels[k + 1][0][1], start)
            assert width is not None
            ranges.append(lt(top, width))
        rest = top
        for d, r in reversed(group[1:]):
            step = exact(r, start)
            assert step is not None
            point[d] = divided(rest, step)
            rest = sub(rest, mul(step, point[d]))
        point[group[0][0]] = rest
    radices = tuple(group[0][1] for group in reversed(levels))
    return Digits(element, point, (*ranges, ge(top, 0)), radices, top)
