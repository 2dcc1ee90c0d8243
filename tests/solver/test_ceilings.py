"""Quotients bounded by numbers of the launch, against every small launch; goals split by selects."""

from __future__ import annotations

from itertools import product

import pytest

from gpulint.solver import cases, ceilings
from gpulint.solver.constraints import Constraints
from gpulint.solver.given import Given
from gpulint.term import (
    FALSE,
    Int,
    Scope,
    and_,
    apps,
    bool_sym,
    const,
    evaluate,
    floordiv,
    le,
    lt,
    mod,
    mul,
    not_,
    select,
    sym,
    symbols,
)

PID, LANE = sym("pid", Scope.BLOCK, 0), sym("lane", Scope.POINT, 0)
GRID, W, V, N = (sym(x, Scope.LAUNCH, 1) for x in ("grid", "w", "v", "n"))
ALL = (PID, LANE, GRID, W, V, N)
KNOWN = [PID + 1 - GRID, LANE + 1 - 4, mul(PID, 4) + LANE + 1 - N]
QUOTIENTS = {
    "coordinate": floordiv(PID, W),
    "remainder": floordiv(mod(PID, W), V),
    "masked": floordiv(mul(PID, 4) + LANE, W),
    "nested": floordiv(floordiv(PID, W), V),
    "nested and masked": floordiv(floordiv(mul(PID, 4) + LANE, W), V),
    "product": floordiv(mul(PID, W) + LANE, V),
    "less": floordiv(mul(PID, 4) + LANE - W, V),
}


def given() -> Given:
    store = Constraints()
    return Given([store.of(g) for g in KNOWN], store)


def launches() -> list[dict[object, int]]:
    spans = (range(4), range(4), (1, 2, 4), (1, 2, 3), (1, 2), (1, 3, 14))
    every = (dict(zip([t.atom for t in ALL], v, strict=True)) for v in product(*spans))
    return [e for e in every if all(evaluate(k, e) <= 0 for k in KNOWN)]


@pytest.mark.parametrize("name", QUOTIENTS)
def test_a_bound_of_a_quotient_holds_on_every_small_launch(name: str) -> None:
    found = given().define(apps(QUOTIENTS[name]))
    assert found
    for env in launches():
        assert all(evaluate(q, env) <= 0 for q in found), env


@pytest.mark.parametrize("name", ["coordinate", "remainder", "masked", "nested", "product"])
def test_a_quotient_has_a_bound_that_the_host_can_compute(name: str) -> None:
    q = QUOTIENTS[name]
    found = ceilings.quotient(q.atom, KNOWN, given().tops, lambda y: True)
    tops = [q - p for p in found]
    assert tops and all(x.scope is Scope.LAUNCH for t in tops for x in symbols(t))


def test_a_divisor_of_a_point_gives_no_bound() -> None:
    q = floordiv(PID, LANE + 1)
    assert ceilings.quotient(q.atom, KNOWN, given().tops, lambda y: True) == []


def test_a_part_that_may_be_negative_gives_no_bound() -> None:
    q = floordiv(mul(PID, V) + LANE, W)
    assert ceilings.quotient(q.atom, [], given().tops, lambda y: False) == []


ON = bool_sym("on")


def test_one_condition_settles_every_select_of_goal_and_domain() -> None:
    x, y = select(ON, PID, N), select(not_(ON), const(3), LANE)
    both = cases.split(lt(LANE, select(ON, N, W)), x + y, {})
    wanted = [(and_(lt(LANE, N), ON), PID + LANE), (and_(lt(LANE, W), not_(ON)), N + 3)]
    assert both is not None and len(both) == 2 and all(case in both for case in wanted)


def test_a_select_of_the_domain_alone_is_split_too() -> None:
    both = cases.split(le(select(ON, PID, N), 3), PID, {})
    assert both is not None and [g for _, g in both] == [PID, PID]


def test_a_case_that_cannot_be_is_left_out() -> None:
    both = cases.split(not_(ON), select(ON, PID, N), {})
    assert both == [(not_(ON), N)]
    assert all(d != FALSE for d, _ in both or [])


def test_no_select_no_cases() -> None:
    goal: Int = PID - N
    assert cases.split(lt(PID, N), goal, {}) is None
