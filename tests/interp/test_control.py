"""Control flow: loops, jumps, blocks, limits, unknown conditions."""

from __future__ import annotations

import pytest
from interp.build import (
    BX,
    GRID,
    TX,
    TY,
    c,
    cmp,
    kernel,
    kinds,
    launch,
    let,
    load,
    loop,
    op,
    run,
    store,
    values,
    when,
)

from gpulint import interp
from gpulint.interp.replay import replay
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import INT8, INT64, UNKNOWN

COUNT = let("s", op("add", "s", 1))
MYSTERY = n.Opaque("mystery", (), INT64)


def counted(*body: n.Stmt) -> dict[int, object]:
    return values(kernel(let("s", 0), *body, store("x", 0, value="s"), x=1), x=1)


@pytest.mark.parametrize(
    ("bounds", "trips", "last"),
    [((0, 5, 1), 5, 4), ((0, 5, 2), 3, 4), ((5, 0, -2), 3, 1), ((3, 3, 1), 0, 99), ((0, -1, 1), 0, 99)],
)
def test_for_is_pythons_range(bounds: tuple[int, int, int], trips: int, last: int) -> None:
    k = kernel(let("i", 99), let("s", 0), loop("i", *bounds, COUNT), store("x", 0, value="s"),
               store("x", 1, value="i"), x=1)  # fmt: skip
    assert values(k, x=2) == {0: trips, 1: last}


def test_bounds_are_evaluated_once_and_the_counter_may_be_changed() -> None:
    body = loop("i", 0, "m", 1, let("m", 0), let("i", 100), COUNT)
    assert counted(let("m", 3), body) == {0: 3}


def test_break_and_continue() -> None:
    body = loop("i", 0, 10, 1, when(cmp("eq", "i", 6), n.Break()),
                when(cmp("eq", op("mod", "i", 2), 0), n.Continue()), COUNT)  # fmt: skip
    assert counted(body) == {0: 3}


def test_while_halving() -> None:
    body = n.While((), cmp("gt", "w", 0), (let("w", op("floordiv", "w", 2)), COUNT))
    assert counted(let("w", 16), body) == {0: 5}


def test_while_computes_its_condition_from_the_statements_before() -> None:
    before = (load("v", "y", "s"),)
    body = n.While(before, cmp("ne", "v", 0), (COUNT,))
    k = kernel(let("s", 0), body, store("x", 0, value="s"), x=1, y=1)
    outcome = run(k, x=1, y=interp.ConcreteArray((4,), lambda i: 3 - i[0]))
    assert outcome.written["x"] == {(0,): 3}


def test_leave_ends_its_block_only_and_crosses_loops() -> None:
    inner = n.Block("f", (loop("i", 0, 9, 1, when(cmp("eq", "i", 2), n.Leave("f")), COUNT), let("s", 50)))
    assert counted(inner, COUNT) == {0: 3}


def test_return_ends_the_thread() -> None:
    k = kernel(when(cmp("ge", GRID, 3), n.Leave()), store("x", GRID), x=1)
    assert set(values(k, grid=2, block=2, x=3)) == {0, 1, 2}


def test_failed_assumption_ends_the_thread() -> None:
    outcome = run(kernel(n.Assume(cmp("lt", TX, 2)), store("x", TX), x=1), block=4, x=2)
    assert outcome.violations == [] and set(outcome.written["x"]) == {(0,), (1,)}


def test_step_limit() -> None:
    forever = n.While((), c(True), (COUNT,))
    outcome = run(kernel(let("s", 0), forever), max_steps=500)
    assert kinds(outcome) == ["step-limit"] and not outcome.complete and outcome.steps <= 600


def test_a_grid_too_large_meets_the_limit() -> None:
    outcome = run(kernel(store("x", GRID), x=1), grid=2**31 - 1, x=2**40, max_steps=1000)
    assert kinds(outcome) == ["step-limit"]


def test_range_step_zero_and_floats_cannot_run() -> None:
    assert kinds(run(kernel(loop("i", 0, 5, 0, COUNT)))) == ["not-executable"]
    assert kinds(run(kernel(loop("i", 0, 5.5, 1, COUNT)))) == ["not-executable"]


def test_loop_counter_that_leaves_its_type() -> None:
    outcome = run(kernel(let("s", 0), loop("i", 0, 200, 1, COUNT, type_=INT8, row=3)))
    assert [(v.kind, v.span.row) for v in outcome.violations] == [("wrap", 3)]


def test_unknown_condition_before_an_access_cuts() -> None:
    outcome = run(kernel(when(cmp("lt", MYSTERY, 1), store("x", 0), row=8), x=1), x=1)
    assert [(v.kind, v.span.row) for v in outcome.violations] == [("unknown-branch", 8)]
    assert not outcome.complete


