"""What one kernel's proofs share: equal questions are decided once, with the answer that each would have."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from interp.build import c, cmp, kernel, launch, let, load, op, store

from gpulint.interp.launch import ConcreteArray, Filled
from gpulint.ir import nodes as n
from gpulint.solver import replays
from gpulint.solver.memo import MODEL_UNITS, Memo
from gpulint.solver.model import smallest
from gpulint.solver.prover import Budget, Prover
from gpulint.solver.replays import ALL_RUNS, SHORT, Replays
from gpulint.term import TRUE, Bool, Int, and_, eq, ge, holds, le, lt, mod, ne, sym

A, B, C = (sym(x) for x in "abc")
COPY = kernel(load("v", "x", 0), store("y", c(5), value="v", row=7), x=1, y=1)
FOREVER = n.While((), cmp("eq", 0, 0), (let("s", op("add", "s", 1)),))
ENDLESS = kernel(let("s", 0), FOREVER)


def filled(value: int, listed: tuple[Any, ...] = ()) -> Any:
    return launch(x=ConcreteArray((3,), Filled(value, listed)), y=ConcreteArray((3,), Filled(0)))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The step limits of the runs that took place."""
    made: list[int] = []
    real: Callable[..., Any] = replays.run

    def counted(k: n.Kernel, how: Any) -> Any:
        made.append(how.max_steps)
        return real(k, how)

    monkeypatch.setattr(replays, "run", counted)
    return made


def test_a_launch_runs_once_and_one_with_other_contents_again(runs: list[int]) -> None:
    memo = Replays()
    first = memo.violations(COPY, filled(0))
    assert [v.kind for v in first] == ["out-of-range"]
    assert memo.violations(COPY, filled(0)) == first
    assert len(runs) == 1
    memo.violations(COPY, filled(1))
    memo.violations(COPY, filled(0, (((0,), 4),)))
    assert len(runs) == 3


def test_long_runs_use_up_the_steps_of_the_kernel_and_short_ones_go_on(runs: list[int]) -> None:
    memo = Replays()
    for points in range(1, 6):
        memo.violations(ENDLESS, launch(grid=points))
    assert sum(runs) <= ALL_RUNS + 3 * SHORT + 100
    assert runs[-1] == SHORT
    assert [v.kind for v in memo.violations(COPY, filled(0))] == ["out-of-range"]


def test_listed_elements_come_before_the_rest() -> None:
    x = Filled(9, (((1, 2), 5),))
    assert (x((1, 2)), x((2, 1))) == (5, 9)
    assert x == Filled(9, (((1, 2), 5),)) != Filled(9)


FACTS = (ge(A, 0), le(A, B), lt(B, C))
WAYS = (eq(A, 3), ge(A, C), eq(C, 0), eq(B, A), and_(eq(A, 1), eq(C, 1)), ge(B, 5))


@pytest.mark.parametrize("whole", [TRUE, le(C, 4), ne(mod(A, 2), 0), lt(C, 0)])
def possible(*conditions: Bool) -> bool:
    values = ({A.atom: a, B.atom: b, C.atom: c} for a, b, c in itertools.product(range(-1, 9), repeat=3))
    return any(holds(and_(*FACTS, *conditions), env) for env in values)  # type: ignore[arg-type]


@pytest.mark.parametrize("whole", [TRUE, le(C, 4), ne(mod(A, 2), 0), lt(C, 0)])
def test_ways_asked_together_show_what_they_show_alone_and_nothing_that_is_not_so(whole: Bool) -> None:
    together = Prover(FACTS, 400_000).unsat_each(whole, WAYS)
    for way, shown in zip(WAYS, together, strict=True):
        assert shown or not Prover(FACTS, 400_000).unsat(whole, way)
        assert not (shown and possible(whole, way))
    assert any(together)


def test_each_way_without_a_point_costs_one_question_and_none_when_asked_again() -> None:
    budget = Budget(proofs=2)
    p = Prover(FACTS, 400_000, budget=budget)
    answers = p.unsat_each(TRUE, WAYS)
    assert answers[:3] == [False, True, True] and answers[3:] == [False, False, False]
    assert budget.proofs <= 0
    assert p.unsat_each(TRUE, WAYS[:3]) == answers[:3]


@pytest.mark.parametrize("least", [0, 1, 5, 6, 1000, 2**31 - 1])
def test_a_solution_is_the_smallest(least: int) -> None:
    from gpulint.solver.encode import Encoder
    from gpulint.solver.model import make_solver

    x: Int = sym("x")
    encoder, solver = Encoder(exact=True), make_solver(400_000, Memo())
    solver.from_string(encoder.script([ge(x, least)]))
    assert str(solver.check()) == "sat"
    (atom,) = (x.atom,)
    assert smallest(solver, encoder, [atom]).symbol(atom) == least  # type: ignore[list-item, arg-type]


def test_what_z3_was_asked_of_one_kernel_is_apart_from_the_next() -> None:
    one, other = Prover([], 400_000), Prover([], 400_000)
    for prover in (one, other):
        assert prover.unsat(lt(A, B), lt(B, C), lt(C, A))
    assert one.memo.context is not None
    assert one.memo.context is not other.memo.context


def test_another_budget_keeps_what_is_known() -> None:
    prover = Prover([lt(A, B)], 400_000, budget=Budget(proofs=0))
    assert not prover.unsat(lt(B, C), lt(C, A))
    assert prover.spending(Budget(proofs=1)).unsat(lt(B, C), lt(C, A))
    assert prover.unsat(lt(B, C), lt(C, A))
    assert prover.budget.proofs < 0


def test_solutions_of_one_kernel_take_so_many_units_together() -> None:
    x, y, z = (sym(name, lo=3) for name in "xyz")
    hard = [eq(x * x * x + y * y * y, z * z * z)]  # has no solution, and Z3 does not tell
    prover = Prover([], 400_000, budget=Budget(models=40))
    assert prover.model(hard, [], 700_000) is None
    first = MODEL_UNITS - prover.memo.units
    assert first > 100_000
    prover.memo.units = 0
    assert prover.model(hard, [], 700_000) is None
    assert 0 > prover.memo.units > -first
    assert prover.model([eq(x * y, 35)]) is not None  # what is found at once still is
