"""Points that refute goals: evaluated as terms are, and without a say in what is proved."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from gpulint.solver.point import Point
from gpulint.solver.points import SPENT, Points
from gpulint.solver.prover import Prover
from gpulint.term import (
    TRUE,
    App,
    Bool,
    Int,
    Scope,
    add,
    and_,
    const,
    eq,
    floordiv,
    fn,
    ge,
    gt,
    le,
    load,
    lt,
    maximum,
    minimum,
    mod,
    mul,
    ne,
    not_,
    or_,
    select,
    sub,
    sym,
)
from gpulint.term import holds as true_at

N, M = sym("n", Scope.LAUNCH, 1), sym("m", Scope.LAUNCH, 0, 40)
K, J = sym("i", Scope.POINT, 0), sym("j", Scope.LOOP, 0, 9)
SYMBOLS = (N, M, K, J)
RLIMIT = 400_000


def random_term(rng: random.Random, depth: int = 2) -> Int:
    a = rng.choice((*SYMBOLS, const(rng.randint(-3, 9))))
    if not depth:
        return a
    b, kind = random_term(rng, depth - 1), rng.randrange(8)
    if kind < 4:
        return (add(a, b), sub(b, a), mul(a, b), minimum(a, b))[kind]
    if kind < 6:
        return (floordiv, mod)[kind - 4](b, rng.choice((const(4), N, add(M, 1))))
    return load("idx", (b,)) if kind == 6 else select(random_condition(rng, 0), a, b)


def random_condition(rng: random.Random, depth: int = 1) -> Bool:
    if depth and rng.random() < 0.4:
        return rng.choice((and_, or_))(random_condition(rng, depth - 1), random_condition(rng, depth - 1))
    return rng.choice((le, lt, eq, ne))(random_term(rng, depth), random_term(rng, depth))


def agrees(point: Point, c: Bool) -> bool:
    """Whether a condition is true by the evaluation of terms, elements as the point has them."""

    def element(a: App, args: tuple[int, ...]) -> int:
        return point.values.get((a.op, a.data, args), point.atom(load(a.data, map(const, args)).atom))

    env = {x.atom: point.atom(x.atom) for x in SYMBOLS}
    return true_at(c, env, element)


@pytest.mark.parametrize("seed", range(60))
def test_a_point_that_is_found_is_a_solution(seed: int) -> None:
    rng = random.Random(seed)
    points = Points()
    for _ in range(6):
        conditions = [random_condition(rng) for _ in range(rng.randint(1, 4))]
        if points.meet(conditions):
            assert all(agrees(points.known[0], c) for c in conditions)


def test_most_conditions_that_can_be_met_are_met() -> None:
    points = Points()
    T = sym("t", Scope.POINT, 0, 1023)
    wanted = [lt(T, N), ge(T, 200), eq(mod(N, 32), 0), gt(floordiv(N, 8), M), ge(M, 30)]
    assert points.meet(wanted)
    assert points.meet([gt(load("a", (K,)), N), lt(load("a", (J,)), -5), ne(K, J)])
    assert points.meet([lt(mul(N, M), K), ge(mul(N, M), 2**31)])
    assert points.meet([gt(select(lt(K, N), M, const(0)), 7), eq(minimum(K, J), 5)])
    assert points.meet([or_(gt(M, 90), and_(eq(J, 4), gt(maximum(K, J), N)))])


@pytest.mark.parametrize("seed", range(40))
def test_a_point_that_was_moved_is_as_one_made_anew(seed: int) -> None:
    rng = random.Random(seed)
    point = Point({}, seed % 3)
    conditions = [random_condition(rng, 2) for _ in range(5)]
    for _ in range(4):
        for c in conditions:
            point.holds(c)
        place = rng.choice([x.atom for x in SYMBOLS] + [("load", "idx", (rng.randint(0, 4),))])
        point = point.at(place, rng.randint(1, 9))
        fresh = Point(dict(point.values), point.seed)
        assert [point.truth(c) for c in conditions] == [fresh.truth(c) for c in conditions]


def test_one_element_has_one_value() -> None:
    one, other = load("a", (K,)), load("a", (J,))
    assert not Points().meet([eq(K, J), ne(one, other)])
    assert not Points().meet([eq(add(K, 1), sub(J, 1)), lt(load("a", (add(K, 2),)), other)])


def test_static_bounds_hold_at_every_point() -> None:
    assert not Points().meet([gt(M, 40)])
    assert not Points().meet([lt(load("a", (K,), 0, 7), 0)])
    assert not Points().meet([gt(mod(K, N), sub(N, 1))])


def test_bits_are_those_of_numbers() -> None:
    both = fn("xor", K, J)
    assert not Points().meet([eq(both, K), ne(J, 0)])
    assert Points().meet([eq(both, 0), ge(J, 3)])


def test_a_search_that_finds_nothing_ends() -> None:
    points = Points()
    for k in range(400):
        assert not points.meet([lt(K, J), lt(J, sub(K, k))])
    assert points.left > -SPENT


@pytest.mark.parametrize("seed", range(25))
def test_no_answer_changes_by_points(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    facts = [lt(K, N), *(random_condition(rng) for _ in range(rng.randint(0, 2)))]
    asked = [(random_condition(rng) if rng.random() < 0.5 else TRUE, random_condition(rng)) for _ in range(5)]

    def answers() -> list[tuple[str, bool]]:
        p = Prover(facts, RLIMIT)
        return [(p.prove(domain, goal), p.unsat(domain, not_(goal))) for domain, goal in asked]

    with_points = answers()
    monkeypatch.setattr(Points, "meet", lambda self, conditions, facts: False)
    assert answers() == with_points


def test_what_is_refuted_asks_nothing_of_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prover, "_contradictory", lambda self, claims: pytest.fail("Z3 was asked"))
    p = Prover([lt(K, N), eq(mod(N, 4), 0)], RLIMIT)
    assert not p.prove(TRUE, lt(mul(K, M), N))
    assert not p.unsat(gt(mul(K, M), mul(N, N)))


def test_a_question_starts_where_the_facts_hold() -> None:
    sizes = [sym(f"s{k}", Scope.LAUNCH, 1) for k in range(12)]
    facts = [eq(a, mul(b, 3)) for a, b in pairwise(sizes)]
    claims = [*facts, gt(K, sizes[0])]
    assert not Points().meet(claims)  # too many moves at once
    points = Points()
    assert points.ground(facts) is not None
    assert points.meet(claims, facts)


def test_a_ground_for_facts_that_contradict_is_none() -> None:
    points = Points()
    assert points.ground([lt(N, M), lt(M, N)]) is None
    assert not points.meet([lt(N, M), lt(M, N)], [lt(N, M), lt(M, N)])