def test_unknown_condition_over_locals_only_makes_them_unknown() -> None:
    k = kernel(let("a", 1), let("b", 2), when(cmp("lt", MYSTERY, 1), let("a", 3)), store("x", 0, value="a"),
               store("x", 1, value="b"), x=1)  # fmt: skip
    assert values(k, x=2) == {0: None, 1: 2}


@pytest.mark.parametrize("jump", [n.Break(), n.Continue(), n.Leave()])
def test_unknown_condition_of_a_jump_cuts(jump: n.Stmt) -> None:
    body = loop("i", 0, 3, 1, when(cmp("lt", MYSTERY, 1), jump), store("x", 0))
    assert kinds(run(kernel(body, x=1), x=1)) == ["unknown-branch"]


def test_unknown_return_inside_an_inlined_function_over_locals() -> None:
    clamp = n.Block("f", (let("r", 1), when(cmp("lt", MYSTERY, 1), n.Leave("f")), let("r", 2)))
    assert values(kernel(clamp, store("x", 0, value="r"), x=1), x=1) == {0: None}


def test_unknown_loop_bound_over_locals_only() -> None:
    body = loop("i", 0, MYSTERY, 1, COUNT)
    assert counted(body) == {0: None}


def test_after_a_cut_memory_that_the_kernel_writes_is_unknown() -> None:
    first = when(cmp("eq", TX, 0), when(cmp("lt", MYSTERY, 1), store("x", 1)))
    k = kernel(first, load("v", "x", 1), store("y", TX, value="v"), load("w", "z", 0),
               store("y", op("add", TX, 2), value="w"), x=1, y=1, z=1)  # fmt: skip
    outcome = run(k, block=2, x=2, y=4, z=1)
    assert outcome.written["y"] == {(1,): None, (3,): 0} and not outcome.complete


def test_unsupported_statement() -> None:
    k = kernel(n.Unsupported("magic", ("x",), ("a",)), store("y", 0, value="a"), load("v", "x", 0),
               store("y", 1, value="v"), x=1, y=1)  # fmt: skip
    outcome = run(k, x=1, y=2)
    assert kinds(outcome) == ["not-executable"] and outcome.violations[0].detail == "magic"
    assert outcome.written["y"] == {(0,): None, (1,): None} and not outcome.complete


def test_coordinates_of_a_two_dimensional_launch() -> None:
    k = kernel(store("x", BX, n.Coord("block", 1, INT64), TX, TY), x=4)
    written = run(k, grid=(2, 2, 1), block=(3, 2, 1), x=(2, 2, 3, 2)).written["x"]
    assert len(written) == 24


def test_lane_and_warp_size() -> None:
    k = kernel(
        store("x", GRID, value=op("add", n.Coord("lane", 0, INT64), n.Coord("warp_size", 0, INT64))), x=1
    )
    assert values(k, block=34, x=34)[33] == 33


def test_only_the_given_points_run() -> None:
    points = (((7, 0, 0), (1, 0, 0)), ((2, 0, 0), (0, 0, 0)))
    assert set(values(kernel(store("x", GRID), x=1), grid=1000, block=4, x=4000, points=points)) == {8, 29}


@pytest.mark.parametrize(
    "how",
    [
        {"grid": 0}, {"block": 0}, {"block": 1025}, {"block": (32, 32, 2)}, {"grid": (1, 65536, 1)},
        {"points": (((0, 0, 0), (1, 0, 0)),)}, {"x": -1},
    ],
)  # fmt: skip
def test_launches_that_no_device_can_run(how: dict[str, object]) -> None:
    outcome = run(kernel(x=1), **{"x": 1, **how})
    assert kinds(outcome) == ["not-executable"] and not outcome.complete


def test_arguments_of_another_rank_than_the_kernel_uses() -> None:
    assert kinds(run(kernel(x=1), x=(2, 2))) == ["not-executable"]
    assert kinds(run(kernel(x=None), x=(2, 2))) == []


def test_deep_nesting_is_an_outcome_not_a_traceback() -> None:
    e: n.Expr = n.Var("a")
    for _ in range(5000):
        e = n.Unary("neg", e, UNKNOWN)
    outcome = interp.run(kernel(let("a", 1), let("b", e)), launch())
    assert kinds(outcome) == ["not-executable"] and not outcome.complete


def test_replay_finds_the_violation_by_kind_place_and_array() -> None:
    k = kernel(store("x", 5, row=2), store("y", 5, row=3), x=1, y=1)
    how = launch(x=1, y=1)
    where = replay(k, how, "out-of-range", None, "y")
    assert where is not None and where.span.row == 3
    assert replay(k, how, "out-of-range", where.span, "y") == where
    assert replay(k, how, "out-of-range", Span("k.py", 3, 90, 3, 98), "y") is None
    assert replay(k, how, "out-of-range", Span("k.py", 2, 0, 2, 9), "y") is None
    assert replay(k, how, "race") is None
    assert replay(k, how, "out-of-range", Span("other.py", 3, 4, 3, 8)) is None
