"""Which accesses a barrier separates."""

from __future__ import annotations

from gpulint.dataflow.intervals import BLOCK, GRID, WARP, Intervals
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import INT64

AT = n.Var("i", INT64)
ONE = n.Const(1, INT64)
SYNC = lambda: n.Barrier("block")  # noqa: E731


def store() -> n.Store:
    return n.Store("s", (AT,), ONE)


def load() -> n.Load:
    return n.Load("v", "s", (AT,), INT64)


def loop(*body: n.Stmt) -> n.For:
    return n.For("k", ONE, AT, ONE, body, INT64)


def gaps(body: tuple[n.Stmt, ...], a: n.Stmt, b: n.Stmt) -> list[list[tuple[int | None, int | None]]]:
    found = Intervals(body).ties(a, b)
    assert found is not None
    return [[(t.gap, t.first) for t in ties] for ties in found]


def test_barrier_separates() -> None:
    a, b = store(), load()
    assert gaps((a, SYNC(), b), a, b) == []


def test_no_barrier() -> None:
    a, b = store(), load()
    assert gaps((a, b), a, b) == [[]]


def test_branches_of_one_interval_are_concurrent() -> None:
    a, b = store(), load()
    assert gaps((n.If(AT, (a,), (b,)),), a, b) == [[]]


def test_barrier_under_a_condition_may_be_skipped() -> None:
    a, b = store(), load()
    assert gaps((a, n.If(AT, (SYNC(),)), b), a, b) == [[]]


def test_one_barrier_in_a_loop_joins_the_iterations() -> None:
    a, b = store(), load()
    # write, sync, read: the read of one iteration meets the write of the next
    assert gaps((loop(a, SYNC(), b),), b, a) == [[(1, None)]]
    assert gaps((loop(a, SYNC(), b),), a, a) == [[(0, 0)], [(0, None)]]


def test_two_barriers_in_a_loop_separate_all() -> None:
    a, b = store(), load()
    assert gaps((loop(a, SYNC(), b, SYNC()),), a, b) == []


def test_after_the_loop_the_last_barrier_counts() -> None:
    a, b = store(), load()
    assert gaps((loop(a, SYNC()), b), a, b) == []
    assert ends((loop(SYNC(), a), b), a, b) == [[(1, None)]]
    assert ends((loop(SYNC(), a), b), b, a) == [[(None, 1)]]
    assert ends((loop(SYNC(), a), loop(b, SYNC())), a, b) == [[(1, None)]]


def test_what_is_one_barrier_before_the_end_of_a_loop() -> None:
    a, b = store(), load()
    assert [] in ends((loop(a, n.If(AT, (SYNC(),))), b), a, b)  # without the barrier: any iteration
    inner = loop(SYNC(), a)
    assert ends((loop(inner, b, SYNC()),), a, b) == [[(1, None)]]
    assert [] in ends((loop(b, inner),), a, b)  # in the next iteration around


def ends(body: tuple[n.Stmt, ...], a: n.Stmt, b: n.Stmt) -> list[list[tuple[int | None, int | None]]]:
    found = Intervals(body).ties(a, b)
    assert found is not None
    return [[t.ends for t in ties if t.ends != (None, None)] for ties in found]


def test_a_loop_may_run_zero_times() -> None:
    a, b = store(), load()
    assert gaps((a, loop(SYNC()), b), a, b) == [[]]


def test_continue_may_skip_the_barrier() -> None:
    a = store()
    found = gaps((loop(a, n.If(AT, (n.Continue(),)), SYNC()),), a, a)
    assert [(None, None)] in found or [(1, 0)] in found


def test_a_thread_that_breaks_out_meets_one_still_before_the_break() -> None:
    a, b = store(), load()
    assert gaps((loop(a, n.If(AT, (n.Break(),)), SYNC()), b), a, b) != []


def test_second_run_of_an_inner_loop_meets_the_end_of_the_first() -> None:
    a, b = store(), load()
    body = (loop(loop(a, SYNC(), b)),)
    inner = {tuple(g) for g in gaps(body, b, a)}
    assert ((0, None), (1, None)) in inner  # next inner iteration
    assert any(outer == (1, None) for outer, *_ in inner)  # first inner iteration of the next outer one


