"""Happens-before: races between threads, and what barriers order."""

from __future__ import annotations

import pytest
from interp.build import (
    BX,
    GRID,
    TX,
    atomic,
    c,
    cmp,
    kernel,
    kinds,
    let,
    load,
    loop,
    op,
    run,
    shared,
    store,
    sync,
    values,
    when,
)

from gpulint.interp.launch import ConcreteArray
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, INT64

FIRST, SECOND = cmp("eq", TX, 0), cmp("eq", TX, 1)


def test_two_writes_race_with_both_points_and_places() -> None:
    (v,) = run(kernel(store("x", 0, value=TX, row=5), x=1), block=3, x=1).violations
    assert (v.kind, v.array, v.element, v.modes) == ("race", "x", (0,), ("write", "write"))
    assert (v.point, v.other) == (((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (1, 0, 0)))
    assert v.span.row == 5 and v.other_span is not None and v.other_span.row == 5 and v.detail == ""


def test_writes_of_the_same_value_race_too() -> None:
    (v,) = run(kernel(store("x", 0, value=1), x=1), block=2, x=1).violations
    assert (v.kind, v.detail) == ("race", "same value")


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
def test_read_and_write_race_in_either_order(order: tuple[n.Expr, n.Expr]) -> None:
    k = kernel(when(order[0], load("v", "x", 0, row=2)), when(order[1], store("x", 0, row=3)), x=1)
    (v,) = run(k, block=2, x=1).violations
    assert v.kind == "race" and set(v.modes) == {"read", "write"}


def test_reads_do_not_race() -> None:
    assert run(kernel(load("v", "x", 0), x=1), grid=2, block=4, x=1).violations == []


def test_one_thread_does_not_race_with_itself() -> None:
    assert run(kernel(store("x", 0), store("x", 0), x=1), x=1).violations == []


def test_blocks_race() -> None:
    (v,) = run(kernel(store("x", TX), x=1), grid=2, block=2, x=2).violations
    assert v.point[0] == (0, 0, 0) and v.other is not None and v.other[0] == (1, 0, 0)


def test_pairs_of_places_are_told_apart() -> None:
    k = kernel(store("x", 0, row=2), store("x", 0, row=3), x=1)
    pairs = [{v.span.row, v.other_span.row} for v in run(k, block=2, x=1).violations if v.other_span]
    assert sorted(map(sorted, pairs)) == [[2], [2, 3], [3]]


def test_atomics_do_not_race_with_each_other() -> None:
    assert values(kernel(atomic("add", "x", 0), x=1), grid=2, block=3, x=1) == {0: 6}


@pytest.mark.parametrize("plain", [load("v", "x", 0), store("x", 0)])
def test_atomic_and_plain_race(plain: n.Stmt) -> None:
    k = kernel(when(FIRST, atomic("add", "x", 0)), when(SECOND, plain), x=1)
    assert kinds(run(k, block=2, x=1)) == ["race"]


def test_block_scope_atomics_race_between_blocks_only() -> None:
    k = kernel(atomic("add", "x", 0, scope="block"), x=1)
    assert kinds(run(k, block=4, x=1)) == []
    assert kinds(run(k, grid=2, x=1)) == ["race"]


def test_a_barrier_orders_the_threads_of_a_block() -> None:
    k = kernel(store("x", GRID), sync(), load("v", "x", op("sub", op("add", GRID, 1), op("mul", TX, 2))), x=1)
    assert run(k, block=2, x=2).violations == []
    assert run(kernel(k.body[0], k.body[2], x=1), block=2, x=2).of("race") != []


def test_a_barrier_does_not_order_blocks() -> None:
    k = kernel(store("x", BX), sync(), load("v", "x", op("sub", 1, BX)), x=1)
    assert kinds(run(k, grid=2, x=2)) == ["race"]


def test_missing_second_barrier_in_a_loop() -> None:
    def turns(*end: n.Stmt) -> list[str]:
        body = loop("i", 0, 2, 1, store("s", TX), sync(), load("v", "s", op("sub", 1, TX)), *end)
        return kinds(run(kernel(shared("s", 2), body), block=2))

    assert turns() == ["race"]
    assert turns(sync()) == []


def test_a_warp_barrier_orders_its_warp_only() -> None:
    k = kernel(store("x", TX), sync(kind="warp"), load("v", "x", op("sub", 63, TX)), x=1)
    assert kinds(run(k, block=64, x=64)) == ["race"]
    near = kernel(store("x", TX), sync(kind="warp"), load("v", "x", op("xor", TX, 1)), x=1)
    assert run(near, block=64, x=64).violations == []


def test_a_warp_barrier_with_a_mask_orders_those_in_it_only() -> None:
    mask = n.Choose(cmp("lt", TX, 2), c(3), c(12), INT64)
    k = kernel(store("x", TX), sync(kind="warp", mask=mask), load("v", "x", op("xor", TX, 2)), x=1)
    assert kinds(run(k, block=4, x=4)) == ["race"]
    near = kernel(k.body[0], k.body[1], load("v", "x", op("xor", TX, 1)), x=1)
    assert run(near, block=4, x=4).violations == []


def test_warp_barriers_order_through_a_third_thread() -> None:
    def both(a: int, b: int) -> n.Expr:
        return n.Logic("or", (cmp("eq", TX, a), cmp("eq", TX, b)))

    k = kernel(
        when(cmp("eq", TX, 0), store("x", 0)),
        when(both(0, 1), sync(kind="warp", mask=c(3))),
        when(both(1, 2), sync(kind="warp", mask=c(6))),
        when(cmp("eq", TX, 2), load("v", "x", 0)),
        x=1,
    )
    assert run(k, block=3, x=1).violations == []


def test_a_grid_barrier_orders_all() -> None:
    k = kernel(store("x", GRID), sync(kind="grid"), load("v", "x", op("sub", 3, GRID)), x=1)
    assert run(k, grid=2, block=2, x=4).violations == []


def test_memory_fences_order_nothing() -> None:
    k = kernel(store("x", TX), sync(kind="fence_device"), load("v", "x", op("sub", 1, TX)), x=1)
    assert kinds(run(k, block=2, x=2)) == ["race"]


def test_local_memory_cannot_race() -> None:
    assert run(kernel(shared("s", 1, space="local"), store("s", 0)), block=4).violations == []


def test_arguments_that_overlap_race() -> None:
    k = kernel(load("v", "x", TX), store("y", op("add", TX, 1), value="v"), x=1, y=1)
    same = {"x": ConcreteArray((9,), buffer="b"), "y": ConcreteArray((9,), buffer="b")}
    assert kinds(run(k, block=4, **same)) == ["race"]
    assert run(k, block=4, x=9, y=9).violations == []


def test_fields_of_a_record_do_not_race() -> None:
    def put(field: str) -> n.Store:
        return n.Store("x", (c(0),), c(1), field=field)

    assert run(kernel(when(FIRST, put("a")), when(SECOND, put("b")), x=1), block=2, x=1).violations == []
    assert kinds(run(kernel(when(FIRST, put("a")), when(SECOND, put("")), x=1), block=2, x=1)) == ["race"]


def test_barrier_not_reached_by_all() -> None:
    k = kernel(when(cmp("ge", TX, 2), n.Leave()), sync(row=4), store("x", TX), x=1)
    (v,) = run(k, block=3, x=3).violations
    assert (v.kind, v.span.row, v.point[1]) == ("divergence", 4, (0, 0, 0))
    assert v.other == ((0, 0, 0), (2, 0, 0))


def test_different_barriers_diverge() -> None:
    k = kernel(when(FIRST, sync(row=4), other=(sync(row=6),)))
    (v,) = run(k, block=2).violations
    assert v.kind == "divergence" and v.other_span is not None and (v.span.row, v.other_span.row) == (4, 6)


def test_loops_with_different_trips_around_a_barrier_diverge() -> None:
    assert kinds(run(kernel(loop("i", 0, TX, 1, sync())), block=3)) == ["divergence"]
    assert kinds(run(kernel(loop("i", 0, 3, 1, sync())), block=3)) == []


def test_uniform_branch_around_a_barrier_is_right() -> None:
    k = kernel(when(cmp("eq", BX, 0), sync()))
    assert run(k, grid=2, block=3).violations == []


def test_while_loop_with_a_barrier() -> None:
    halving = n.While((), cmp("gt", "w", 0), (
        when(cmp("lt", TX, "w"), load("a", "s", TX), load("b", "s", op("add", TX, "w")),
             store("s", TX, value=op("add", "a", "b"))),
        sync(), let("w", op("floordiv", "w", 2)),
    ))  # fmt: skip
    k = kernel(shared("s", 8), store("s", TX, value=TX), sync(), let("w", 4), halving,
               when(FIRST, load("r", "s", 0), store("x", 0, value="r")), x=1)  # fmt: skip
    assert values(k, block=8, x=1) == {0: 28}


def test_barrier_inside_an_inlined_function_with_an_early_leave() -> None:
    f = n.Block("f", (sync(), when(FIRST, n.Leave("f")), let("a", 2)))
    k = kernel(let("a", 1), f, sync(), store("x", TX, value="a"), x=1)
    assert values(k, block=2, x=2) == {0: 1, 1: 2}


def test_grid_barrier_not_reached_by_a_block() -> None:
    k = kernel(when(cmp("eq", BX, 0), sync(kind="grid")))
    (v,) = run(k, grid=2, block=2).violations
    assert v.kind == "divergence" and v.other is not None and v.other[0] == (1, 0, 0)


@pytest.mark.parametrize(("kind", "expected"), [("count", 2), ("and", 0), ("or", 1)])
def test_voting_barriers(kind: str, expected: int) -> None:
    k = kernel(
        n.Barrier("block", target="r", operand=n.Cast(TX, BOOL), vote=kind), store("x", TX, value="r"), x=1
    )
    assert values(k, block=3, x=3) == {0: expected, 1: expected, 2: expected}


def test_a_vote_of_no_known_kind_is_unknown() -> None:
    k = kernel(n.Barrier("block", target="r", operand=TX), store("x", TX, value="r"), x=1)
    assert values(k, block=2, x=2) == {0: None, 1: None}


def test_threads_that_were_cut_do_not_count_as_divergent() -> None:
    lost = when(cmp("eq", TX, 1), when(cmp("lt", n.Opaque("mystery", (), INT64), 1), store("x", 0)))
    assert kinds(run(kernel(lost, sync(), x=1), block=3, x=1)) == ["unknown-branch"]


def test_points_do_not_wait_for_threads_that_do_not_run() -> None:
    swap = (store("s", TX), sync(), load("v", "s", op("sub", 1, TX)))
    k = kernel(shared("s", 2), *swap, store("x", TX, value="v"), x=1)
    outcome = run(k, block=2, x=2, points=(((0, 0, 0), (0, 0, 0)),))
    assert outcome.violations == [] and outcome.written["x"] == {(0,): None}


def test_a_shuffle_orders_no_memory() -> None:
    from kernels import kernel

    from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
    from gpulint.interp.machine import run

    text = (
        "@cuda.jit\ndef k(x, out):\n    t = cuda.threadIdx.x\n"
        "    x[t] = t\n    {meet}\n    out[t] = x[31 - t]\n"
    )
    for meet, races in (("cuda.syncwarp()", False), ("cuda.shfl_sync(0xFFFFFFFF, t, 0)", True)):
        arrays = {name: ConcreteArray((32,), lambda i: 0) for name in ("x", "out")}
        outcome = run(kernel(text.format(meet=meet)), ConcreteLaunch((1, 1, 1), (32, 1, 1), arrays, {}))
        assert bool(outcome.of("race")) is races, meet


def test_what_a_thread_does_after_its_own_atomic_comes_after_those_before_it() -> None:
    reset = when(cmp("eq", n.Var("old"), 2), store("x", 0, value=0))
    assert kinds(run(kernel(atomic("add", "x", 0, target="old"), reset, x=1), grid=3, x=1)) == []
    first = when(cmp("eq", n.Var("old"), 0), store("x", 0, value=0))
    assert set(kinds(run(kernel(atomic("add", "x", 0, target="old"), first, x=1), grid=3, x=1))) == {"race"}
    always = store("x", 0, value=0)
    assert set(kinds(run(kernel(atomic("add", "x", 0), always, x=1), grid=2, x=1))) == {"race"}
