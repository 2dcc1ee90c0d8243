"""Elimination against brute force: a proof or a residual never says more than is true."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.solver.bound import definitions, extremes, upper
from gpulint.solver.eliminate import Bounder
from gpulint.term import (
    ZERO,
    Int,
    Scope,
    and_,
    const,
    eq,
    evaluate,
    floordiv,
    holds,
    le,
    lt,
    maximum,
    minimum,
    mod,
    or_,
    sym,
    symbols,
)

N, M = sym("n", Scope.LAUNCH), sym("m", Scope.LAUNCH, 1)
AT, J = sym("i", Scope.POINT, 0), sym("j", Scope.POINT, -2)
NAMES = (N, M, AT, J)
VALUES = {N: range(-2, 4), M: range(1, 4), AT: range(5), J: range(-2, 4)}


def kept(a: object) -> bool:
    return getattr(a, "scope", None) is Scope.LAUNCH


def environments() -> list[dict[object, int]]:
    atoms = [t.atom for t in NAMES]
    return [dict(zip(atoms, v, strict=True)) for v in itertools.product(*(VALUES[t] for t in NAMES))]


ENVIRONMENTS = environments()


def random_term(rng: random.Random, depth: int = 2) -> Int:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice([*NAMES, const(rng.randint(-3, 3))])
    a, b = random_term(rng, depth - 1), random_term(rng, depth - 1)
    kind = rng.randrange(8)
    if kind < 3:
        return a + b * rng.choice([-2, -1, 1, 2])
    if kind == 3:
        return a * rng.choice([M, N, AT])
    if kind == 4:
        return minimum(a, b)
    if kind == 5:
        return maximum(a, b)
    return (floordiv if kind == 6 else mod)(a, rng.choice([M, const(2), const(3)]))


@pytest.mark.parametrize("seed", range(120))
def test_residuals_imply_the_goal(seed: int) -> None:
    rng = random.Random(seed)
    parts = []
    for _ in range(rng.randint(1, 3)):
        a, b = random_term(rng), random_term(rng, 1)
        parts.append(rng.choice([le, lt, eq])(a, b))
    if rng.random() < 0.3:
        parts.append(or_(le(random_term(rng, 1), N), le(random_term(rng, 1), M)))
    domain, goal = and_(*parts), random_term(rng)
    cons = upper(domain)
    bounder = Bounder([*cons, *definitions(cons, goal)])
    found = bounder.reduce(goal, kept)
    for env in ENVIRONMENTS:
        if holds(domain, env) and evaluate(goal, env) > 0:
            for p in found:
                assert not symbols(p) - {N.atom, M.atom}
                assert evaluate(p, env) > 0, f"{domain} gives {p} <= 0 for {goal} <= 0"


@pytest.mark.parametrize("seed", range(60))
def test_extremes_are_exact(seed: int) -> None:
    rng = random.Random(1000 + seed)
    goal = random_term(rng) + rng.choice([minimum, maximum])(random_term(rng, 1), random_term(rng, 1))
    split = extremes(goal)
    if split is None:
        return
    every, goals = split
    for env in ENVIRONMENTS:
        parts = [evaluate(g, env) <= 0 for g in goals]
        assert (evaluate(goal, env) <= 0) == (all(parts) if every == "all" else any(parts))


def test_guard_gives_a_proof() -> None:
    size = sym("x.size", Scope.LAUNCH, 0)
    bounder = Bounder(upper(and_(lt(AT, N), le(N, size))))
    assert bounder.proves(AT + 1 - size)
    assert not bounder.proves(AT + 2 - size)


def test_missing_bound_is_left_as_a_residual() -> None:
    size = sym("x.size", Scope.LAUNCH, 0)
    bounder = Bounder(upper(and_(lt(AT, N), lt(J, M))))
    assert N * M - size in bounder.reduce(AT * M + J + 1 - size, kept)


def test_negative_factor_is_not_used_as_a_multiplier() -> None:
    bounder = Bounder(upper(lt(AT, 3)))
    assert ZERO not in bounder.reduce(AT * N - 2 * N, kept)


def test_a_goal_says_nothing_of_the_divisors_that_it_speaks_of() -> None:
    w, top = sym("w"), sym("top")
    domain, goal = le(floordiv(N, w), top), 1 - w  # holds of w == -1 as well
    cons = upper(domain)
    assert not Bounder([*cons, *definitions(cons, goal)]).proves(goal)
    known = [*cons, goal]
    assert Bounder([*known, *definitions(known, goal)]).proves(goal)
