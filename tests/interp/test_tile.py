"""Tile kernels on concrete launches: values, masks, range, races, widths."""

from __future__ import annotations

import pytest

from gpulint import interp
from gpulint.dataflow import analyse
from gpulint.interp import ConcreteArray
from gpulint.interp.environment import environment
from gpulint.interp.replay import replay
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT32, INT32, INT64, UNKNOWN
from gpulint.term import evaluate, holds
from tests import tiles as b

B, N, K = b.v("BLOCK"), b.v("n"), b.v("K")
OFFS = b.pid() * B + b.arange(B)


def run(*body, grid=1, arrays=None, points=None, element=INT32, **numbers):
    return interp.run(b.kernel(*body, element=element), b.launch(grid, 1, points, arrays, **numbers))


def kinds(outcome) -> list[str]:
    return [v.kind for v in outcome.violations]


def written(*body, array="out", **how) -> dict[int, object]:
    outcome = run(*body, **how)
    assert outcome.violations == []
    return {i: value for (i,), value in outcome.written[array].items()}


def counting(size: int, of=lambda i: i) -> ConcreteArray:
    return ConcreteArray((size,), lambda index: of(index[0]), dtype="int32")


def test_each_program_writes_its_tile():
    found = written(
        b.store("out", OFFS, B, OFFS < N, value=OFFS * 2), grid=3, arrays={"out": 10}, BLOCK=4, n=10
    )
    assert found == {i: 2 * i for i in range(10)}


def test_masked_lanes_do_not_access():
    out = run(b.load("x", "x", OFFS, B, OFFS < N), grid=2, arrays={"x": 5}, BLOCK=4, n=5)
    assert out.violations == [] and out.read["x"] == {(i,) for i in range(5)}


def test_a_lane_out_of_range_is_reported_with_its_coordinates():
    out = run(b.store("out", OFFS, B), grid=3, arrays={"out": 10}, BLOCK=4)
    (v,) = out.violations
    assert (v.kind, v.element, v.extents, v.point) == ("out-of-range", (10,), (10,), ((2, 0, 0), (2, 0, 0)))


def test_a_negative_offset_is_out_of_range():
    assert kinds(run(b.load("x", "x", b.arange(4) - 1, 4), arrays={"x": 10})) == ["out-of-range"]


def test_broadcasting_two_axes():
    o = b.v("o")
    body = [
        b.let("o", b.arange(4)),
        b.store("out", o.col(4) * 4 + o.row(4), (4, 4), value=o.col(4) - o.row(4)),
    ]
    assert written(*body, arrays={"out": 16}) == {4 * i + j: i - j for i in range(4) for j in range(4)}


def test_a_transpose_gathers_the_other_coordinates():
    tile = b.let("t", b.lane(0, 2) * 10 + b.lane(1, 4))
    turned = b.v("t").move(b.lane(1, 2), b.lane(0, 4))
    place = b.lane(0, 4) * 2 + b.lane(1, 2)
    found = written(tile, b.store("out", place, (4, 2), value=turned), arrays={"out": 8})
    assert found == {2 * i + j: 10 * j + i for i in range(4) for j in range(2)}


