"""Equations of two points, split by a radix: what is derived holds wherever the conditions do."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.solver.prover import Prover
from gpulint.solver.splitting import derived, divided
from gpulint.term import Bool, Int, Scope, add, and_, const, eq, ge, holds, lt, mul, sub, sym

N, W = sym("n", Scope.LAUNCH, 1), sym("w", Scope.LAUNCH, 1)
A, B, C, D = (sym(x, Scope.POINT, 0) for x in "abcd")
VALUES = [dict(zip((N.atom, W.atom, A.atom, B.atom, C.atom, D.atom), v, strict=True))
          for v in itertools.product((1, 2, 3), (1, 2, 3), *[range(4)] * 4)]  # fmt: skip


def conditions(rng: random.Random) -> list[Bool]:
    """Two points (a, b) and (c, d) that meet, with ranges of the lower digit that may be too wide."""
    radix = rng.choice([W, mul(W, 2), mul(N, W), const(3)])
    low = rng.choice([W, mul(W, 2), const(3), const(2)])
    first, second = add(mul(radix, A), B), add(mul(radix, C), D)
    shift: Int = rng.choice([const(0), W, const(1), const(-1)])
    return [lt(B, low), lt(D, low), eq(first, add(second, shift))]


@pytest.mark.parametrize("seed", range(80))
def test_what_is_derived_holds_wherever_the_conditions_do(seed: int) -> None:
    parts = conditions(random.Random(seed))
    found = and_(*derived(Prover([], 1000), parts))
    for env in VALUES:
        if all(holds(c, env) for c in parts):
            assert holds(found, env), (parts, found, env)


def test_two_halves_of_a_row_do_not_meet() -> None:
    half = mul(W, 2)
    meet = [lt(B, W), lt(D, W), eq(add(mul(half, A), B), add(mul(half, C), add(D, W)))]
    prover = Prover([], 100_000)
    assert prover.unsat(*meet, *derived(prover, meet))
    assert not prover.unsat(*meet[:2], eq(add(mul(half, A), B), add(mul(half, C), D)))


def test_a_radix_that_may_be_zero_splits_nothing() -> None:
    z = sym("z", Scope.LAUNCH, 0)
    meet = [lt(B, z), lt(D, z), eq(mul(z, sub(A, C)), sub(D, B))]
    assert derived(Prover([], 1000), meet) == []
    assert derived(Prover([ge(z, 1)], 1000), meet) != []


def test_the_quotient_takes_what_the_radix_divides() -> None:
    assert divided(add(mul(mul(W, A), N), add(B, mul(W, 3))), W) == (
        add(mul(A, N), 3), B,
    )  # fmt: skip
