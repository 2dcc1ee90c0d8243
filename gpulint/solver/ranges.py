"""Obligation in-range: each subscript lies within its extent wherever the access happens.

With negative wrap-around (Numba) a subscript in [-extent, -1] is in range as well: it names an
element counted from the end. That it does so by intent is a question of its own (`negative`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from gpulint.contract.clause import EVERY, Clause
from gpulint.dataflow.access import Access
from gpulint.solver import quantified, turns
from gpulint.solver import signs as signs_
from gpulint.solver.residual import DATA, EXACT, Named, best, exact_size, missing, rank, special
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import (
    FALSE,
    TRUE,
    Atom,
    Bool,
    Cmp,
    Int,
    Junction,
    Scope,
    and_,
    apps,
    conjuncts,
    floordiv,
    ge,
    lt,
    mod,
    neg,
    not_,
    or_,
    subst,
    symbols,
)

TIGHT = "in range only for an exact launch size"
QUOTIENTS = ("floordiv", "mod", "select", "pow")
HOPELESS = "out of range for any data"


@dataclass(frozen=True)
class Answer:
    """How one goal stands: proved (`how`), open with sufficient `clauses` of a `rank`, or neither.

    `hopeless`: a bound over plain data exists and contradicts the goal.
    """

    how: str = ""
    clauses: tuple[Clause, ...] = ()
    rank: int = 9
    hopeless: bool = False
    wraps: bool = False  # proved in range, but perhaps by counting from the end


def goals(a: Access, axis: int, checks: tuple[tuple[Int, Int], ...]) -> tuple[Bool, Bool, Bool]:
    """(below the extent, not negative, not below -extent) for one subscript check."""
    index, extent = checks[axis]
    lowest = ge(index, neg(extent)) if a.negative_wraps else ge(index, 0)
    return lt(index, extent), ge(index, 0), lowest


def decide(s: Setting, a: Access, named: Named) -> list[Verdict]:
    """One verdict for each subscript check of an access, for any parameters."""
    seen = s.see(a)
    out = []
    for axis in range(len(a.checks)):
        o = Obligation("in-range", a.mode, a.span, access=a, axis=axis)
        top, positive, lowest = goals(a, axis, seen.checks)
        low = low_side(s, seen.domain, positive, lowest, named)
        out.append(verdict(o, [settle(s, seen.domain, top, named), low]))
        if low.wraps:
            out.append(Verdict(replace(o, kind="negative"), UNDECIDED, reason="may count from the end"))
    return out


def low_side(s: Setting, domain: Bool, positive: Bool, lowest: Bool, named: Named) -> Answer:
    """The lower side: not negative, by a data clause if need be; else within the wrap-around."""
    plain = settle(s, domain, positive, named)
    if plain.how or positive == lowest:
        return plain
    how = s.prover.prove(domain, lowest)
    if how:
        always = s.prover.prove(domain, not_(positive), z3_too=False)
        return Answer(how, wraps=not always)
    if plain.clauses and plain.rank == DATA:
        return plain
    wrapped = settle(s, domain, lowest, named)
    return wrapped if wrapped.how or wrapped.rank < plain.rank else plain


def settle(
    s: Setting, domain: Bool, goal: Bool, named: Named, fair: Callable[[Clause], bool] = lambda c: True
) -> Answer:
    """Prove `domain => goal`, or say what would make it true, by clauses that are `fair`."""
    how = s.prover.prove(domain, goal, z3_too=False)
    if how:
        return Answer(how)
    if not isinstance(goal, Cmp):
        return Answer(s.prover.prove(domain, goal))
    rounded = _rounded(s, domain, goal, named, fair) if s.tiles else None
    if rounded is not None:
        return rounded
    found = missing(s.prover, domain, goal.poly, named)
    if () in found:
        return Answer("cases")
    if tangled(domain, goal.poly) or not found:
        how = s.prover.prove(domain, goal)
        if how:
            return Answer(how)
    hopeless = any(len(r) == 1 and r[0].lo is not None and r[0].lo > 0 for r in found)
    every = partial(quantified.every, s.prover, domain, named=named) if s.tiles else None
    top = best(found, lambda c: possible(s, c) and fair(c), s.tile_sizes, every)
    if top is None:
        return Answer(hopeless=hopeless)
    return Answer(clauses=top[0], rank=top[1], hopeless=hopeless)


def _rounded(
    s: Setting, domain: Bool, goal: Bool, named: Named, fair: Callable[[Clause], bool]
) -> Answer | None:
    """How a goal about truncated quotients of loaded elements stands, where clauses keep these above zero.

    That a dividend is not negative is asked as any goal is: its clauses make it so where the access happens.
    There the quotient by a divisor of at least one is the floor, in the goal and in the domain alike, and
    the goal stands as it does for the floor, under these clauses too. None where no quotient is of unknown
    sign that clauses can tell.
    """
    known: dict[Atom, Int | Bool] = {}
    signs: list[Answer] = []
    where = [domain]
    for a in signs_.innermost(goal):
        x, w = cast("tuple[Int, Int]", a.args)
        if not apps(x, op="load") or not s.prover.prove(domain, ge(w, 1), z3_too=False):
            continue
        sign = settle(s, domain, ge(x, 0), named, fair)
        if sign.how or (sign.clauses and sign.rank < EXACT):
            signs.append(sign)
            where.append(ge(x, 0))
            known[a] = floordiv(x, w) if a.op == "truncdiv" else mod(x, w)
    if not known:
        return None
    end = settle(s, subst(and_(*where), known), subst(goal, known), named, fair)
    if not end.how and not end.clauses:
        return None
    clauses = tuple(dict.fromkeys(c for answer in (*signs, end) for c in answer.clauses))
    rank_ = max(answer.rank for answer in (*signs, end) if answer.clauses) if clauses else 9
    return Answer(clauses=clauses, rank=rank_, hopeless=end.hopeless) if clauses else end


def tangled(domain: Bool, p: Int) -> bool:
    """Whether Z3 may see more than elimination does: disjunctions, inequations, quotients, bits."""
    for c in conjuncts(domain):
        if isinstance(c, Junction) or (isinstance(c, Cmp) and c.op == "ne"):
            return True
    return any(a.op in QUOTIENTS or (a.op, a.data) == ("fn", "xor") for a in apps(domain, p))


def possible(s: Setting, c: Clause) -> bool:
    """Whether a clause is not plainly contradicted by the facts, nor one that lengths of segments fail."""
    if c.predicate == EVERY and isinstance(c.each, Cmp) and special(quantified.lengths(c.each.poly)):
        return False
    if c.predicate or c.condition == TRUE:
        return True
    return not s.prover.prove(TRUE, not_(c.condition), z3_too=False)


def verdict(o: Obligation, answers: list[Answer]) -> Verdict:
    """Both sides of a check together."""
    if all(a.how for a in answers):
        return Verdict(o, PROVED, rung="+".join(dict.fromkeys(a.how for a in answers)))
    open_ = [a for a in answers if not a.how]
    if all(a.clauses for a in open_):
        cs = tuple(dict.fromkeys(c for a in open_ for c in a.clauses))
        if max(a.rank for a in open_) < EXACT:
            return Verdict(o, UNDER, clauses=cs, rung="clauses")
        hopeless = any(a.hopeless for a in open_)
        reason = HOPELESS if hopeless else TIGHT
        exact = not hopeless and all(rank(c) < EXACT or exact_size(c) for c in cs)
        return Verdict(o, UNDECIDED, reason=reason, clauses=cs, geometry=True, exact=exact)
    return Verdict(o, UNDECIDED, reason=why(o), geometry=False)


def why(o: Obligation) -> str:
    """The reason that an index could not be bounded, in a reader's words."""
    a = o.access
    assert a is not None and o.axis is not None
    index = a.checks[o.axis][0]
    loads = sorted({x.data for x in apps(index, op="load")})
    if loads:
        return f"indirect index: loaded from {', '.join(loads)}"
    unknown = unknowns(a)
    if unknown:
        return f"index depends on an unknown value: {unknown[0]}"
    loops = sorted(x.name for x in symbols(index) if x.scope is Scope.LOOP)
    if loops:
        return "index grows with a loop whose bound does not limit it"
    return "no bound found"


def unknowns(a: Access) -> list[str]:
    """The unknown values of a point that the subscripts of an access depend on."""
    found = symbols(*(index for index, _ in a.checks))
    return sorted(x.name for x in found if x.scope is Scope.POINT and not known(x.name))


def known(name: str) -> bool:
    return name.startswith(("threadIdx.", "gid.", "blockIdx.", "lane", turns.PREFIX))


def violated(
    a: Access, axis: int, checks: tuple[tuple[Int, Int], ...], sides: tuple[bool, bool] = (True, True)
) -> Bool:
    """The condition under which a subscript check fails past the end or before the start, as asked."""
    top, _, lowest = goals(a, axis, checks)
    return not_(and_(*(goal for goal, wanted in zip((top, lowest), sides, strict=True) if wanted)))


def negative(a: Access, checks: tuple[tuple[Int, Int], ...]) -> Bool:
    """The condition under which some subscript is negative though in range."""
    return or_(*(and_(lt(i, 0), ge(i, neg(e))) for i, e in checks)) if a.negative_wraps else FALSE
