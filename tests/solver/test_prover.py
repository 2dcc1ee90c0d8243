"""The prover against brute force: what it proves holds wherever the facts and the domain do."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.solver.equalities import solve
from gpulint.solver.prover import Prover
from gpulint.term import (
    TRUE,
    Bool,
    Int,
    Scope,
    add,
    cdiv,
    const,
    eq,
    evaluate,
    floordiv,
    ge,
    holds,
    le,
    lt,
    minimum,
    mul,
    sub,
    sym,
    symbols,
)

A, B, N = (sym(n, Scope.LAUNCH, 0) for n in "abn")
K, J = sym("i", Scope.POINT, 0), sym("j", Scope.POINT, 0)
NAMES = (A, B, N, K, J)
ENVIRONMENTS = [
    dict(zip((x.atom for x in NAMES), v, strict=True))
    for v in itertools.product((0, 1, 3), (0, 1, 2), (0, 1, 4), (0, 1, 2), (0, 2))
]


def random_term(rng: random.Random) -> Int:
    out = const(rng.randint(-2, 2))
    for _ in range(rng.randint(1, 3)):
        part = rng.choice(NAMES)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            part = mul(part, rng.choice(NAMES))
        if rng.random() < 0.3:
            part = rng.choice((floordiv, cdiv))(part, rng.choice((const(2), add(A, 1), minimum(B, N) + 1)))
        out = add(out, mul(part, rng.choice((-2, -1, 1, 1))))
    return out


def random_facts(rng: random.Random) -> list[Bool]:
    out = [lt(K, N), lt(J, mul(A, B))] if rng.random() < 0.7 else []
    for _ in range(rng.randint(0, 3)):
        out.append(rng.choice((le, lt, eq))(random_term(rng), random_term(rng)))
    return out


@pytest.mark.parametrize("seed", range(24))
def test_what_is_proved_holds(seed: int) -> None:
    rng = random.Random(seed)
    facts = random_facts(rng)
    prover = Prover(facts, 100_000)
    possible = [env for env in ENVIRONMENTS if all(holds(f, env) for f in facts)]
    for _ in range(3):
        p = random_term(rng)
        # goals near the truth, so that some are proved and some only just fail
        top = max((evaluate(p, env) for env in possible), default=0)
        for slack in (0, -1):
            goal = le(p, top + slack)
            if prover.prove(TRUE, goal, z3_too=False):
                assert all(holds(goal, env) for env in possible), f"{facts} prove {goal}"


def test_a_goal_says_nothing_of_its_own_quotients() -> None:
    """`n // w` is bounded by a constraint on `n`, never by the goal that asks for one."""
    width = minimum(B, 64)
    goal = le(cdiv(N, width), 1)
    assert not Prover([le(N, B), ge(N, 1), ge(width, 1)], 100_000).prove(TRUE, goal, z3_too=False)
    assert Prover([le(N, B), ge(N, 1), ge(B, 1)], 100_000).prove(TRUE, le(cdiv(N, B), 1), z3_too=False)


@pytest.mark.parametrize("seed", range(24))
def test_solved_equations_hold_wherever_the_facts_do(seed: int) -> None:
    rng = random.Random(seed)
    facts = [eq(rng.choice((A, B, N)), random_term(rng)) for _ in range(3)]
    solved = solve(facts)
    for env in ENVIRONMENTS:
        if all(holds(f, env) for f in facts):
            assert all(env[a] == evaluate(t, env) for a, t in solved.items())
    assert not set(solved) & set().union(*(symbols(t) for t in solved.values()), set())


def test_names_of_one_number_are_one() -> None:
    rows = sym("x.shape[0]", Scope.LAUNCH, 0)
    prover = Prover([eq(rows, cdiv(N, 16)), ge(N, 1)], 100_000)
    assert prover.prove(lt(K, cdiv(N, 16)), lt(K, rows), z3_too=False)
    assert not prover.prove(lt(K, cdiv(N, 8)), lt(K, rows), z3_too=False)
    assert prover.prove(TRUE, ge(sub(mul(rows, 16), N), 0), z3_too=False)
