"""Unsatisfiable answers of the uninterpreted encoding are true of real products."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.solver.encode import Encoder
from gpulint.solver.prover import Prover
from gpulint.term import (
    Bool,
    Int,
    Scope,
    and_,
    apps,
    const,
    eq,
    floordiv,
    fn,
    ge,
    holds,
    le,
    lt,
    mod,
    ne,
    or_,
    sym,
)

A, B = sym("a", Scope.POINT, -1, 2), sym("b", Scope.POINT, 0, 2)
W, V = sym("w", Scope.LAUNCH, -1, 2), sym("v", Scope.LAUNCH, 1, 3)
NAMES = (A, B, W, V)
ENVIRONMENTS = [
    {t.atom: v for t, v in zip(NAMES, values, strict=True)}
    for values in itertools.product(range(-1, 3), range(3), range(-1, 3), range(1, 4))
]


def random_condition(rng: random.Random) -> Bool:
    def product() -> object:
        x = rng.choice([A, B, A + B, A - B, A + 1, const(1)])
        y = rng.choice([W, V, W * V, const(2)])
        z = x * y
        return rng.choice([z, z, floordiv(z, V), mod(z, V), floordiv(z, W), mod(A, V)])

    a, b = product(), product()
    left = a + b * rng.choice([-1, 1, 2]) if rng.random() < 0.5 else a  # type: ignore[operator]
    right = rng.choice([const(rng.randint(-3, 4)), W, V, b])
    return rng.choice([le, lt, eq, ne])(left, right)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(150))
def test_unsat_means_no_solution(seed: int) -> None:
    rng = random.Random(seed)
    conditions = [random_condition(rng) for _ in range(rng.randint(2, 4))]
    if rng.random() < 0.4:
        conditions.append(or_(random_condition(rng), random_condition(rng)))
    if not Prover((), 200_000).unsat(*conditions):
        return
    whole = and_(*conditions)
    for env in ENVIRONMENTS:
        try:
            assert not holds(whole, env), f"{whole} was called contradictory, yet {env} solves it"
        except ZeroDivisionError:
            continue


def two(name: str) -> tuple[object, object]:
    return sym(f"{name}1", Scope.POINT, 0), sym(f"{name}2", Scope.POINT, 0)


def test_two_dimensional_tile_with_two_strides() -> None:
    (r1, r2), (c1, c2) = two("r"), two("c")
    sm, sn, n = (sym(x, Scope.LAUNCH, 1) for x in ("sm", "sn", "n"))
    meet = [lt(c1, n), lt(c2, n), or_(ne(r1, r2), ne(c1, c2)), eq(r1 * sm + c1 * sn, r2 * sm + c2 * sn)]  # type: ignore[operator]
    prover = Prover((), 400_000)
    assert prover.unsat(*meet, le(n * sn, sm))
    assert not prover.unsat(*meet)


def test_quotient_and_remainder_tell_dividends_apart() -> None:
    p1, p2 = two("p")
    w = sym("w", Scope.LAUNCH, 1)
    same = [eq(floordiv(p1, w), floordiv(p2, w)), eq(mod(p1, w), mod(p2, w))]  # type: ignore[arg-type]
    assert Prover((), 400_000).unsat(ne(p1, p2), *same)  # type: ignore[arg-type]
    assert not Prover((), 400_000).unsat(ne(p1, p2), same[0])  # type: ignore[arg-type]


def xor(x: Int, y: Int) -> Int:
    return fn("xor", x, y)


X, Y, P = sym("x", Scope.POINT, 0, 7), sym("y", Scope.POINT, 0, 7), sym("p", Scope.LAUNCH, 0, 7)


@pytest.mark.parametrize(
    "conditions",
    [
        (ne(X, Y), eq(xor(X, P), xor(Y, P))),  # one to one
        (eq(xor(X, P), Y), ne(xor(Y, P), X)),  # partners are mutual
        (eq(xor(X, P), Y), ne(xor(P, Y), X)),
        (lt(X, xor(X, P)), lt(Y, xor(Y, P)), eq(X, xor(Y, P))),  # one of two partners is the lower
        (eq(xor(X, P), X), ne(P, 0)),
    ],
)
def test_partners_by_exclusive_or(conditions: tuple[Bool, ...]) -> None:
    assert Prover((), 200_000).unsat(*conditions)


def test_what_is_said_of_exclusive_or_is_true() -> None:
    """No condition on two of them that some numbers meet is called contradictory."""
    terms = [X, Y, P, xor(X, P), xor(Y, P), xor(P, Y), xor(X, Y)]
    numbers = list(itertools.product(range(4), repeat=3))
    every = list(itertools.product(terms, repeat=4))
    for a, b, c, d in random.Random(1).sample(every, 250):
        if a.order > b.order or c.order > d.order or not (apps(a, b, op="fn") and apps(c, d, op="fn")):
            continue
        whole = and_(eq(a, b), ne(c, d))
        met = any(_met(whole, *xyp) for xyp in numbers)
        if met:
            assert not Prover((), 20_000).unsat(whole), whole


def _met(c: Bool, x: int, y: int, p: int) -> bool:
    values = {X.atom: x, Y.atom: y, P.atom: p}
    return holds(c, values, lambda a, args: args[0] ^ args[1])


def test_a_shared_condition_is_written_once_and_read_everywhere() -> None:
    made = le(A, B)
    for _ in range(40):  # as a tree of 2**40 leaves
        made = or_(and_(made, ne(A, B)), and_(made, le(B, 1)))
    assert len(Encoder().script([made])) < 40_000
    assert Prover([], 400_000).unsat(made, lt(B, A), ge(B, 2))
