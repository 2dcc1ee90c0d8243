"""The elimination of unwanted atoms from a goal `p <= 0`, step by step towards fewer monomials.

See `bound` for what a certificate is. The search is best first, bounded by a number of steps, and the same
on every machine. Constraints and results are terms; the search itself runs on `flat` polynomials.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from copy import copy

from gpulint.solver.constraints import Constraint, floors
from gpulint.solver.flat import UNIT, Flat, Monomials, combined
from gpulint.term import ZERO, App, Atom, Int, Scope
from gpulint.term.interval import Bounds, Interval, meet
from gpulint.term.walk import made_of

Keep = Callable[[Atom], bool]
Kept = Callable[[int], bool]  # of the number of a monomial
NODES = 80  # search steps for one goal
FAIR = 4  # of so many steps one goes on with what has waited longest, as light ones may never end
SETTLE = 16  # for a goal over kept atoms; a search that is given more takes as many for any goal
MAX_TERMS = 24  # monomials of a polynomial worth going on with
HUGE = 2**24
WRITTEN = 2**16 - 3  # beyond the sizes that code writes down: limits of tiles and of the device's grid
FOUND = 6  # candidates for one goal
MAX_SCALE = 2**512  # factor of one step


class Bounder:
    """Constraints indexed for elimination; those on single atoms become bounds of the atoms."""

    def __init__(self, constraints: Iterable[Constraint], monomials: Monomials, settle: int = SETTLE) -> None:
        self.monomials, self.settle = monomials, settle
        self._constraints = dict.fromkeys(constraints)
        self._floors = floors(self._constraints)
        self.edges: dict[Atom, Interval] = {a: (low, None) for a, low in self._floors.items()}
        self._by_mono: dict[tuple[int, bool], list[tuple[Flat, int]]] = {}
        self._index(self._constraints)
        self._forget()

    def extended(self, more: Iterable[Constraint]) -> Bounder:
        """Elimination over more constraints. What they say of atoms is not asked of the others again."""
        out = copy(self)
        new = dict.fromkeys(g for g in more if g not in self._constraints)
        out._constraints = self._constraints | new
        out._floors = floors(new, self._floors)
        out.edges = dict(self.edges)
        for a, low in out._floors.items():
            if low != self._floors.get(a):
                out.edges[a] = meet(out.edges.get(a, (None, None)), (low, None))
        out._by_mono = dict(self._by_mono)
        out._index(new)
        out._forget()
        return out

    def _index(self, constraints: Iterable[Constraint]) -> None:
        new: dict[tuple[int, bool], list[tuple[Flat, int]]] = {}
        for g in constraints:
            if g.single is not None:
                a, edge = g.single
                self.edges[a] = meet(self.edges.get(a, (None, None)), edge)
                continue
            for m, c in g.flat.items():
                if m != UNIT:
                    new.setdefault((m, c > 0), []).append((g.flat, c))
        for key, found in new.items():
            self._by_mono[key] = [*self._by_mono.get(key, ()), *found]

    def _forget(self) -> None:
        self._edge: dict[Atom, Interval] = {}
        self._nonneg: dict[int, bool] = {UNIT: True}
        self._range: dict[int, Interval] = {UNIT: (1, 1)}
        self._bounds = Bounds(self.edges)
        self._wide: dict[int, list[int]] = {}
        self._proved: dict[Int, bool] = {}
        self._settled: dict[frozenset[tuple[int, int]], bool] = {}

    def proves(self, p: Int) -> bool:
        """Whether `p <= 0` follows: what differs between points is eliminated first, or anything."""
        found = self._proved.get(p)
        if found is None:
            ways = ((still, FOUND), (_none, 1))
            found = self._proved[p] = any(self.reduce(p, keep, n) == [ZERO] for keep, n in ways)
        return found

    def reduce(self, p: Int, keep: Keep, wanted: int = FOUND) -> list[Int]:
        """Polynomials `p'` with `p' <= 0` sufficient for `p <= 0`, unwanted atoms gone.

        A proof comes back as the only one, `ZERO`. The order is that of discovery.
        """
        return _Search(self, keep, wanted).run(p)

    def edge(self, a: Atom) -> Interval:
        found = self._edge.get(a)
        if found is None:
            found = self._edge[a] = meet((a.lo, a.hi), self.edges.get(a, (None, None)))
        return found

    def nonneg(self, m: int) -> bool:
        """Whether a monomial is a product of atoms that are not negative."""
        found = self._nonneg.get(m)
        if found is None:
            lows = (self.edge(a)[0] for a in self.monomials.known[m].atoms)
            found = self._nonneg[m] = all(low is not None and low >= 0 for low in lows)
        return found

    def range(self, m: int) -> Interval:
        """The bounds of a monomial by those of its atoms, arguments of applications included."""
        found = self._range.get(m)
        if found is None:
            found = self._range[m] = self._bounds.product(self.monomials.known[m].atoms)
        return found

    def negative(self, p: Flat) -> bool:
        """Whether `p <= 0` by the bounds of its atoms alone."""
        top = 0
        for m, c in p.items():
            low, high = self.range(m)
            edge = high if c > 0 else low
            if edge is None:
                return False
            top += c * edge
        return top <= 0

    def settled(self, q: Flat) -> bool:
        """Whether a polynomial over kept atoms is at most zero by the constraints at hand."""
        key = frozenset(q.items())
        found = self._settled.get(key)
        if found is None:
            found = self._settled[key] = self._settle(q)
        return found

    def _settle(self, q: Flat) -> bool:
        known = self.monomials.known
        stack, seen, longest = [q], {frozenset(q.items())}, len(q) + 2
        for steps in range(self.settle):
            if steps >= len(stack):
                return False
            r = stack[steps]
            if self.negative(r):
                return True
            for m in sorted(r, key=lambda m: known[m].rank):
                for n in self.options(r, m, edges=False) if m != UNIT else ():
                    if len(n) > longest:
                        break
                    key = frozenset(n.items())
                    if key not in seen:
                        seen.add(key)
                        stack.append(n)
        return False

    def options(self, p: Flat, m: int, edges: bool, keep: Kept | None = None) -> list[Flat]:
        """Polynomials at least `p` (up to a positive factor) without `m`, fewest monomials first.

        `edges`: also put the bounds of single atoms in their place, those beyond WRITTEN apart, which say
        nothing of the code; without it only in products, and up to HUGE. Monomials that `keep` names
        give way only together with others.
        """
        c, longest = p[m], len(p) + 4
        known, by_mono = self.monomials, self._by_mono
        out: list[Flat] = []
        for part, rest in known.parts(m):
            if not self.nonneg(rest) or (keep is not None and keep(part)):
                continue
            for g, k in by_mono.get((part, c > 0), ()):
                if len(g) > longest:
                    continue
                scale = math.lcm(c, k)
                factored = known.times(g, rest) if scale < MAX_SCALE else None
                if factored is not None:
                    out.append(combined(p, scale // abs(c), factored, scale // abs(k)))
            if edges or rest != UNIT:
                bound = self._bound(part, c)
                if bound is not None and abs(bound) <= (WRITTEN if edges else HUGE):
                    out.append(combined(p, 1, {m: 1, rest: -bound} if bound else {m: 1}, c))
        if c > 0 and (keep is not None or not edges) and self.nonneg(m):
            out += [combined(p, 1, {m: 1, wide: -1}, c) for wide in self._wider(m)]
        out.sort(key=len)
        return out

    def _wider(self, m: int) -> list[int]:
        """Bounded products of more factors, each of the others at least one: `a*b <= a*b*c` for `c >= 1`."""
        found = self._wide.get(m)
        if found is None:
            found = self._wide[m] = self._widened(m)
        return found

    def _widened(self, m: int) -> list[int]:
        known, own = self.monomials.known, self.monomials.known[m].atoms
        out = []
        for wide, positive in self._by_mono:
            whole = known[wide].atoms
            if positive and len(own) < len(whole) <= len(own) + 2 and all(a in whole for a in own):
                others = [a for a in whole if a not in own]
                if len(others) == len(whole) - len(own) and all((self.edge(a)[0] or 0) >= 1 for a in others):
                    out.append(wide)
        return out

    def _bound(self, part: int, c: int) -> int | None:
        """The bound of a single atom that a positive (negative) coefficient asks for."""
        atoms = self.monomials.known[part].atoms
        if len(atoms) != 1:
            return None
        low, high = self.edge(atoms[0])
        return high if c > 0 else low


class _Queue:
    """Polynomials to go on with: the lightest, or the one that has waited longest."""

    def __init__(self, start: Flat) -> None:
        self.entries: list[Flat | None] = []
        self.heap: list[tuple[int, int]] = []
        self.first = 0
        self.push(0, start)

    def push(self, weight: int, p: Flat) -> None:
        heapq.heappush(self.heap, (weight, len(self.entries)))
        self.entries.append(p)

    def pop(self, oldest: bool) -> Flat | None:
        """Takes one out; None when nothing is left."""
        while oldest and self.first < len(self.entries):
            self.first += 1
            p = self._take(self.first - 1)
            if p is not None:
                return p
        while self.heap:
            p = self._take(heapq.heappop(self.heap)[1])
            if p is not None:
                return p
        return None

    def _take(self, k: int) -> Flat | None:
        p, self.entries[k] = self.entries[k], None
        return p


class _Search:
    """One search for a goal, with what its `keep` says of monomials."""

    def __init__(self, bounder: Bounder, keep: Keep, wanted: int) -> None:
        self.b, self.keep, self.wanted = bounder, keep, wanted
        self.edges = keep is not _none
        self.still = self._kept_whole if keep is still else None
        self._kept: dict[int, bool] = {UNIT: True}

    def run(self, p: Int) -> list[Int]:
        start = self.b.monomials.flat(p)
        found: list[Flat] = []
        hopeless: list[Flat] = []
        seen = {frozenset(start.items())}
        queue = _Queue(start)
        steps = 0
        while steps < max(NODES, self.b.settle) and len(found) < self.wanted:
            q = queue.pop(oldest=steps % FAIR == FAIR - 1)
            if q is None:
                break
            steps += 1
            if self.b.negative(q):
                return [ZERO]
            m = self._pick(q)
            if m is None:
                if not q or q.keys() == {UNIT}:
                    hopeless.append(q)  # this way leads nowhere, another may
                    continue
                if self.b.settled(q):
                    return [ZERO]
                found.append(q)
                continue
            for n in self.b.options(q, m, self.edges, self.still):
                if len(n) > MAX_TERMS:
                    break  # the longer ones follow
                key = frozenset(n.items())
                if key not in seen:
                    seen.add(key)
                    queue.push(2 * self._loose(n) + len(n), n)
        return [self.b.monomials.term(q) for q in found + hopeless[:1]]

    def _kept_whole(self, m: int) -> bool:
        found = self._kept.get(m)
        if found is None:
            found = self._kept[m] = all(map(self.keep, self.b.monomials.known[m].atoms))
        return found

    def _loose(self, p: Flat) -> int:
        return sum(not self._kept_whole(m) for m in p)

    def _pick(self, p: Flat) -> int | None:
        """The monomial to eliminate next: the longest that holds an unwanted atom."""
        known = self.b.monomials.known
        loose = [m for m in p if not self._kept_whole(m)]
        if len(loose) < 2:
            return loose[0] if loose else None
        return min(loose, key=lambda m: (-known[m].rank[0], known[m].rank[1]))


def _none(_: Atom) -> bool:
    return False


def still(a: Atom) -> bool:
    """Whether an atom has one value for all points of a launch."""
    if isinstance(a, App) and a.op == "load":
        return False
    return all(x.scope is Scope.LAUNCH for x in made_of(a)[0])
