"""Memory: ranges, negative subscripts, views, aliases, initialisation, outcome."""

from __future__ import annotations

import pytest
from interp.build import (
    GRID,
    TX,
    atomic,
    c,
    cmp,
    e,
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
from gpulint.ir.types import FLOAT32, INT32, INT64, UNKNOWN, ArrayType


def view(target: str, array: str, *indices: object, transpose: bool = False) -> n.View:
    return n.View(target, array, tuple(e(i) for i in indices), transpose)


def cut(start: object = None, stop: object = None, step: object = None) -> n.Range:
    return n.Range(*(None if b is None else e(b) for b in (start, stop, step)))


def test_values_are_written_and_read_back() -> None:
    k = kernel(load("v", "y", TX), store("x", TX, value=op("mul", "v", 10)), x=1, y=1)
    outcome = run(k, block=3, x=3, y=ConcreteArray((3,), lambda i: i[0] + 1))
    assert outcome.written["x"] == {(0,): 10, (1,): 20, (2,): 30}
    assert outcome.read["y"] == {(0,), (1,), (2,)} and outcome.written["y"] == {}
    assert outcome.complete and outcome.violations == []


def test_out_of_range_is_reported_with_subscripts_and_skipped() -> None:
    k = kernel(store("x", 1, op("add", TX, 1), row=4), x=2)
    outcome = run(k, block=3, x=(2, 3))
    (v,) = outcome.violations
    assert (v.kind, v.array, v.element, v.extents, v.modes) == (
        "out-of-range",
        "x",
        (1, 3),
        (2, 3),
        ("write",),
    )
    assert v.point == ((0, 0, 0), (2, 0, 0)) and v.span.row == 4
    assert set(outcome.written["x"]) == {(1, 1), (1, 2)}


def test_negative_subscript_wraps_and_is_noted() -> None:
    outcome = run(kernel(store("x", -1), store("x", -3, row=2), store("x", -4, row=3), x=1), x=3)
    assert kinds(outcome) == ["negative-index", "negative-index", "out-of-range"]
    assert set(outcome.written["x"]) == {(2,), (0,)}
    assert outcome.violations[0].element == (-1,)


def test_negative_subscript_without_wrap_is_out_of_range() -> None:
    assert kinds(run(kernel(store("x", -1, wraps=False), x=1), x=3)) == ["out-of-range"]


def test_each_place_is_reported_once_unless_asked() -> None:
    k = kernel(store("x", op("add", TX, 10)), x=1)
    assert kinds(run(k, block=4, x=3)) == ["out-of-range"]
    assert kinds(run(k, block=4, x=3, max_reports=3)) == ["out-of-range"] * 3


def test_out_of_range_load_gives_an_unknown_value() -> None:
    k = kernel(load("v", "x", 5), store("x", 0, value="v"), x=1)
    outcome = run(k, x=1)
    assert kinds(outcome) == ["out-of-range"] and outcome.written["x"] == {(0,): None}


def test_wrong_number_of_subscripts_stops_the_thread() -> None:
    outcome = run(kernel(store("x", 0), x=2), x=(2, 2))
    assert kinds(outcome) == ["not-executable"] and not outcome.complete


def test_huge_arrays_cost_nothing() -> None:
    far = 2**40
    k = kernel(store("x", far, value=n.Size("x", INT64)), x=1)
    assert values(k, x=far + 1) == {far: far + 1}


def test_extent_size_and_stride() -> None:
    def about(what: n.Expr) -> object:
        outcome = run(kernel(store("x", 0, 0, value=what), element=INT32, x=2), x=(3, 5))
        return outcome.written["x"][(0, 0)]

    assert about(n.Extent("x", 1, INT64)) == 5
    assert about(n.Size("x", INT64)) == 15
    assert about(n.Stride("x", 0, INT64)) == 20
    assert about(n.Stride("x", 0, INT64, "element")) == 5


def test_view_row_and_slice() -> None:
    k = kernel(
        view("row", "x", 1), view("part", "row", cut(1, 100, 2)),
        store("part", 1, value=n.Extent("part", 0, INT64)), x=2,
    )  # fmt: skip
    outcome = run(k, x=(3, 6))
    assert outcome.written["x"] == {(1, 3): 3} and outcome.violations == []


def test_negative_slices_and_steps() -> None:
    k = kernel(
        view("a", "x", cut(-3)), store("a", 0, value=1), view("b", "x", cut(None, None, -1)),
        store("b", 0, value=2), store("b", -1, value=3), x=1,
    )  # fmt: skip
    outcome = run(k, x=10)
    assert outcome.written["x"] == {(7,): 1, (9,): 2, (0,): 3}


def test_access_past_a_view_is_out_of_range_though_the_array_is_larger() -> None:
    k = kernel(view("v", "x", cut(0, 2)), store("v", 2, row=5), x=1)
    (v,) = run(k, x=10).violations
    assert (v.kind, v.array, v.element, v.extents, v.span.row) == ("out-of-range", "x", (2,), (2,), 5)


def test_view_with_a_bad_index_is_reported_where_it_is_used() -> None:
    k = kernel(view("row", "x", 3), when(cmp("eq", TX, 1), store("row", 0, row=6)), x=2)
    (v,) = run(k, block=2, x=(3, 3)).violations
    assert (v.kind, v.element, v.extents, v.span.row, v.point[1]) == (
        "out-of-range",
        (3,),
        (3,),
        6,
        (1, 0, 0),
    )


def test_transpose() -> None:
    k = kernel(view("t", "x", transpose=True), store("t", 4, 1), x=2)
    assert set(run(k, x=(2, 5)).written["x"]) == {(1, 4)}


def test_stride_of_a_view() -> None:
    step = n.Stride("v", 1, INT64, "element")
    k = kernel(view("v", "x", cut(), cut(None, None, 2)), store("x", 0, 0, value=step), x=2)
    assert run(k, x=(2, 5)).written["x"] == {(0, 0): 2}


def test_slice_step_zero_cannot_run() -> None:
    assert kinds(run(kernel(view("v", "x", cut(0, 1, 0)), x=1), x=3)) == ["not-executable"]


def test_alias_under_a_branch() -> None:
    k = kernel(
        n.Alias("t", "x"), when(cmp("eq", TX, 1), n.Alias("t", "y")), store("t", TX, value=7), x=1, y=1
    )
    outcome = run(k, block=2, x=2, y=2)
    assert outcome.written == {"x": {(0,): 7}, "y": {(1,): 7}}


def test_arrays_of_one_buffer_share_elements() -> None:
    k = kernel(store("x", 3, value=9), load("v", "y", 1, 1), store("z", 0, value="v"), x=1, y=2, z=1)
    outcome = run(k, x=ConcreteArray((4,), buffer="b"), y=ConcreteArray((2, 2), buffer="b"), z=1)
    assert outcome.written["z"] == {(0,): 9}


def test_reading_what_nobody_filled_is_reported() -> None:
    fresh = ConcreteArray((2,), lambda _: None)
    k = kernel(store("x", 0), load("a", "x", 0), load("b", "x", 1, row=3), x=1)
    (v,) = run(k, x=fresh).violations
    assert (v.kind, v.element, v.span.row) == ("uninitialised", (1,), 3)


@pytest.mark.parametrize("space", ["shared", "local"])
def test_shared_and_local_memory_starts_without_values(space: str) -> None:
    k = kernel(shared("s", 2, space=space), store("s", 0), load("a", "s", 0), load("b", "s", 1, row=3))
    assert [(v.kind, v.array, v.span.row) for v in run(k).violations] == [("uninitialised", "s", 3)]


def test_local_memory_is_a_threads_own_and_keeps_its_values_in_a_loop() -> None:
    body = loop("i", 0, 2, 1, shared("s", 1, space="local"), when(cmp("eq", "i", 0), store("s", 0, value=TX)),
                load("v", "s", 0), store("x", TX, value="v"))  # fmt: skip
    assert values(kernel(body, x=1), block=3, x=3) == {0: 0, 1: 1, 2: 2}


def test_shared_memory_is_a_blocks_own() -> None:
    k = kernel(shared("s", 4), store("s", TX, value=GRID), sync(), load("v", "s", op("sub", 1, TX)),
               store("x", GRID, value="v"), x=1)  # fmt: skip
    assert values(k, grid=2, block=2, x=4) == {0: 1, 1: 0, 2: 3, 3: 2}


def test_constant_arrays_have_their_elements() -> None:
    table = n.Alloc("t", ArrayType(INT64, 2, "const"), (c(2), c(2)), (1, 2, 3, 4))
    unknown = n.Alloc("u", ArrayType(INT64, 1, "const"), (c(2),))
    k = kernel(table, unknown, load("v", "t", 1, 0), store("x", 0, value="v"), load("w", "u", 0),
               store("x", 1, value="w"), x=1)  # fmt: skip
    outcome = run(k, x=2)
    assert outcome.written["x"] == {(0,): 3, (1,): None} and outcome.violations == []


def test_dynamic_shared_arrays_overlay_each_other() -> None:
    a, b = (n.Alloc(name, ArrayType(FLOAT32, 1, "shared"), None) for name in "ab")
    k = kernel(a, b, store("a", 0, value=2.5), load("v", "b", 0), store("x", 0, value="v"),
               store("b", 4, row=2), element=FLOAT32, x=1)  # fmt: skip
    outcome = run(k, x=1, dynamic_shared=16)
    assert outcome.written["x"] == {(0,): 2.5} and kinds(outcome) == ["out-of-range"]


def test_atomics_return_the_old_value() -> None:
    k = kernel(atomic("add", "x", 0, target="old"), store("y", "old", value=TX), x=1, y=1)
    outcome = run(k, block=3, x=1, y=3)
    assert outcome.written == {"x": {(0,): 3}, "y": {(0,): 0, (1,): 1, (2,): 2}} and outcome.violations == []


def test_atomic_out_of_range() -> None:
    (v,) = run(kernel(atomic("add", "x", 3), x=1), x=3).violations
    assert (v.kind, v.modes) == ("out-of-range", ("atomic",))


def test_atomic_sum_that_leaves_the_element_type() -> None:
    k = kernel(atomic("add", "x", 0, operands=(2**31 - 1,)), element=INT32, x=1)
    outcome = run(k, block=2, x=1)
    assert kinds(outcome) == ["wrap"] and outcome.written["x"] == {(0,): -2}


def test_fields_of_a_record_are_apart() -> None:
    k = kernel(n.Store("x", (c(0),), c(5), field="a"), n.Store("x", (c(0),), c(6), field="b"),
               n.Load("v", "x", (c(0),), INT64, field="a"), store("y", 0, value="v"), x=1, y=1)  # fmt: skip
    assert run(k, x=1, y=1).written["y"] == {(0,): 5}


def test_element_type_from_the_argument_when_the_kernel_has_none() -> None:
    k = kernel(store("x", 0, value=300), element=UNKNOWN, x=1)
    assert values(k, x=ConcreteArray((1,), dtype="uint8")) == {0: 44}


def test_unknown_subscript_cuts_the_thread() -> None:
    k = kernel(let("i", n.Opaque("mystery", (), INT64)), store("x", "i"), store("x", 0), x=1)
    outcome = run(k, x=1)
    assert kinds(outcome) == ["unknown-branch"] and not outcome.complete and outcome.written["x"] == {}


def test_missing_array_argument() -> None:
    outcome = run(kernel(store("x", 0), x=1))
    assert kinds(outcome) == ["not-executable"] and outcome.violations[0].array == "x"
