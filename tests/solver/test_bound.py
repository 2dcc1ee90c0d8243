"""Elimination against brute force: a proof or a residual never says more than is true."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.solver.bound import extremes, multiplied, upper
from gpulint.solver.constraints import Constraints, floors
from gpulint.solver.eliminate import Bounder
from gpulint.solver.given import Given
from gpulint.term import (
    ZERO,
    App,
    Bool,
    Int,
    Scope,
    Sym,
    and_,
    apps,
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
from gpulint.term.build import of_atom
from gpulint.term.walk import atoms, made_of

N, M = sym("n", Scope.LAUNCH), sym("m", Scope.LAUNCH, 1)
AT, J = sym("i", Scope.POINT, 0), sym("j", Scope.POINT, -2)
NAMES = (N, M, AT, J)
VALUES = {N: range(-2, 4), M: range(1, 4), AT: range(5), J: range(-2, 4)}


def given(constraints: list[Int]) -> Given:
    store = Constraints()
    return Given([store.of(g) for g in constraints], store)


def bounder(*conditions: Bool) -> Bounder:
    return given(upper(and_(*conditions))).bounder(())


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
    found = given(upper(domain)).bounder((goal,)).reduce(goal, kept)
    for env in ENVIRONMENTS:
        if holds(domain, env) and evaluate(goal, env) > 0:
            for p in found:
                assert not symbols(p) - {N.atom, M.atom}
                assert evaluate(p, env) > 0, f"{domain} gives {p} <= 0 for {goal} <= 0"


@pytest.mark.parametrize("seed", range(60))
def test_extremes_are_exact(seed: int) -> None:
    rng = random.Random(1000 + seed)
    goal = random_term(rng) + rng.choice([minimum, maximum])(random_term(rng, 1), random_term(rng, 1))
    split = extremes(goal, lambda p: p.hi is not None and p.hi <= 0)
    if split is None:
        return
    every, goals = split
    for env in ENVIRONMENTS:
        parts = [evaluate(g, env) <= 0 for g in goals]
        assert (evaluate(goal, env) <= 0) == (all(parts) if every == "all" else any(parts))


def test_guard_gives_a_proof() -> None:
    size = sym("x.size", Scope.LAUNCH, 0)
    proves = bounder(lt(AT, N), le(N, size)).proves
    assert proves(AT + 1 - size)
    assert not proves(AT + 2 - size)


def test_missing_bound_is_left_as_a_residual() -> None:
    size = sym("x.size", Scope.LAUNCH, 0)
    assert N * M - size in bounder(lt(AT, N), lt(J, M)).reduce(AT * M + J + 1 - size, kept)


def test_negative_factor_is_not_used_as_a_multiplier() -> None:
    assert ZERO not in bounder(lt(AT, 3)).reduce(AT * N - 2 * N, kept)


def test_a_goal_says_nothing_of_the_divisors_that_it_speaks_of() -> None:
    w, top = sym("w"), sym("top")
    domain, goal = le(floordiv(N, w), top), 1 - w  # holds of w == -1 as well
    cons = upper(domain)
    assert not given(cons).bounder((goal,)).proves(goal)
    assert given([*cons, goal]).bounder((goal,)).proves(goal)


def test_quotients_by_one_divisor_follow_their_dividends() -> None:
    w, x = sym("w", Scope.LAUNCH, 1), sym("x", Scope.POINT, 0)
    for size in (w, const(32)):
        ceiling = floordiv(N + size - 1, size)
        below = upper(and_(lt(x, N), le(1, N)))
        proves = given(below).bounder((floordiv(x, size), ceiling)).proves
        assert proves(floordiv(x, size) + 1 - ceiling)
        assert not proves(floordiv(x, size) + 2 - ceiling)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_said_of_quotients_is_true(seed: int) -> None:
    rng = random.Random(seed)
    x, y = random_term(rng, 1), random_term(rng, 1)
    w = rng.randint(1, 4)
    cons = upper(le(x + rng.randint(-4, 4), y))
    known = given(cons).define(apps(floordiv(x, w), floordiv(y, w)))
    for env in ENVIRONMENTS:
        if all(evaluate(c, env) <= 0 for c in cons):
            assert all(evaluate(c, env) <= 0 for c in known)


def test_a_product_of_four_is_bounded_by_a_pair_of_its_factors() -> None:
    a, b, c, d = (sym(name, Scope.LAUNCH, 1) for name in "abcd")
    q = sym("q", Scope.POINT, 0)
    proves = bounder(lt(q, a * b)).proves
    assert proves(q * c * d + c * d - a * b * c * d)
    assert not proves(q * c * d + c * d + 1 - a * b * c * d)


def test_a_way_that_only_adds_constants_does_not_hide_another() -> None:
    rows, width, tiles = (sym(name, Scope.LAUNCH, 1) for name in ("rows", "width", "tiles"))
    q = sym("q", Scope.POINT, 0)
    cycle = and_(le(64 * tiles, width + 63), le(width, 64 * tiles))
    proves = bounder(cycle, lt(q, rows), le(rows * width, 1000), lt(q * 5, width * 70)).proves
    assert proves(q * width + width - 1000)


@pytest.mark.parametrize("seed", range(40))
def test_symbols_and_operators_of_a_term_are_those_of_its_atoms(seed: int) -> None:
    rng = random.Random(seed)
    term = and_(le(random_term(rng, 4), random_term(rng, 3)), or_(eq(random_term(rng), N), lt(M, J)))
    found = list(atoms(term))
    assert made_of(term)[0] == symbols(term) == {a for a in found if isinstance(a, Sym)}
    assert made_of(term)[1] == {a.op for a in found if isinstance(a, App)}
    assert apps(term) == [a for a in found if isinstance(a, App)]


@pytest.mark.parametrize("seed", range(60))
def test_floors_are_lower_bounds(seed: int) -> None:
    rng = random.Random(seed)
    cons = [random_term(rng, 3) for _ in range(3)]
    low = floors(given(cons).constraints)
    for env in ENVIRONMENTS:
        if all(evaluate(g, env) <= 0 for g in cons):
            assert all(evaluate(of_atom(a), env) >= k for a, k in low.items())


@pytest.mark.parametrize("seed", range(60))
def test_a_goal_multiplied_out_by_a_divisor_gives_the_goal(seed: int) -> None:
    rng = random.Random(2000 + seed)
    factor, part = rng.choice([M, const(2), const(1)]), rng.choice([const(1), const(3), M])
    quotient = floordiv(random_term(rng, 1), factor * part)
    goal = part * quotient * rng.choice([1, -1]) + random_term(rng)
    positive = {str(1 - x) for x in (M, const(1), const(2), const(3), factor, factor * part)}
    for q in multiplied(goal, lambda p: str(p) in positive):
        for env in ENVIRONMENTS:
            assert evaluate(q, env) > 0 or evaluate(goal, env) <= 0, f"{q} <= 0 for {goal} <= 0"