def test_device_function_that_synchronises() -> None:
    a, b = store(), load()
    assert gaps((a, n.Block("f", (SYNC(), n.Leave("f"))), b), a, b) == []


WARP_SYNC = lambda: n.Barrier("warp")  # noqa: E731


def ways(body: tuple[n.Stmt, ...], a: n.Stmt, b: n.Stmt, cuts: tuple[str, ...]) -> int:
    found = Intervals(body, cuts).ties(a, b)
    assert found is not None
    return len(found)


def test_a_warps_barrier_orders_the_warp_only() -> None:
    a, b = store(), load()
    body = (a, WARP_SYNC(), b)
    assert ways(body, a, b, WARP) == 0
    assert ways(body, a, b, BLOCK) == 1


def test_a_barrier_of_some_lanes_is_not_relied_on() -> None:
    a, b = store(), load()
    assert ways((a, n.Barrier("warp", n.Const(0xFFFF, INT64)), b), a, b, WARP) == 1
    assert ways((a, n.Barrier("warp", n.Const(0xFFFFFFFF, INT64)), b), a, b, WARP) == 0


def test_a_shuffle_orders_no_memory() -> None:
    a, b = store(), load()
    assert ways((a, n.Barrier("warp", orders=False), b), a, b, WARP) == 1


def test_between_blocks_only_the_grids_barrier_counts() -> None:
    a, b = store(), load()
    assert ways((a, SYNC(), b), a, b, GRID) == 1
    assert ways((a, n.Barrier("grid"), b), a, b, GRID) == 0


def flag() -> n.Atomic:
    return n.Atomic("exch", "f", (ONE,), (ONE,))


FENCES = ("fence_device",)


def test_an_atomic_behind_a_fence_may_hand_over() -> None:
    a, b = store(), load()
    give, take = (a, n.Barrier("fence_device"), flag()), (flag(), b)
    assert Intervals((n.If(AT, give, take),)).handed_over(a, b, FENCES)
    assert Intervals((n.If(AT, give, take),)).handed_over(b, a, FENCES)


def test_no_fence_no_atomic_or_the_wrong_side_hands_nothing_over() -> None:
    a, b = store(), load()
    fence = n.Barrier("fence_device")
    for give, take in (
        ((a, flag()), (flag(), b)), ((a, fence), (flag(), b)), ((a, fence, flag()), (b,)),
        ((fence, flag(), a), (flag(), b)), ((a, n.Barrier("fence_block"), flag()), (flag(), b)),
    ):  # fmt: skip
        assert not Intervals((n.If(AT, give, take),)).handed_over(a, b, FENCES)


AT_LOOP = Span("k.py", 3, 4, 9, 0)


def test_a_loop_that_runs_is_not_passed_by() -> None:
    a, b = store(), load()
    body = (a, n.For("k", ONE, AT, ONE, (SYNC(),), INT64, AT_LOOP), b)
    assert Intervals(body).ties(a, b) == [()]
    assert Intervals(body, entered={AT_LOOP}).ties(a, b) == []


def test_an_inner_loop_that_runs_parts_the_rounds_around_it() -> None:
    """A thread in the last inner iteration never meets one of the next outer one, past its first barrier."""
    a = store()
    inner = n.For("j", ONE, AT, ONE, (a, SYNC()), INT64, AT_LOOP)
    found = Intervals((loop(inner),), entered={AT_LOOP}).ties(a, a)
    assert found is not None
    assert {tuple(t.gap for t in ties) for ties in found} == {(0, 0)}


def test_the_last_test_of_a_loop_meets_what_comes_after_it() -> None:
    test, after = load(), store()
    body = (n.While((test,), AT, (SYNC(),)), after)
    assert Intervals(body).ties(test, after) != []


def test_a_barrier_in_the_test_of_a_loop_orders_what_comes_before_it() -> None:
    first, second, after = load(), load(), store()
    body = (n.While((first, SYNC(), second), AT, ()), after)
    found = Intervals(body)
    assert found.ties(first, after) == []
    assert found.ties(second, after) != []


def test_the_body_of_a_loop_is_apart_from_what_comes_after_it() -> None:
    inside, after = load(), store()
    assert Intervals((n.While((), AT, (SYNC(), inside)), after)).ties(inside, after) != []
    assert Intervals((n.While((), AT, (inside, SYNC())), after)).ties(inside, after) == []
