"""What elimination may use under a set of constraints, the definitions of quotients and extremes included.

Goals under one set of constraints share the elimination over it; a goal that brings quotients or extremes
of its own has it extended by what defines them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import permutations

from gpulint.solver import ceilings, polydiv
from gpulint.solver.constraints import Constraint, Constraints, floors
from gpulint.solver.eliminate import SETTLE, Bounder
from gpulint.solver.flat import Flat, combined, without
from gpulint.term import App, Atom, Int, add, apps, const, floordiv, mod, mul, neg, sub
from gpulint.term.build import ONE, monomial, of_atom
from gpulint.term.interval import Bounds
from gpulint.term.node import Mono

MAX_QUOTIENTS = 6  # by one divisor that are compared with each other


class Given:
    """A set of constraints, and elimination over it."""

    def __init__(self, constraints: Sequence[Constraint], store: Constraints) -> None:
        self.constraints, self.store = constraints, store
        self.low = floors(constraints)
        self.atoms = dict.fromkeys(a for g in constraints for a in g.atoms)
        self._bounds = Bounds({a: (k, None) for a, k in self.low.items()})
        self._bounders: dict[tuple[int, tuple[App, ...]], Bounder] = {}

    def bounder(self, goals: Sequence[Int], settle: int = SETTLE) -> Bounder:
        """Elimination for goals; `settle`: steps for a goal over launch symbols."""
        extra = tuple(a for a in apps(*goals) if a not in self.atoms)
        found = self._bounders.get((settle, extra))
        if found is None:
            if extra:
                found = self.bounder((), settle).extended(self._of(self.define(extra)))
            else:
                whole = [*self.constraints, *self._of(self.define(()))]
                found = Bounder(whole, self.store.monomials, settle)
            self._bounders[settle, extra] = found
        return found

    def _of(self, polys: Iterable[Int]) -> list[Constraint]:
        return [self.store.of(p) for p in polys]

    def at_least(self, t: Int, floor: int) -> bool:
        """Whether a term is at least a number by static bounds and lower bounds of atoms."""
        if t.lo is not None and t.lo >= floor:
            return True
        found = self._bounds(t)[0]
        if found is not None and found >= floor:
            return True
        return len(t.terms) > 1 and self._given(self.store.monomials.flat(sub(floor, t)))

    def define(self, extra: Sequence[App]) -> list[Int]:
        """Constraints that define the quotients, remainders and extremes of the set; or `extra` ones, goals'.

        Lower bounds that the constraints (at most zero) state of single atoms are used to see that a
        divisor is positive or a dividend not negative. A goal is not known to be at most zero, so it states
        nothing: `w >= 1` must not follow from a quotient by `w` that was read as one by a positive number.
        """
        out: list[Int] = []
        own = [a for a in self.atoms if isinstance(a, App)]
        for a in extra or own:
            t = of_atom(a)
            if a.op in ("floordiv", "mod") and self.at_least(a.args[1], 1):
                out += self._quotient(a, t) if a.op == "floordiv" else self._remainder(a, t)
                out += self._both(a, extra)
            elif a.op == "min":
                out += [sub(t, x) for x in a.args]
            elif a.op == "max":
                out += [sub(x, t) for x in a.args]
        return out + self._ordered_quotients(extra, own)

    def _quotient(self, a: App, t: Int) -> list[Int]:
        x, w = a.args
        out = [sub(mul(w, t), x), sub(add(x, ONE), add(mul(w, t), w))]
        out += self._quotient_bounds(t, x, w)
        same = [g.poly for g in self._by_loose.get(tuple(ceilings.loose(x)), ())]
        out += ceilings.quotient(a, same, self.tops, lambda y: self.at_least(y, 0))
        return [*out, neg(t)] if self.at_least(x, 0) else out

    def _remainder(self, a: App, t: Int) -> list[Int]:
        x, w = a.args
        out = [add(sub(t, w), ONE), neg(t)]
        return [*out, sub(t, x)] if self.at_least(x, 0) else out

    def _both(self, a: App, extra: Sequence[App]) -> list[Int]:
        """`x == w * (x // w) + x % w` where the set or `extra` hold both, told with the later of the two."""
        x, w = a.args
        q, r = floordiv(x, w), mod(x, w)
        other = (q if a.op == "mod" else r).atom
        if other not in self.atoms and (a.op != "mod" or other not in extra):
            return []
        if a.op == "floordiv" and not extra:
            return []
        whole = add(mul(w, q), r)
        return [sub(whole, x), sub(x, whole)]

    @cached_property
    def tops(self) -> dict[Atom, Int]:
        """The largest values, over numbers of the launch, that constraints give single atoms."""
        return dict(reversed([g.top for g in self.constraints if g.top is not None]))

    @cached_property
    def _by_loose(self) -> dict[tuple[tuple[Mono, int], ...], list[Constraint]]:
        out: dict[tuple[tuple[Mono, int], ...], list[Constraint]] = {}
        for g in self.constraints:
            out.setdefault(g.loose, []).append(g)
        return out

    @cached_property
    def _by_mono(self) -> dict[Mono, list[Constraint]]:
        out: dict[Mono, list[Constraint]] = {}
        for g in self.constraints:
            for m in g.coefficients:
                out.setdefault(m, []).append(g)
        return out

    def _quotient_bounds(self, t: Int, x: Int, w: Int) -> list[Int]:
        """`x // w <= h - 1` from a constraint `x <= h*w - 1`, for a symbolic divisor.

        Sound: `x < h*w` and `w >= 1` give `x // w < h`.
        """
        top, own = w.atom, dict(x.terms)
        if top is None:
            first = next((m for m in own if m), None)
            near = self._by_mono.get(first, ()) if first is not None and w.value is None else ()
            return polydiv.bounds(t, x, w, (g.poly for g in near))
        out = []
        for g in self._sharing(own, top):
            if not _times(top, own, g):
                continue
            limit = sub(x, g.poly)  # g <= 0 says x <= limit
            if limit.constant < 0 and len(limit.terms) > 1:
                rest = [(tuple(without(m, (top,))), c) for m, c in limit.terms if m]
                height = add(*(mul(monomial(m), c) if m else const(c) for m, c in rest))
                out.append(add(sub(t, height), ONE))
        return out

    def _sharing(self, own: dict[Mono, int], top: Atom) -> Sequence[Constraint]:
        """The constraints that may bound a dividend by a multiple of its divisor."""
        first = next((m for m in own if m and top not in m), None)
        return self.constraints if first is None else self._by_mono.get(first, ())

    def _ordered_quotients(self, extra: Sequence[App], own: Sequence[App]) -> list[Int]:
        """`x // w + k <= y // w` for quotients by a positive divisor where a constraint gives `x + k*w <= y`.

        Sound: floor division by w >= 1 is monotone, and `(x + k*w) // w == x // w + k`.
        """
        by: dict[Int, list[App]] = {}
        for a in (*extra, *own):
            if a.op == "floordiv" and (a.args[1] in by or self.at_least(a.args[1], 1)):
                by.setdefault(a.args[1], []).append(a)
        flat, new, out = self.store.monomials.flat, set(extra), []
        for w, quotients in by.items():
            step = flat(w)
            numbered = [(a, flat(a.args[0])) for a in quotients[:MAX_QUOTIENTS]]
            for (a, x), (b, y) in permutations(numbered, 2):
                if new and a not in new and b not in new:
                    continue
                gap = combined(x, 1, y, 1)
                ahead = next((k for k in (1, 0, -1) if self._given(combined(gap, 1, step, -k))), None)
                if ahead is not None:
                    out.append(add(sub(of_atom(a), of_atom(b)), ahead))
        return out

    @cached_property
    def _by_number(self) -> dict[int, list[Flat]]:
        out: dict[int, list[Flat]] = {}
        for g in self.constraints:
            for m in g.flat:
                out.setdefault(m, []).append(g.flat)
        return out

    def _given(self, p: Flat) -> bool:
        """Whether `p <= 0` by one constraint, or by static bounds.

        A term without an upper bound must be the constraint's as well, whichever term that is.
        """
        monomials = self.store.monomials
        if monomials.below(p, {}):
            return True
        open_ = next((m for m, c in p.items() if monomials.static(m)[c > 0] is None), None)
        near = (g.flat for g in self.constraints) if open_ is None else self._by_number.get(open_, ())
        return any(monomials.below(p, g) for g in near)


def _times(top: Atom, own: dict[Mono, int], g: Constraint) -> bool:
    """Whether the terms in which a polynomial and a constraint differ hold a factor, numbers aside."""
    theirs = g.coefficients
    return all(theirs.get(m) == c for m, c in own.items() if m and top not in m) and all(
        m in own for m in theirs if m and top not in m
    )