def test_flattening_divides_the_lane():
    tile = b.let("t", b.lane(0, 2) * 10 + b.lane(1, 4))
    flat = b.v("t").move(b.lane(0, 8) // 4, b.lane(0, 8) % 4)
    found = written(tile, b.store("out", b.lane(0, 8), 8, value=flat), arrays={"out": 8})
    assert list(found.values()) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_masked_off_lanes_have_the_value_other():
    body = [
        b.load("x", "x", b.arange(4), 4, b.arange(4) < 2, other=7),
        b.store("out", b.arange(4), 4, value=b.v("x")),
    ]
    assert written(*body, arrays={"x": counting(4), "out": 4}) == {0: 0, 1: 1, 2: 7, 3: 7}


PARTIAL = b.load("x", "x", b.arange(4), 4, b.arange(4) < 2, row=2)


def undefined(*body, **how) -> list[tuple[str, int]]:
    """The undefined lanes that are used: the operation, and the row where."""
    out = run(PARTIAL, *body, **how)
    assert {v.kind for v in out.violations} <= {"undefined-lane"}
    return [(v.detail, v.other_span.row) for v in out.violations]


def test_masked_off_lanes_without_other_are_undefined():
    (v,) = run(
        PARTIAL, b.store("out", b.arange(4), 4, value=b.v("x"), row=3), arrays={"x": counting(4), "out": 4}
    ).violations
    assert (v.kind, v.array, v.span.row, v.other_span.row) == ("undefined-lane", "x", 2, 3)
    assert v.point == ((0, 0, 0), (2, 0, 0))


@pytest.mark.parametrize(
    "value", [b.v("x") + 1, b.where(b.arange(4) < 3, b.v("x"), 0), b.v("x").move(b.arange(4))]
)
def test_undefined_lanes_that_are_not_stored_do_not_matter(value):
    assert (
        undefined(b.store("out", b.arange(4), 4, b.arange(4) < 2, value=value), arrays={"x": 4, "out": 4})
        == []
    )


def test_a_choice_by_the_mask_replaces_undefined_lanes():
    value = b.where(b.arange(4) < 2, b.v("x"), 0)
    assert undefined(b.store("out", b.arange(4), 4, value=value), arrays={"x": 4, "out": 4}) == []


def test_a_sum_uses_every_lane():
    total = b.let("s", b.unknown("sum", b.v("x"), follows=((-1,),), row=4))
    body = [total, b.store("out", 0, value=b.v("s"))]
    assert undefined(*body, arrays={"x": 4, "out": 1}) == [("sum", 4)]


def test_a_prefix_sum_uses_the_lanes_before():
    scan = b.let("s", b.unknown("cumsum", b.v("x"), rank=1, follows=((n.upto(0),),), row=4))
    stored = [b.store("out", b.arange(4), 4, b.arange(4) < size, value=b.v("s")) for size in (2, 3)]
    assert undefined(scan, stored[0], arrays={"x": 4, "out": 4}) == []
    assert undefined(scan, stored[1], arrays={"x": 4, "out": 4}) == [("cumsum", 4)]


def test_a_product_uses_a_row_and_a_column():
    tile = b.load("x", "x", b.lane(0, 2) * 2 + b.lane(1, 2), (2, 2), b.lane(0, 2) < 1, row=2)
    product = b.let("d", b.unknown("dot", b.v("x"), b.v("y"), rank=2, follows=((0, -1), (-1, 1)), row=4))
    other = b.let("y", b.lane(0, 2) + b.lane(1, 2))
    place = b.lane(0, 2) * 2 + b.lane(1, 2)
    for rows, expected in ((1, []), (2, ["undefined-lane"])):
        out = b.store("out", place, (2, 2), b.lane(0, 2) < rows, value=b.v("d"))
        assert kinds(run(tile, other, product, out, arrays={"x": 4, "out": 4})) == expected


def test_an_undefined_mask_or_subscript_is_used():
    by_mask = b.store("out", b.arange(4), 4, b.v("x") < 1, row=5)
    by_place = b.load("y", "y", b.v("x"), 4, row=6)
    found = run(PARTIAL, by_mask, by_place, arrays={"x": 4, "out": 4, "y": 4}).of("undefined-lane")
    assert [v.other_span.row for v in found] == [5, 6]


def test_a_pointer_advances_in_a_loop():
    body = [
        b.let("p", b.arange(2)),
        b.loop("k", 0, b.cdiv(N, 2), 1, b.store("out", b.v("p"), 2, b.v("p") < N, value=b.v("k")),
               b.let("p", b.v("p") + 2)),
    ]  # fmt: skip
    assert written(*body, arrays={"out": 5}, n=5) == {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}


def test_division_truncates():
    body = [b.store("out", b.arange(4), 4, value=(b.arange(4) - 3) // 2)]
    assert written(*body, arrays={"out": 4}) == {0: -1, 1: -1, 2: 0, 3: 0}


def test_choose_picks_lane_by_lane():
    body = [b.store("out", b.arange(4), 4, value=b.where(b.arange(4) < 2, b.arange(4), 9))]
    assert written(*body, arrays={"out": 4}) == {0: 0, 1: 1, 2: 9, 3: 9}


def test_the_largest_of_known_integers():
    assert written(b.store("out", 0, value=b.unknown("tl.max", b.arange(8) * 3)), arrays={"out": 1}) == {
        0: 21
    }


def test_a_sum_is_unknown():
    assert written(b.store("out", 0, value=b.unknown("tl.sum", b.arange(8))), arrays={"out": 1}) == {0: None}


# --- races -----------------------------------------------------------------------------------------


def test_programs_that_store_to_one_element_race():
    (v,) = run(b.store("out", b.arange(2), 2, value=b.pid()), grid=2, arrays={"out": 2}).violations
    assert (v.kind, v.point, v.other, v.element) == (
        "race",
        ((0, 0, 0), (0, 0, 0)),
        ((1, 0, 0), (0, 0, 0)),
        (0,),
    )
    assert v.modes == ("write", "write") and v.detail == ""


def test_equal_values_are_told():
    (v,) = run(b.store("out", 0, value=1), grid=2, arrays={"out": 1}).violations
    assert (v.kind, v.detail) == ("race", "same value")


def test_a_read_races_with_another_programs_store():
    body = [b.load("x", "out", b.pid() + 1), b.store("out", b.pid(), value=3)]
    (v,) = run(*body, grid=2, arrays={"out": 3}).violations
    assert (v.kind, v.modes, v.element) == ("race", ("read", "write"), (1,))


def test_one_program_may_read_what_it_wrote():
    body = [
        b.store("out", OFFS, B, value=5),
        b.load("x", "out", OFFS, B),
        b.store("y", OFFS, B, value=b.v("x")),
    ]
    assert written(*body, array="y", grid=2, arrays={"out": 8, "y": 8}, BLOCK=4) == dict.fromkeys(range(8), 5)


def test_two_lanes_of_one_store_race():
    (v,) = run(b.store("out", b.arange(4) // 2, 4, value=b.arange(4)), arrays={"out": 2}).violations
    assert (v.kind, v.detail, v.point, v.other) == (
        "race", "same store", ((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (1, 0, 0)),
    )  # fmt: skip


def test_two_lanes_of_one_store_with_one_value():
    (v,) = run(b.store("out", b.arange(4) // 4, 4, value=1), arrays={"out": 1}).violations
    assert v.detail == "same value"


def test_lanes_that_differ_do_not_race():
    assert kinds(run(b.store("out", b.arange(4) * 2, 4), arrays={"out": 7})) == []


def test_atomics_do_not_race_with_each_other():
    out = run(b.atomic("out", b.arange(4) // 2, 4, value=1), grid=3, arrays={"out": 2})
    assert out.violations == [] and out.written["out"] == {(0,): 6, (1,): 6}


def test_an_atomic_races_with_a_store():
    body = [b.when(b.pid().same(0), b.store("out", 0)), b.when(b.pid().same(1), b.atomic("out", 0))]
    (v,) = run(*body, grid=2, arrays={"out": 1}).violations
    assert (v.kind, v.modes) == ("race", ("write", "atomic"))


def test_arrays_in_one_buffer_race():
    both = {name: ConcreteArray((4,), buffer="shared") for name in ("x", "out")}
    body = [b.load("x", "x", 3 - b.pid()), b.store("out", b.pid())]
    assert "race" in kinds(run(*body, grid=4, arrays=both))


# --- widths ----------------------------------------------------------------------------------------


def test_an_offset_that_wraps_is_reported_where_it_is_used():
    out = run(
        b.load("x", "x", b.pid() * K), grid=3, points=(((2, 0, 0), (0, 0, 0)),), arrays={"x": 2**33}, K=2**30
    )
    wraps = out.of("wrap")
    assert [v.detail for v in wraps] == [f"mul: {2**31} does not fit int32"]
    assert [v.element for v in out.of("out-of-range")] == [(-(2**31),)]


def test_an_offset_that_wraps_on_a_masked_lane_is_not():
    offs = b.arange(4) * K
    assert kinds(run(b.load("x", "x", offs, 4, b.arange(4) < 1), arrays={"x": 4}, K=2**30)) == []


def test_a_mask_that_wraps_is_reported_on_any_lane():
    offs = b.arange(4) * K
    out = run(b.load("x", "x", b.arange(4), 4, offs < 0), arrays={"x": 4}, K=2**30)
    assert kinds(out) == ["wrap"] and out.violations[0].point == ((0, 0, 0), (2, 0, 0))


def test_a_branch_on_a_wrapped_value_is_reported():
    assert kinds(run(b.when(b.pid() + K < 0, b.store("out", 0)), grid=2, arrays={"out": 1}, K=2**31 - 1)) == [
        "wrap"
    ]


def test_a_cast_before_the_product_does_not_wrap():
    body = [b.load("x", "x", b.pid().wide() * K)]
    assert kinds(run(*body, grid=3, arrays={"x": 2**33}, K=2**30)) == []


def test_a_cast_after_the_product_does():
    body = [b.load("x", "x", (b.pid() * K).wide())]
    assert "wrap" in kinds(run(*body, grid=3, arrays={"x": 2**33}, K=2**30))


def test_a_wrapped_value_that_is_only_stored_decides_nothing():
    assert kinds(run(b.store("out", b.pid(), value=b.pid() * K), grid=3, arrays={"out": 3}, K=2**30)) == []


# --- unknowns --------------------------------------------------------------------------------------


def test_an_uninitialised_element_is_reported_when_read():
    empty = ConcreteArray((4,), lambda i: None)
    assert kinds(run(b.load("x", "x", b.arange(4), 4), arrays={"x": empty})) == ["uninitialised"]


def test_an_unknown_branch_cuts_the_program():
    out = run(b.when(b.v("flag") > 0, b.store("out", 0)), b.store("out", 9), arrays={"out": 1})
    assert kinds(out) == ["unknown-branch"] and not out.complete


def test_an_unknown_mask_leaves_the_lane_out():
    out = run(b.store("out", b.arange(2), 2, b.v("flag") > b.arange(2)), arrays={"out": 2})
    assert kinds(out) == ["unknown-branch"] and not out.complete and out.written["out"] == {}


def test_an_unknown_store_makes_the_array_unknown():
    body = [b.store("out", b.v("where")), b.load("x", "out", 0), b.store("y", 0, value=b.v("x"))]
    out = run(*body, arrays={"out": 2, "y": 1})
    assert out.written["y"] == {(0,): None}


def test_a_float_condition_decides_lane_by_lane():
    x = ConcreteArray((4,), lambda i: i[0] / 4, dtype="float32")
    body = [b.load("x", "x", b.arange(4), 4), b.store("out", b.arange(4), 4, b.v("x", FLOAT32) > 0.4)]
    out = run(*body, element=UNKNOWN, arrays={"x": x, "out": 4})
    assert set(out.written["out"]) == {(2,), (3,)}


# --- control and limits ----------------------------------------------------------------------------


def test_points_limit_the_programs_whatever_their_lanes():
    out = run(b.store("out", OFFS, B), grid=5, points=(((3, 0, 0), (2, 0, 0)),), arrays={"out": 20}, BLOCK=4)
    assert set(out.written["out"]) == {(i,) for i in range(12, 16)}


def test_grids_have_three_axes():
    place = (b.pid(2) * 2 + b.pid(1)) * 2 + b.pid(0)
    assert set(written(b.store("out", place), grid=(2, 2, 2), arrays={"out": 8})) == set(range(8))


def test_an_early_return_ends_the_program():
    body = [b.when(b.pid() >= N, n.Leave()), b.store("out", b.pid())]
    assert set(written(*body, grid=4, arrays={"out": 4}, n=2)) == {0, 1}


def test_while_break_and_continue():
    i = b.v("i")
    body = [
        b.let("i", 0),
        n.While((), (i < 10).e, (
            b.let("i", i + 1), b.when(i.same(3), n.Continue()), b.when(i > 5, n.Break()), b.store("out", i),
        )),
    ]  # fmt: skip
    assert set(written(*body, arrays={"out": 10})) == {1, 2, 4, 5}


def test_the_step_limit_ends_the_run():
    k = b.kernel(n.While((), b.x(True).e, (b.let("i", 0),)))
    out = interp.run(k, b.launch())
    assert kinds(out) == ["step-limit"] and not out.complete


@pytest.mark.parametrize("size", [0, -4, 2**21])
def test_a_tile_size_that_no_compiler_takes(size):
    assert kinds(run(b.store("out", b.arange(B), B), arrays={"out": 4}, BLOCK=size)) == ["not-executable"]


def test_tiles_of_different_shapes_do_not_combine():
    assert kinds(run(b.store("out", b.arange(4) + b.arange(8), 8), arrays={"out": 16})) == ["not-executable"]


def test_a_mask_of_another_shape():
    assert kinds(run(b.store("out", b.arange(4), 4, b.arange(8) < 3), arrays={"out": 16})) == [
        "not-executable"
    ]


def test_an_unsupported_statement_makes_its_arrays_unknown():
    body = [
        n.Unsupported("a device function", ("out",)),
        b.load("x", "out", 0),
        b.store("y", 0, value=b.v("x")),
    ]
    out = run(*body, arrays={"out": 1, "y": 1})
    assert not out.complete and out.written["y"] == {(0,): None}


def test_int64_counts_past_int32():
    body = [b.store("out", (b.v("k", INT64) + 2**31).wide() % 7)]
    assert kinds(run(*body, arrays={"out": 7}, k=1)) == []


def test_a_product_of_axes_past_every_limit():
    big = b.lane(0, 2**11) + b.lane(1, 2**11)
    assert kinds(run(b.let("t", big))) == ["not-executable"]


def test_a_witness_is_replayed():
    k = b.kernel(b.store("out", OFFS, B, row=5))
    found = replay(k, b.launch(3, arrays={"out": 10}, BLOCK=4), "out-of-range", b.at(5), "out")
    assert found is not None and found.element == (10,)


def test_the_environment_of_a_point_names_its_lanes():
    k = b.kernel(b.store("out", OFFS, B))
    known = environment(k, b.launch(3, arrays={"out": 10}, BLOCK=4), ((2, 0, 0), (1, 0, 0)))
    access = analyse(k).accesses[0]
    assert (evaluate(access.subscripts[0], known), holds(access.domain, known)) == (9, True)


def reloads(*between, lane=0, shape=4):
    out = run(
        b.store("out", b.arange(4), 4), *between, b.load("y", "out", b.arange(shape) + lane, shape),
        arrays={"out": 8},
    )  # fmt: skip
    return [(v.point[1], v.other[1]) for v in out.of("reload")]


def test_a_load_of_what_another_lane_stored_is_told():
    assert reloads(lane=1) == [((1, 0, 0), (0, 0, 0))]
    assert reloads(shape=2) == [((0, 0, 0), (0, 0, 0))]  # a tile of another shape has other threads


def test_a_load_by_the_same_lane_is_in_order():
    assert reloads() == []


def test_a_barrier_or_a_reduction_orders_the_lanes():
    barrier = n.Barrier("block", b.at(1))
    assert reloads(barrier, lane=1) == []
    assert reloads(b.let("z", b.unknown("tl.sum", b.arange(4))), lane=1) == []


@pytest.mark.parametrize(("least", "complete"), [(4, True), (5, False)])
def test_a_launch_that_an_assertion_refuses_shows_nothing(least, complete):
    body = n.Assume((least <= N).e), b.store("out", OFFS, B, OFFS < N)
    assert run(*body, arrays={"out": 4}, BLOCK=4, n=4).complete is complete
