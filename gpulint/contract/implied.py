"""Whether one clause implies another, by their shape alone."""

from __future__ import annotations

from gpulint.contract.clause import Clause
from gpulint.term import Bool, Cmp, Int, Junction, neg, sub


def implies(a: Clause, b: Clause) -> bool:
    """Whether `b` holds wherever `a` does. True is certain; False may only mean not seen."""
    if a.predicate or b.predicate:
        return a.predicate == b.predicate and _predicate(a, b)
    return condition_implies(a.condition, b.condition)


def condition_implies(a: Bool, b: Bool) -> bool:
    """`n <= x.size` implies `n - 1 <= x.size`, `n == m` implies `n <= m`, and the like."""
    if a == b:
        return True
    if isinstance(a, Junction) and a.op == "and":
        return any(condition_implies(part, b) for part in a.args)
    if isinstance(b, Junction):
        quantifier = all if b.op == "and" else any
        return quantifier(condition_implies(a, part) for part in b.args)
    if not isinstance(a, Cmp) or not isinstance(b, Cmp) or a.op == "ne":
        return False
    known = [a.poly] if a.op == "le" else [a.poly, neg(a.poly)]  # each at most zero
    if b.op == "le":
        return any(_at_least(p, b.poly) for p in known)
    if b.op == "eq":
        return False
    return any(_exceeds(p, q) for p in known for q in (b.poly, neg(b.poly)))


def _at_least(p: Int, q: Int) -> bool:
    """Whether p >= q always, so that p <= 0 gives q <= 0."""
    gap = sub(p, q)
    return gap.lo is not None and gap.lo >= 0


def _exceeds(p: Int, q: Int) -> bool:
    """Whether p > q always, so that p <= 0 gives q < 0, hence q != 0."""
    gap = sub(p, q)
    return gap.lo is not None and gap.lo > 0


def _predicate(a: Clause, b: Clause) -> bool:
    if a.predicate == "noalias":
        return set(a.arrays) >= set(b.arrays)
    if a.arrays != b.arrays or (a.each, a.when, a.over) != (b.each, b.when, b.over):
        return False
    if a.predicate == "within":
        (lo, hi), (low, high) = a.bounds, b.bounds
        return _at_least(lo, low) and _at_least(high, hi)
    if a.predicate == "aligned":
        return bool(a.bounds[0].value) and (a.bounds[0].value or 0) % (b.bounds[0].value or 1) == 0
    if a.predicate in ("min_cc", "max_shared", "min_blocks"):
        return _at_least(a.bounds[0], b.bounds[0])
    return a.bounds == b.bounds
