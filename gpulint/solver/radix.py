"""Mixed-radix reasoning: equal subscripts give equal coordinates.

Two points p and q touch the same element: `s(p) == s(q)` for each subscript `s`. Written as
`base + r_1*d_1 + ... + r_n*d_n`, with `base` and the radices the same for both points, the top digit
`d_n` is equal at both when the rest cannot make up a whole radix:

    upper(rest) - lower(rest) < r_n   =>   d_n(p) == d_n(q)

because `r_n * (d_n(p) - d_n(q)) == rest(q) - rest(p)` then lies strictly between -r_n and r_n. Peel
digits until none is left. Further steps: a quotient and a remainder by the same divisor that are
both equal give equal dividends; a remainder of a dividend that spans less than its divisor gives
the dividend; an injective array whose elements are equal gives equal subscripts. Equations
`t == 0` of a guard that holds at both points count as equal subscripts. What is derived is sound;
what is not derived may still be true. Unmet side conditions over launch symbols become clauses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpulint.contract.clause import Clause
from gpulint.solver import space
from gpulint.solver.residual import CAP, EXACT, Named, rank
from gpulint.solver.setting import Setting
from gpulint.term import (
    FALSE,
    TRUE,
    ZERO,
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Scope,
    Sym,
    add,
    conjuncts,
    exact,
    floordiv,
    ge,
    le,
    mul,
    neg,
    not_,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import ONE, monomial, of_atom
from gpulint.term.walk import atoms

LIMIT = 12  # digits of one subscript
ROUNDS = 8
_MARK = sym("bound", Scope.LAUNCH)


@dataclass
class Unifier:
    """Atoms known to have one value at both points, under clauses met on the way."""

    setting: Setting
    domain: Bool  # holds at each of the two points
    named: Named
    equal: set[Atom] = field(default_factory=set)
    clauses: list[Clause] = field(default_factory=list)
    may_assume: bool = True
    work: list[Int] = field(default_factory=list)

    def run(self, equations: list[Int]) -> None:
        """Derive what follows from the equations, and from those of the domain.

        What follows without a clause goes first: a clause is taken where nothing else is left.
        """
        self.work = list(equations)
        self.work += [c.poly for c in conjuncts(self.domain) if isinstance(c, Cmp) and c.op == "eq"]
        assume = False
        for _ in range(2 * ROUNDS):
            before = len(self.equal)
            pending, self.work = self.work, []
            for s in pending:
                tried = not assume or len(self.equal) == before  # one assumption, then what follows from it
                self.work += self._taken_apart(s, assume and tried) if tried else [s]
            self._quotients()
            stuck = len(self.equal) == before and self.work == pending
            if not self.work or (stuck and assume):
                return
            assume = stuck and self.may_assume

    def _taken_apart(self, s: Int, assume: bool) -> list[Int]:
        """What is left of an equation: its parts by a radix that digits share, or open digits."""
        for may in (False, True)[: 1 + assume]:
            parts = self._shared(s, may)
            if parts:
                return parts
            left = self._peel(s, may)
            if left is None:
                return []
            s = left
        return [s]

    def _shared(self, s: Int, assume: bool) -> list[Int]:
        """`[high, low]` of `s == R * high + low` with `0 <= low < R`, where several digits share factor R.

        Equal `s` give equal `high` and `low`, since R is one for both points. So rows and columns are told
        apart before the digits of either: of a row made of several digits, none is bounded by itself.
        """
        digits, whole = self._digits(s)
        if not whole or len(digits) < 2:
            return []
        loose = sub(s, self._still(s))
        for radix in self._radices(digits):
            high, low = divided(loose, radix)
            if len(self._digits(high)[0]) < 2 or not self.setting.prover.prove(
                self.domain, ge(low, 0), z3_too=False
            ):
                continue
            tiled = symbols(radix) & self.setting.tile_sizes  # no layout hangs on tiles
            found = self.below(low, radix, assume and not tiled)
            if found is not None and all(rank(c) < CAP for c in found):
                self.take(found)
                return [p for p in (high, low) if p != ZERO]
        return []

    def _still(self, s: Int) -> Int:
        """The part of a term that has one value at both points as it stands."""
        return add(*(mul(monomial(m), c) for m, c in s.terms if all(map(self._same, m))))

    def _radices(self, digits: dict[Atom, Int]) -> list[Int]:
        """Single parameters of the launch that are factors of some digits' radices, outermost axis first."""
        found = {a for r in digits.values() for m, _ in r.terms for a in m if isinstance(a, Sym)}
        return sorted(map(of_atom, found), key=lambda r: (self.declared(r), r.order))

    def fixed(self, t: Int) -> bool:
        """Whether a term has one value at both points."""
        return all(self._same(a) for m, _ in t.terms for a in m)

    def _same(self, a: Atom) -> bool:
        if a in self.equal:
            return True
        if isinstance(a, Sym):
            return a.scope is Scope.LAUNCH
        return all(self.fixed(x) if isinstance(x, Int) else self._same_bool(x) for x in a.args)

    def _same_bool(self, c: Bool) -> bool:
        return all(self._same(a) for a in atoms(c) if isinstance(a, Sym))

    def _learn(self, a: Atom) -> None:
        if a in self.equal:
            return
        self.equal.add(a)
        if isinstance(a, App) and a.op == "load" and self.setting.injective(a.data):
            self.work.extend(a.args)

    def assume_injective(self) -> bool:
        """Take the arrays whose elements are known equal as injective: clauses, then go on."""
        new = [a for a in self.equal if isinstance(a, App) and a.op == "load" and a.data in self.named.arrays]
        new = [a for a in new if not all(self.fixed(x) for x in a.args)]
        for a in sorted(new, key=lambda a: a.order):
            clause = Clause(predicate="injective", arrays=(a.data,))
            if clause not in self.clauses:
                self.clauses.append(clause)
            self.run(list(a.args))
        return bool(new)

    def assume_single(self, wanted: list[Int], index: Int) -> None:
        """Take a digit of a `wanted` coordinate that occurs nowhere to have one value, by a clause; go on.

        Such a digit is the quotient of a known remainder (`x < w` for `x % w`), the remainder of a known
        quotient (`w <= 1` for `x // w`), and what lies between the two (`w <= 1` for `x // (v*w)` and
        `x % v`). Only where the coordinate occurs nowhere else: points with another such digit do the same,
        so that launches are meant to have one value of it.
        """
        known = [a for a in sorted(self.equal, key=lambda a: a.order) if isinstance(a, App)]
        for a in (a for a in known if a.op in ("floordiv", "mod") and self.fixed(a.args[1])):
            x = a.args[0]
            mine = {space.atom_of(c) for c in wanted if not self.fixed(c)} & symbols(x)
            beside = [b for b in known if b != a and b.op in ("floordiv", "mod") and b.args[0] == x]
            used = {a: ZERO, **dict.fromkeys(beside, ZERO)}
            if not mine or mine & symbols(subst(self.domain, used), subst(index, used)):
                continue
            found = self._single(a, beside)
            if found is not None and all(rank(c) < EXACT for c in found):
                self.take(found)
                self.run([x])

    def _single(self, a: App, beside: list[App]) -> tuple[Clause, ...] | None:
        """The clause that the digit which a known quotient or remainder leaves open has one value."""
        x, w = a.args
        if a.op == "floordiv":
            return None if beside else self._one(w)
        parts = [exact(b.args[1], w) for b in beside if b.op == "floordiv"]
        between = next((p for p in parts if p is not None), None)
        if between is not None:
            return self._one(between)
        return None if beside else self._less(x, w, assume=True)

    def _one(self, w: Int) -> tuple[Clause, ...] | None:
        """The clause that a positive number is one; of a quotient `n // d`, that `n` is less than two `d`."""
        if not self.setting.prover.prove(self.domain, ge(w, 1), z3_too=False):
            return None
        a, top = w.atom, sub(w, ONE)
        if isinstance(a, App) and a.op == "floordiv" and self._sign(a.args[1]) > 0:
            top = add(sub(a.args[0], mul(a.args[1], 2)), ONE)
        return (Clause(space.unfold(le(top, 0))),) if self._nameable(top) else None

    def _quotients(self) -> None:
        """Dividends from quotient and remainder, or from a remainder alone."""
        for a in sorted(self.equal, key=lambda x: x.order):
            if not (isinstance(a, App) and a.op == "mod" and self.fixed(a.args[1])):
                continue
            x, w = a.args
            if self.fixed(x):
                continue
            other = self._quotient(x, w) or any(self._completes(b, x, w) for b in self.equal)
            if other or self._narrow(x, w):
                self.work.append(x)

    def _quotient(self, x: Int, w: Int) -> bool:
        """Whether a quotient of `x` by `w` is equal too, where `x` may be shifted by what is equal at both.

        With `y // w` equal and `x - y` equal, `y == w * q + r` at both, so that x differs by the difference
        of two remainders of `y`, less than w; `x % w` being equal, it is none.
        """
        quotients = (b for b in self.equal if isinstance(b, App) and b.op == "floordiv" and b.args[1] == w)
        return any(b.args[0] == x or self.fixed(_whole(sub(x, b.args[0]))) for b in quotients)

    def _completes(self, b: Atom, x: Int, w: Int) -> bool:
        """Whether an atom is the quotient `x // w`; `(y // v) // w` is `y // (v*w)` for a positive `w`."""
        if not isinstance(b, App) or b.op != "floordiv":
            return False
        inner = x.atom
        if b.args == (x, w) or not isinstance(inner, App) or inner.op != "floordiv":
            return b.args == (x, w)
        y, v = inner.args
        whole = b.args == (y, mul(v, w))
        return whole and bool(self.setting.prover.prove(self.domain, ge(w, 1), z3_too=False))

    def _digits(self, s: Int) -> tuple[dict[Atom, Int], bool]:
        """The digits of a subscript with their radices; False when some product hides one."""
        out: dict[Atom, Int] = {}
        for mono, coeff in s.terms:
            loose = [a for a in mono if not self._same(a)]
            if len(loose) == 0:
                continue
            if len(loose) > 1:
                return out, False
            rest = list(mono)
            rest.remove(loose[0])
            radix = mul(monomial(tuple(rest)), coeff)
            out[loose[0]] = add(out.get(loose[0], ZERO), radix)
        return out, len(out) <= LIMIT

    def _peel(self, s: Int, assume: bool) -> Int | None:
        """Learn the digits of `s` from the top; returns `s` when some are left."""
        while True:
            digits, whole = self._digits(s)
            if not digits:
                return None if whole else s
            if not whole:
                return s
            top = self._top(digits, assume=False) or (self._top(digits, assume=True) if assume else None)
            if top is None:
                return s
            self._learn(top)

    def _top(self, digits: dict[Atom, Int], assume: bool) -> Atom | None:
        """A digit whose radix the others cannot make up."""
        options: list[tuple[tuple[int, int, int, str], Atom, tuple[Clause, ...]]] = []
        for d in sorted(digits, key=lambda a: _weight(digits[a]), reverse=True):
            radix = digits[d]
            sign = self._sign(radix)
            if sign == 0:
                if not assume:
                    continue
                sign = 1
            size = radix if sign > 0 else neg(radix)
            rest = ZERO
            for other, r in digits.items():
                if other != d:
                    rest = add(rest, mul(r, of_atom(other)))
            found = self._less(rest, size, assume)
            if found == ():
                return d
            if found is not None:
                key = (max(rank(c) for c in found), len(found), self.declared(radix), str(found))
                options.append((key, d, found))
        options = [o for o in options if o[0][0] < EXACT]
        if not options:
            return None
        _, d, cs = min(options, key=lambda o: o[0])
        self.take(cs)
        return d

    def declared(self, radix: Int) -> int:
        """Where the first parameter in a radix stands: strides are named from the outermost axis in."""
        used = {x.name for x in symbols(radix)}
        places = (k for k, p in enumerate(self.setting.kernel.params) if p.name in used)
        return next(places, len(self.setting.kernel.params))

    def below(self, low: Int, radix: Int, assume: bool) -> tuple[Clause, ...] | None:
        """Show `low < radix` on the domain, for a `low` that is not negative there: () proved, clauses that
        give it, where `assume`, or None."""
        prover = self.setting.prover
        if prover.prove(self.domain, ge(sub(radix, low), 1), z3_too=False):
            return ()
        return self._least([add(sub(high, radix), ONE) for high in self._upper(low)[:4]]) if assume else None

    def take(self, clauses: tuple[Clause, ...]) -> None:
        """Go on under clauses."""
        self.clauses += [c for c in clauses if c not in self.clauses]
        self.setting = self.setting.with_premises(clauses)

    def _sign(self, radix: Int) -> int:
        prover = self.setting.prover
        if prover.prove(TRUE, ge(radix, 1), z3_too=False):
            return 1
        return -1 if prover.prove(TRUE, le(radix, -1), z3_too=False) else 0

    def constant(self, t: Int) -> bool:
        """Whether the domain pins a term to one value."""
        return self._less(t, ONE, assume=False) == ()

    def _narrow(self, x: Int, w: Int) -> bool:
        return self._less(x, w, assume=False) == ()

    def _less(self, rest: Int, size: Int, assume: bool) -> tuple[Clause, ...] | None:
        """Show `upper(rest) - lower(rest) < size`: () proved, clauses that give it, or None."""
        prover = self.setting.prover
        if rest == ZERO:
            goals = [sub(ONE, size)]
        else:
            highs = self._upper(rest)
            lows = [ZERO] if prover.prove(self.domain, ge(rest, 0), z3_too=False) else self._upper(neg(rest))
            goals = [add(sub(add(h, low), size), ONE) for h in highs[:4] for low in lows[:4]]
        for g in goals:
            if prover.prove(TRUE, le(g, 0), z3_too=False):
                return ()
        return self._least(goals) if assume else None

    def _least(self, goals: list[Int]) -> tuple[Clause, ...] | None:
        """The plainest of the clauses that say of one of these that it is at most zero."""
        prover = self.setting.prover
        options = [Clause(space.unfold(le(g, 0))) for g in goals if le(g, 0) != FALSE and self._nameable(g)]
        options = [c for c in options if not prover.prove(TRUE, not_(c.condition), z3_too=False)]
        return (min(options, key=lambda c: (rank(c), len(str(c)), str(c))),) if options else None

    def _nameable(self, g: Int) -> bool:
        return all(self.named.kept(a) for m, _ in g.terms for a in m)

    def _upper(self, t: Int) -> list[Int]:
        """Upper bounds of a term over the domain, as terms of the launch."""
        goal = sub(t, _MARK)
        mark = _MARK.atom

        def keep(a: Atom) -> bool:
            if a == mark or a in self.equal:
                return True
            return all(x.scope is Scope.LAUNCH for x in symbols(of_atom(a)))

        out = []
        for p in self.setting.prover.bounder(self.domain, goal).reduce(goal, keep):
            if mark is not None and any(c == -1 for m, c in p.terms if m == (mark,)):
                out.append(add(p, _MARK))
        return out


def _whole(t: Int) -> Int:
    """The term with each remainder `x % w` as `x - w * (x // w)`."""
    inner = (a for m, _ in t.terms for a in m if isinstance(a, App) and a.op == "mod")
    return subst(t, {a: sub(a.args[0], mul(a.args[1], floordiv(*a.args))) for a in inner})


def divided(t: Int, radix: Int) -> tuple[Int, Int]:
    """`(high, low)` with `t == radix * high + low`: the terms that the radix divides, and the others."""
    high, low = ZERO, ZERO
    for mono, coeff in t.terms:
        term = mul(monomial(mono), coeff)
        part = exact(term, radix) if mono else None
        high, low = (high, add(low, term)) if part is None else (add(high, part), low)
    return high, low


def _weight(radix: Int) -> tuple[int, int, str]:
    """Larger radices first: by number of factors, then by constant."""
    degree = max((len(m) for m, _ in radix.terms), default=0)
    size = max((abs(c) for _, c in radix.terms), default=0)
    return degree, size, radix.order
