"""What is missing for a goal: sufficient conditions over host-checkable symbols, as clauses.

Starting from a goal `p <= 0` that does not follow, elimination leaves polynomials over launch
symbols and loaded elements whose being at most zero suffices. Each becomes a clause: a comparison, or
`within(idx, lo, hi)` when one loaded element is left with a constant factor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Union

from gpulint.contract.clause import EVERY, Clause
from gpulint.solver import cases, space
from gpulint.solver.bound import extremes, multiplied
from gpulint.solver.prover import Prover
from gpulint.term import (
    FALSE,
    TRUE,
    ZERO,
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Junction,
    Literal,
    Scope,
    Sym,
    add,
    and_,
    apps,
    floordiv,
    le,
    mul,
    neg,
    not_,
    or_,
    select,
    sub,
    symbols,
)
from gpulint.term.build import ONE, const, monomial, of_atom

Residual = tuple[Int, ...]
Every = Callable[[Int], Union[Clause, None]]
DEPTH = 3
DATA = 0  # a relation between parameters and extents
SIZE = 1  # one launch size against data or a number: `grid.x <= x.size`, `block.x <= 128`
CAP = 2  # a number as the upper bound of a size: true of few callers
EXACT = 3  # the exact size of the launch: `grid.x * block.x <= x.size`, `grid.x == 1`
MAX_WAYS = 8  # alternatives
GRID_AXIS = 65534  # the largest index along a grid's y and z axes, as a factor
SEVERAL = 3  # so many of something are more than a special case
MAX_SPECIAL = 12  # monomials of a clause that is looked at for being one
COMPUTED = frozenset({"floordiv", "mod", "min", "max"})  # of loaded elements, by a host as well
HUGE = 2**24  # a constant beyond this in a clause comes from a limit, not from the code


@dataclass(frozen=True)
class Named:
    """Which launch symbols a host can read (parameters, extents, block, grid) and which arrays."""

    symbols: frozenset[Sym]
    arrays: frozenset[str]

    def kept(self, a: Atom) -> bool:
        """Atoms that may stay in a clause."""
        if isinstance(a, Sym):
            return a in self.symbols
        if a.op == "load":
            return False
        return (
            a.op != "fn"
            and all(s in self.symbols for x in a.args for s in symbols(x))
            and not any(True for x in a.args for _ in apps(x, op="load"))
        )

    def kept_or_loaded(self, a: Atom) -> bool:
        return self.kept(a) or (isinstance(a, App) and a.op == "load" and a.data in self.arrays)

    def kept_or_computed(self, a: Atom) -> bool:
        """Atoms that are loaded, or computed of loaded elements by what a host can do as well."""
        if isinstance(a, Sym) or a.op == "load":
            return self.kept_or_loaded(a)
        held = apps(*a.args)
        loads = [x for x in held if x.op == "load"]
        told = all(x.op != "fn" for x in held) and all(x.data in self.arrays for x in loads)
        return self.kept(a) or (a.op in COMPUTED and bool(loads) and told)


def missing(prover: Prover, domain: Bool, p: Int, named: Named, depth: int = DEPTH) -> list[Residual]:
    """Alternatives, each a conjunction of polynomials that suffice being at most zero for `p <= 0`.

    An empty conjunction is a proof; no alternative means that elimination found nothing.
    """
    bounder = prover.bounder(domain, p)
    if not prover.refuted(domain, le(p, 0)) and bounder.proves(p):
        return [()]
    flag = cases.condition(domain, p) if depth else None
    told = flag is not None and _of_host(flag, named)
    split = extremes(p, bounder.proves) if depth and not told else None
    if split is not None:
        every, goals = split
        parts = [missing(prover, domain, g, named, depth - 1) for g in goals]
        return _together(parts) if every == "all" else _either(parts)
    both = cases.split(domain, p, prover.memo.cases) if depth else None
    if both is not None:
        parts = [missing(prover, d, g, named, depth - 1) for d, g in both]
        return _flagged(flag, parts) if flag is not None and told and len(parts) == 2 else _together(parts)
    found = bounder.reduce(p, named.kept)
    loaded = bounder.reduce(p, named.kept_or_loaded)
    for q in () if found or loaded else multiplied(p, lambda q: shown(prover, domain, q)):
        found += prover.bounder(domain, q).reduce(q, named.kept)
    if not found and not loaded:
        loaded = bounder.reduce(p, named.kept_or_computed)
    return [() if q == ZERO else (q,) for q in dict.fromkeys([*found, *loaded])]


def shown(prover: Prover, domain: Bool, q: Int) -> bool:
    """Whether `q <= 0`; that a product is at least one is shown factor by factor."""
    product = sub(ONE, q)
    if len(product.terms) == 1 and len(product.terms[0][0]) > 1 and product.terms[0][1] >= 1:
        return all(shown(prover, domain, sub(ONE, of_atom(a))) for a in product.terms[0][0])
    return bool(prover.prove(domain, le(q, 0), z3_too=False))


def _together(parts: list[list[Residual]]) -> list[Residual]:
    """One alternative of each part, joined, in some of all ways."""
    return [tuple(dict.fromkeys(q for r in way for q in r)) for way in _ways(parts)]


def _either(parts: list[list[Residual]]) -> list[Residual]:
    """The alternatives of all parts, the first of each before the second of any."""
    return [r for turn in itertools.zip_longest(*parts) for r in turn if r is not None][:MAX_WAYS]


def _ways(parts: list[list[Residual]]) -> list[tuple[Residual, ...]]:
    """One alternative of each part, those that come early in all parts first."""
    places = itertools.islice(itertools.product(*(range(min(len(p), MAX_WAYS)) for p in parts)), MAX_WAYS**2)
    chosen = sorted(places, key=sum)[:MAX_WAYS]
    return [tuple(p[k] for p, k in zip(parts, way, strict=True)) for way in chosen]


def _of_host(flag: Bool, named: Named) -> bool:
    """Whether a condition is a flag that the host gives."""
    return isinstance(flag, Literal) and all(x.boolean or x in named.symbols for x in symbols(flag))


def _flagged(flag: Bool, parts: list[list[Residual]]) -> list[Residual]:
    """One alternative of each way of a flag, joined: what a way needs alone is at most zero there."""
    out = []
    for yes, no in _ways(parts):
        both = [q for q in yes if q in no]
        only = [select(flag, q, ZERO) for q in yes if q not in both]
        only += [select(flag, ZERO, q) for q in no if q not in both]
        out.append(tuple(dict.fromkeys((*both, *only))))
    return out


def _unflagged(p: Int) -> tuple[Bool, Int]:
    """`(when, q)` of a polynomial that is `q` under the flags `when` and zero elsewhere."""
    when, a = TRUE, p.atom
    while isinstance(a, App) and a.op == "select" and ZERO in a.args[1:]:
        flag, yes, no = a.args
        assert isinstance(flag, Bool) and isinstance(yes, Int) and isinstance(no, Int)
        when, p = and_(when, flag if no == ZERO else not_(flag)), yes if no == ZERO else no
        a = p.atom
    return when, p


def _when(when: Bool, c: Clause) -> Clause:
    """A clause that is asked under flags alone; a predicate over whole arrays is asked everywhere."""
    if when == TRUE or c.predicate not in ("", EVERY):
        return c
    return replace(c, when=and_(when, c.when)) if c.predicate else Clause(or_(not_(when), c.condition))


def clauses(
    residual: Residual, every: Every | None = None, possible: Callable[[Clause], bool] = lambda c: True
) -> tuple[Clause, ...] | None:
    """The clauses that say `each polynomial <= 0`, or None when one cannot be said.

    `every` says it of loaded elements together, where no range of one array that is `possible` does.
    """
    out: list[Clause] = []
    for flagged in residual:
        when, p = _unflagged(flagged)
        ways = [cs for cs in _said(p, every) if all(map(possible, cs))]
        if not ways:
            return None
        usual = (cs for cs in ways if all(rank(c) < EXACT for c in cs))
        out += [_when(when, c) for c in next(usual, ways[0])]
    return tuple(dict.fromkeys(out))


def _said(p: Int, every: Every | None) -> Iterator[list[Clause]]:
    """Ways to say `p <= 0`, the plainest first."""
    loads = _loads(p)
    apart = _not_negative(p, loads) if loads else None
    if apart is not None and len(loads) > 1:
        yield apart
    c = _clause(p)
    if c is not None:
        yield [c]
    if apart is not None and len(loads) == 1:
        yield apart
    c = every(p) if every is not None and apps(p, op="load") else None
    if c is not None:
        yield [c]


def _not_negative(p: Int, loads: list[App]) -> list[Clause] | None:
    """`rest - w*A[...] - v*B[...] <= 0` as: no element negative, no factor negative, `rest <= 0`."""
    rest: Int = p
    factors: set[Atom] = set()
    for mono, c in p.terms:
        inner = [a for a in mono if a in loads]
        if inner:
            factors.update(a for a in mono if a not in loads)
            rest = sub(rest, mul(monomial(mono), c))
        if inner and c > 0:
            return None
    used = symbols(rest, *map(of_atom, factors))
    if apps(rest, op="load") or any(s.scope is not Scope.LAUNCH for s in used):
        return None
    conditions = [le(neg(of_atom(a)), 0) for a in sorted(factors, key=lambda a: a.order)]
    conditions.append(le(rest, 0))
    if FALSE in conditions:
        return None
    above = [Clause(predicate="above", arrays=(d,), bounds=(ZERO,)) for d in sorted({a.data for a in loads})]
    return [*above, *(Clause(space.unfold(c)) for c in conditions if c != TRUE)]


def _loads(p: Int) -> list[App]:
    """The loaded elements that are factors of the polynomial, those within their subscripts apart."""
    found = (a for m, _ in p.terms for a in m if isinstance(a, App) and a.op == "load")
    return list(dict.fromkeys(found))


def _clause(p: Int) -> Clause | None:
    loads = _loads(p)
    if not loads:
        if apps(p, op="load"):
            return None
        cond = space.unfold(le(p, 0))
        return None if cond == FALSE else Clause(cond)
    own = [a for a in loads if any(a in m for m, _ in p.terms)]  # less those that only say which element
    return _within(p, own) if own else None


def _within(p: Int, loads: list[App]) -> Clause | None:
    """`c * A[...] + rest <= 0` as a range of the elements of A."""
    if len({a.data for a in loads}) != 1:
        return None
    a = loads[0]
    coeff = next((c for m, c in p.terms if m == (a,)), 0)
    rest = sub(p, mul(coeff, of_atom(a)))
    if coeff == 0:
        return _scaled(p, a)
    if apps(rest, op="load") or any(s.scope is not Scope.LAUNCH for s in symbols(rest)):
        return None
    rest = space.unfold(rest)
    if coeff > 0:  # A <= -rest / c
        top = add(floordiv(neg(rest), coeff), ONE)
        return Clause(predicate="within", arrays=(a.data,), bounds=(ZERO, top))
    low = neg(floordiv(neg(rest), -coeff))  # A >= ceil(rest / -c)
    return Clause(predicate="above", arrays=(a.data,), bounds=(low,))


def _scaled(p: Int, a: App) -> Clause | None:
    """`w * A[...] + rest <= 0` for a size or stride `w`, as `A <= -rest // w` (which asks `w >= 1`)."""
    inner = [(m, c) for m, c in p.terms if a in m]
    if any(c < 0 or m.count(a) > 1 for m, c in inner):
        return None
    factor, rest = ZERO, p
    for m, c in inner:
        others = list(m)
        others.remove(a)
        factor = add(factor, mul(monomial(tuple(others)), c))
        rest = sub(rest, mul(monomial(m), c))
    if apps(rest, op="load") or any(s.scope is not Scope.LAUNCH for s in symbols(rest, factor)):
        return None
    top = add(floordiv(neg(space.unfold(rest)), space.unfold(factor)), ONE)
    return Clause(predicate="within", arrays=(a.data,), bounds=(ZERO, top))


def rank(c: Clause) -> int:
    """How far a clause is from plain data: DATA, SIZE, CAP or EXACT.

    A bound that holds only by a hardware limit (`x.size >= 67107840`) counts as EXACT.
    """
    condition = _bare(c.condition)
    if extreme(c):
        return EXACT
    if c.predicate == EVERY:
        return SIZE
    if isinstance(condition, Cmp) and condition.op == "le" and special(condition.poly):
        return EXACT
    names = {s.name for s in symbols(condition)}
    launch = {n for n in names if n.startswith(("grid.", "block."))}
    if not launch:
        return CAP if _caps(condition) else DATA
    blocks = all(n.startswith("grid.") and "*" not in n for n in launch)  # a launch has exactly so many
    if not blocks and (len(launch) > 1 or any("*" in n for n in launch)):
        return EXACT
    return SIZE if len(names) > 1 or _caps(condition) or (blocks and _several(condition)) else EXACT


def exact_size(c: Clause) -> bool:
    """Whether a clause asks for a launch of just the right size, and of the sizes of the data nothing odd."""
    condition = _bare(c.condition)
    if not c.geometry or not isinstance(condition, Cmp) or extreme(c):
        return False
    return condition.op == "eq" or not special(condition.poly)


def _several(c: Bool) -> bool:
    """Whether a condition asks for a few of something at least: `grid.y >= 2`."""
    if not isinstance(c, Cmp) or c.op != "le":
        return False
    return [k for m, k in c.poly.terms if m] == [-1] and c.poly.constant <= SEVERAL


def _bare(c: Bool) -> Bool:
    """The comparison of a clause that is asked under flags."""
    parts = [a for a in c.args if not isinstance(a, Literal)] if isinstance(c, Junction) else []
    return parts[0] if len(parts) == 1 and isinstance(c, Junction) and c.op == "or" else c


def special(p: Int) -> bool:
    """Whether `p <= 0` fails as soon as every size in it is more than a few: `n * stride < 2 * stride`.

    Such a clause is true of special launches alone. Each symbol stands for SEVERAL and more, each quotient
    for one and more; a polynomial that then has no negative term, and is not zero, is positive for all.
    """
    if not p.terms or len(p.terms) > MAX_SPECIAL:
        return False
    shifted = ZERO
    for mono, c in p.terms:
        term = const(c)
        for a in mono:
            term = mul(term, add(of_atom(a), SEVERAL if isinstance(a, Sym) else 1))
        shifted = add(shifted, term)
    return shifted.constant > 0 and all(c > 0 for _, c in shifted.terms)


def extreme(c: Clause) -> bool:
    """Whether a bound owes its numbers to the hardware: a huge constant, the limit of a grid axis."""
    condition = _bare(c.condition)
    if not isinstance(condition, Cmp):
        return False
    p = condition.poly
    return abs(p.constant) > HUGE or any(m and abs(k) >= GRID_AXIS for m, k in p.terms)


def _caps(c: Bool) -> bool:
    """Whether a condition only bounds one size from above by a number."""
    return isinstance(c, Cmp) and c.op == "le" and [k for m, k in c.poly.terms if m] == [1]


def best(
    alternatives: list[Residual],
    possible: Callable[[Clause], bool],
    tiles: frozenset[Sym] = frozenset(),
    every: Every | None = None,
) -> tuple[tuple[Clause, ...], int] | None:
    """The alternative closest to plain data, with its rank; impossible clauses are left out.

    Ranges of single arrays come before what is asked of several elements together, and of as many clauses
    those that ask nothing of any element before others.

    Of two alike the one without sizes of tiles is taken: `n <= x.size` rather than `BLOCK <= x.size`, which a
    block that is rounded up breaks.
    """
    ranked = []
    for r in alternatives:
        cs = clauses(r, every, possible)
        if cs is None:
            continue
        tiled = sum(bool(symbols(c.condition, c.each, *c.bounds) & tiles) for c in cs)
        size = sum(len(str(c)) for c in cs)
        whole = sum(c.predicate == EVERY for c in cs)
        held = sum(c.predicate != "" for c in cs)
        order = (max((rank(c) for c in cs), default=0), whole, tiled, len(cs), held, size, str(cs))
        ranked.append((order, cs))
    if not ranked:
        return None
    order, chosen = min(ranked, key=lambda t: t[0])
    return chosen, order[0]
