"""The clause by which the last step of a loop, or the last tile, is a whole one: `K % BLOCK == 0`.

A goal `r + S < K` in a domain where `S < K` and S goes in steps of w: where w divides K, the room `K - S` is
a multiple of w above zero, so at least w, and `r <= w - 1` is enough. Exact where the steps reach the end;
sound always, since only `r <= w - 1` and the two facts are used, and both are asked of the prover.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.contract.clause import Clause
from gpulint.solver.prover import Prover
from gpulint.solver.residual import Named
from gpulint.term import (
    ONE,
    TRUE,
    App,
    Bool,
    Cmp,
    Int,
    Junction,
    Scope,
    Sym,
    add,
    and_,
    apps,
    conjuncts,
    const,
    eq,
    ge,
    le,
    mod,
    mul,
    not_,
    sub,
    symbols,
)
from gpulint.term.build import monomial, of_atom

MAX_STEPS = 4  # steps that are tried for one goal


def whole(prover: Prover, domain: Bool, goal: Bool, named: Named) -> Clause | None:
    """A clause by which `domain` implies a comparison, the steps of a bound in it being whole; or None."""
    if not isinstance(goal, Cmp) or goal.op != "le":
        return None
    for d in _bounds(prover, domain):
        for step in _steps(d):
            clause = _clause(prover, domain, goal.poly, d, step, named)
            if clause is not None:
                return clause
    return None


def _bounds(prover: Prover, domain: Bool) -> Iterator[Int]:
    """What the domain says is at most zero: `i < N // w` also as `w * i + w <= N`, for a w above zero."""
    for c in _comparisons(prover, domain):
        if c.op == "le":
            yield c.poly
            for a in [mono[0] for mono, k in c.poly.terms if k == -1 and len(mono) == 1]:
                if isinstance(a, App) and a.op == "floordiv" and prover.prove(TRUE, ge(a.args[1], 1)):
                    yield sub(mul(add(c.poly, of_atom(a)), a.args[1]), a.args[0])


def _comparisons(prover: Prover, domain: Bool) -> Iterator[Cmp]:
    """The comparisons of a domain, and those of an alternative that is the only one the facts leave."""
    for c in conjuncts(domain):
        if isinstance(c, Junction) and c.op == "or":
            left = [x for x in c.args if not prover.prove(TRUE, not_(x), z3_too=False)]
            parts = conjuncts(left[0]) if len(left) == 1 else ()
            yield from (x for x in parts if isinstance(x, Cmp))
        elif isinstance(c, Cmp):
            yield c


def _steps(d: Int) -> Iterator[Int]:
    """What the coordinates of a bound are multiplied by, where that is a number of the launch."""
    found: dict[Int, None] = {}
    for mono, c in d.terms:
        moving = [a for a in mono if not _launch(a)]
        if len(moving) == 1 and c > 0:
            fixed = mul(const(c), monomial(tuple(a for a in mono if a is not moving[0])))
            found[fixed] = None
    yield from (x for x in list(found)[:MAX_STEPS] if x != ONE)


def _launch(a: object) -> bool:
    return isinstance(a, Sym) and a.scope is Scope.LAUNCH


def _clause(prover: Prover, domain: Bool, p: Int, d: Int, step: Int, named: Named) -> Clause | None:
    """`room % step == 0` for the room `1 - d` of a bound `d <= 0`, where that makes `p <= 0`."""
    room = sub(ONE, d)
    condition = eq(mod(room, step), 0)
    if condition == TRUE or not symbols(condition, step) <= named.symbols or any(apps(condition, op="load")):
        return None
    reach = sub(add(p, room), ONE)  # p = reach + 1 - room
    if not prover.prove(domain, and_(ge(step, 1), le(reach, sub(step, ONE))), z3_too=False):
        return None
    return None if prover.unsat(condition) else Clause(condition)
