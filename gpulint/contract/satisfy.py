"""Cheap answers about clauses, by normal form and intervals alone; the solver does the rest.

Sound: `trivially` answers True or False only where that is certain, and `simplify` drops only what
the clauses that stay imply.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

from gpulint.contract.clause import Clause
from gpulint.contract.implied import implies
from gpulint.term import FALSE, TRUE, ZERO, Bool, Cmp, Int, and_, conjuncts, eq, not_, sub
from gpulint.term.build import const

Checkable = Union[Clause, Bool]
MAX_CLAUSES = 400  # beyond this many only duplicates are dropped


def trivially(*checks: Checkable) -> bool | None:
    """Whether the checks hold together: True, always; False, never; None, not settled here."""
    clauses = [c if isinstance(c, Clause) else Clause(condition=c) for c in checks]
    whole = and_(*(c.condition for c in clauses if not c.predicate))
    if whole == FALSE or _empty_range(whole):
        return False
    if whole == TRUE and not any(c.predicate for c in clauses):
        return True
    return None


def _empty_range(whole: Bool) -> bool:
    """Whether two comparisons of one polynomial leave it no value (`n <= 3` and `n >= 5`)."""
    ranges: dict[Int, tuple[int | None, int | None]] = {}
    for part in conjuncts(whole):
        if not isinstance(part, Cmp) or part.op == "ne":
            continue
        shape, k = split(part.poly)
        sign, shape = (-1, sub(ZERO, shape)) if _negative(shape) else (1, shape)
        lo, hi = ranges.get(shape, (shape.lo, shape.hi))
        if part.op == "eq" or sign == 1:  # shape <= -k
            hi = -k * sign if hi is None else min(hi, -k * sign)
        if part.op == "eq" or sign == -1:  # shape >= k
            lo = -k * sign if lo is None else max(lo, -k * sign)
        if lo is not None and hi is not None and lo > hi:
            return True
        ranges[shape] = (lo, hi)
    return False


def split(p: Int) -> tuple[Int, int]:
    """A polynomial without its constant, and the constant."""
    return sub(p, const(p.constant)), p.constant


def _negative(p: Int) -> bool:
    return bool(p.terms) and p.terms[0][1] < 0


def simplify(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """The same contract in fewer clauses, in reading order.

    Declared clauses stay as they were written, unless twice. Inferred conjunctions are split, two
    opposite bounds become an equality, and what another clause implies is dropped. Declared clauses
    come first, then equalities, bounds, geometry, predicates and limits.
    """
    flat = _unique(part for c in clauses for part in _parts(c))
    if len(flat) > MAX_CLAUSES:
        return tuple(sorted(flat, key=_reading_order))
    merged = _unique(_equalities(flat))
    kept = list(merged)
    for c in merged:
        if c.origin != "declared" and any(o is not c and implies(o, c) for o in kept):
            kept.remove(c)
    return tuple(sorted(kept, key=_reading_order))


def _parts(c: Clause) -> list[Clause]:
    """An inferred conjunction as its conjuncts; nothing for a condition that always holds."""
    if c.predicate or c.origin == "declared":
        return [c]
    parts = conjuncts(c.condition)
    if len(parts) == 1:
        return [c]
    return [Clause(condition=p, span=c.span, origin=c.origin) for p in parts]


def _unique(clauses: Iterable[Clause]) -> list[Clause]:
    """Without repetitions; of a declared and an inferred one the declared stays."""
    out: dict[tuple[object, ...], Clause] = {}
    for c in clauses:
        key = (c.condition, c.predicate, c.arrays, c.bounds, c.each, c.when, c.over)
        if key not in out or (out[key].origin != "declared" and c.origin == "declared"):
            out[key] = c
    return list(out.values())


def _equalities(clauses: list[Clause]) -> Iterable[Clause]:
    """`p <= 0` with `-p <= 0` made `p == 0`, where both were inferred."""
    bounds = {c.condition for c in clauses if c.origin != "declared" and not c.predicate}
    for c in clauses:
        p = c.condition.poly if isinstance(c.condition, Cmp) and c.condition.op == "le" else None
        if p is not None and c.origin != "declared" and _reverse(p) in bounds:
            yield Clause(condition=eq(p, ZERO), span=c.span, origin=c.origin)
        else:
            yield c


def _reverse(p: Int) -> Bool:
    from gpulint.term import ge

    return ge(p, ZERO)


def _reading_order(c: Clause) -> tuple[int, int, str]:
    if c.origin == "declared":
        return (0, c.span.row * 10_000 + c.span.column, "")
    if c.predicate:
        return (4 if c.arrays else 5, 0, str(c))
    if c.geometry:
        return (3, 0, str(c))
    is_equality = isinstance(c.condition, Cmp) and c.condition.op == "eq"
    return (1 if is_equality else 2, 0, str(c))


def contradicts(a: Clause, b: Clause) -> bool:
    """Whether the two conditions can certainly not hold together."""
    if a.predicate or b.predicate:
        return False
    return not_(a.condition) == b.condition or trivially(a, b) is False
