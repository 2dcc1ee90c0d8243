"""Equations of two points, split by a radix into equations of their digits.

Where `E == 0` reads `R * Q + rest == 0` with `R > 0` and `-R < rest < R`, it follows that `rest == 0` and
`Q == 0`: otherwise |R * Q| would be at least R. `R` is a product of launch symbols that divides all of `Q`;
which one is tried decides what is found, never whether it holds. Unlike `radix`, the two points may have
subscripts of different form, as with `x[i]` and `x[i + half]`. What the bounds of a rest need of the launch
(`2 * half <= stride`) may be taken as clauses.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.contract.clause import Clause
from gpulint.solver.prover import Prover
from gpulint.solver.ranges import settle
from gpulint.solver.residual import CAP, Named
from gpulint.solver.setting import Setting
from gpulint.term import FALSE, TRUE, ZERO, Bool, Cmp, Int, Scope, add, and_, eq, ge, le, mul, neg, symbols
from gpulint.term.build import monomial, of_atom
from gpulint.term.mono import without

MAX_RADICES = 6  # tried of one equation
MAX_ASSUMED = 4  # equations split under clauses
MAX_STEPS = 12  # equations split in all


def derived(prover: Prover, conditions: Sequence[Bool]) -> list[Bool]:
    """Equations that follow from the conditions; FALSE among them when these contradict each other."""
    whole = and_(*conditions)
    work = [c.poly for c in conditions if isinstance(c, Cmp) and c.op == "eq"]
    out: list[Bool] = []
    for _ in range(MAX_STEPS):
        if not work:
            break
        parts = _split(prover, whole, work.pop())
        for p in parts:
            if eq(p, 0) == FALSE:
                return [FALSE]
        out += [eq(p, 0) for p in parts]
        work += parts
    return out


def _split(prover: Prover, whole: Bool, e: Int) -> list[Int]:
    for radix in _radices(e)[:MAX_RADICES]:
        q, rest = divided(e, radix)
        if rest == ZERO or q == ZERO or not prover.prove(TRUE, ge(radix, 1), z3_too=False):
            continue
        inside = (le(add(rest, 1), radix), le(add(neg(rest), 1), radix))
        if all(prover.prove(whole, goal, z3_too=False) for goal in inside):
            return [q, rest]
    return []


def parted(s: Setting, conditions: Sequence[Bool], named: Named) -> tuple[Clause, ...]:
    """Clauses under which the conditions contradict each other, by equations that split under them."""
    whole = and_(*conditions)
    work = [c.poly for c in conditions if isinstance(c, Cmp) and c.op == "eq"]
    bounds = and_(*(c for c in conditions if not isinstance(c, Cmp) or c.op != "eq"))
    taken: dict[Clause, None] = {}
    known: list[Bool] = []
    for _ in range(MAX_ASSUMED):
        if not work:
            return ()
        under = s.with_premises(taken)
        for radix in _shared(s, e := work.pop(), named)[:MAX_RADICES]:
            parts = divided(e, radix)
            need = _needed(under, bounds, radix, parts[1], named) if parts[0] != ZERO else None
            if need is None:
                continue
            taken.update(dict.fromkeys(need))
            known += [eq(p, 0) for p in parts]
            if FALSE in known or s.with_premises(taken).prover.unsat(whole, *known):
                return tuple(taken) if not s.prover.unsat(*(c.condition for c in taken)) else ()
            work += parts
            break
    return ()


def _shared(s: Setting, e: Int, named: Named) -> list[Int]:
    """The radices that a host can name: those first that divide most of an equation, as a row's stride.

    Of two alike the one whose parameter is declared first: strides are named from the outermost axis in.
    """
    places = {p.name: k for k, p in enumerate(s.kernel.params)}
    told = [r for r in _radices(e) if symbols(r) and all(map(named.kept, symbols(r)))]
    declared = {r: min((places[x.name] for x in symbols(r) if x.name in places), default=0) for r in told}
    return sorted(told, key=lambda r: (len(divided(e, r)[1].terms), declared[r], r.order))


def _needed(s: Setting, bounds: Bool, radix: Int, rest: Int, named: Named) -> tuple[Clause, ...] | None:
    """The clauses under which a rest is smaller than the radix in magnitude; None where none say so.

    What is known of both points is asked for without their meeting, which would only come back as a clause.
    How a tensor is laid out says nothing of the tiles that walk over it, and so no clause does.
    """
    out: dict[Clause, None] = {}
    for goal in (ge(radix, 1), le(add(rest, 1), radix), le(add(neg(rest), 1), radix)):
        found = settle(s, bounds, goal, named)
        tiled = any(symbols(c.condition) & s.tile_sizes for c in found.clauses)
        if not found.how and (not found.clauses or found.rank >= CAP or tiled):
            return None
        out.update(dict.fromkeys(found.clauses if not found.how else ()))
    return tuple(out)


def divided(e: Int, radix: Int) -> tuple[Int, Int]:
    """The monomials that the radix divides, over it, and all others."""
    ((by, count),) = radix.terms
    q, rest = ZERO, ZERO
    for mono, coeff in e.terms:
        left = without(mono, by)
        if left is None or coeff % count:
            rest = add(rest, mul(monomial(mono), coeff))
        else:
            q = add(q, mul(monomial(left), coeff // count))
    return q, rest


def _radices(e: Int) -> list[Int]:
    """The factors of points' coordinates, the larger ones first."""
    found: dict[Int, None] = {}
    for mono, coeff in e.terms:
        loose = [a for a in mono if any(x.scope is not Scope.LAUNCH for x in symbols(of_atom(a)))]
        if len(loose) == 1:
            rest = list(mono)
            rest.remove(loose[0])
            found[mul(monomial(tuple(rest)), abs(coeff))] = None
    return sorted(found, key=_weight, reverse=True)


def _weight(radix: Int) -> tuple[int, int, str]:
    ((mono, coeff),) = radix.terms
    return len(mono), coeff, radix.order
