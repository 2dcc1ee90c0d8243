"""Index arrays that name every place: a permutation scatters onto all of its range.

An array of `count` different integers from 0 to `count - 1` holds each of them exactly once. So a write at
`A[c]`, for a coordinate `c` that is used for nothing else in its subscripts, reaches the value `v` at
some `c` below `count`: which one is not known, and whatever else is asked of `c` must hold for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.term import (
    TRUE,
    ZERO,
    App,
    Bool,
    Int,
    Scope,
    Sym,
    and_,
    apps,
    ge,
    le,
    lt,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import of_atom


@dataclass(frozen=True)
class Place:
    """A coordinate that an index array hides: the value that the array gives at it, one of `count`."""

    coordinate: Sym
    value: Sym
    count: Int

    @property
    def somewhere(self) -> Int:
        """The coordinate at which the array has the value: any one below the count."""
        return sym(f"place of {self.value.name}", Scope.POINT, 0)

    def facts(self) -> Bool:
        return lt(self.somewhere, self.count)

    def reached(self, point: Mapping[Sym, Int]) -> tuple[Bool, ...]:
        """That the value at the point is one that the array holds."""
        value = point[self.value]
        return ge(value, 0), lt(value, self.count)


def permuted(s: Setting, seen: Seen) -> tuple[Seen, tuple[Place, ...]]:
    """The access with elements of permutations as coordinates of their own, and what they stand for."""
    places: list[Place] = []
    for a in apps(*seen.subscripts, op="load"):
        place = _place(s, seen, a)
        if place is not None and all(place.coordinate != p.coordinate for p in places):
            places.append(place)
            seen = _without(seen, a, of_atom(place.value))
    return seen, tuple(places)


def _without(seen: Seen, a: App, value: Int) -> Seen:
    return seen.mapped(lambda c: subst(c, {a: value}), lambda t: subst(t, {a: value}))


def _place(s: Setting, seen: Seen, a: App) -> Place | None:
    known = s.binding.elements.get(a.data) if s.binding is not None else None
    index = a.args[0] if len(a.args) == 1 else ZERO
    c = index.atom
    if known is None or not known.injective or not isinstance(c, Sym) or c.scope is Scope.LAUNCH:
        return None
    if known.count is None or known.low is None or known.high is None:
        return None
    rest = [subst(t, {a: ZERO}) for t in seen.subscripts]
    if c in symbols(*rest):
        return None
    whole = and_(ge(known.low, 0), le(known.high, sub(known.count, 1)))
    if not s.prover.prove(TRUE, whole, z3_too=False):
        return None
    value = sym(f"{a.data} at {c.name}", Scope.POINT, 0).atom
    return Place(c, value, known.count) if isinstance(value, Sym) else None
