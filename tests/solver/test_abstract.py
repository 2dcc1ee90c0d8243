"""Goals shown with quotients as plain numbers: never more than is true of the quotients."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.solver.abstract import follows
from gpulint.solver.prover import Prover
from gpulint.term import (
    Bool,
    Int,
    Scope,
    add,
    const,
    floordiv,
    ge,
    holds,
    le,
    lt,
    minimum,
    mod,
    mul,
    sub,
    sym,
)

N, X = sym("n", Scope.LAUNCH, 1), sym("x", Scope.POINT, 0)
VALUES = [{N.atom: n, X.atom: x} for n, x in itertools.product(range(1, 7), range(12))]


def term(rng: random.Random, depth: int = 2) -> Int:
    if depth == 0:
        return rng.choice([N, X, const(rng.randint(-2, 3))])
    a, b = term(rng, depth - 1), term(rng, depth - 1)
    return rng.choice(
        [add(a, b), sub(a, b), mul(a, 2), floordiv(a, N), mod(a, N), floordiv(a, 2), minimum(a, b)]
    )


@pytest.mark.parametrize("seed", range(100))
def test_what_follows_is_true(seed: int) -> None:
    rng = random.Random(seed)
    given: list[Bool] = [rng.choice([le, lt, ge])(term(rng), term(rng, 1)) for _ in range(3)]
    goal = le(term(rng), term(rng, 1))
    if follows(Prover([], 1000), given, goal):
        for env in VALUES:
            assert not all(holds(c, env) for c in given) or holds(goal, env)


def test_a_product_with_what_is_left_of_a_group() -> None:
    rows, columns, row, col = (sym(x, Scope.POINT, 0) for x in ("rows", "columns", "row", "col"))
    group = floordiv(row, 8)
    left = minimum(sub(rows, mul(group, 8)), 8)
    given = [ge(left, 1), lt(row, add(mul(group, 8), left)), lt(col, columns), le(mul(group, 8), row)]
    number = add(mul(mul(group, 8), columns), add(sub(row, mul(group, 8)), mul(left, col)))
    assert follows(Prover([], 1000), given, lt(number, mul(rows, columns)))
    assert not follows(Prover([], 1000), given[1:], lt(number, mul(rows, sub(columns, 1))))
