"""Values: widths, divisions, floats, unknowns."""

from __future__ import annotations

import math

import pytest
from interp.build import GRID, c, cmp, e, kernel, kinds, let, op, run, store, value_of

from gpulint.interp.values import atomic_result, stored
from gpulint.ir import nodes as n
from gpulint.ir.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    UINT8,
    UINT64,
    UNKNOWN,
)


@pytest.mark.parametrize(
    ("name", "a", "b", "expected"),
    [
        ("add", 3, 4, 7), ("sub", 3, 4, -1), ("mul", -3, 4, -12),
        ("floordiv", -7, 2, -4), ("mod", -7, 2, 1), ("floordiv", 7, -2, -4), ("mod", 7, -2, -1),
        ("truncdiv", -7, 2, -3), ("truncmod", -7, 2, -1), ("truncdiv", 7, -2, -3), ("truncmod", 7, -2, 1),
        ("pow", 3, 4, 81), ("shl", 3, 4, 48), ("shr", -5, 1, -3),
        ("and", 6, 3, 2), ("or", 6, 3, 7), ("xor", 6, 3, 5), ("min", 6, -3, -3), ("max", 6, -3, 6),
    ],
)  # fmt: skip
def test_integer_operations(name: str, a: int, b: int, expected: int) -> None:
    assert value_of(op(name, a, b)) == expected


@pytest.mark.parametrize("name", ["floordiv", "mod", "truncdiv", "truncmod"])
def test_division_by_zero_is_unknown(name: str) -> None:
    assert value_of(op(name, 1, 0)) is None


@pytest.mark.parametrize(("name", "amount"), [("shl", 64), ("shl", -1), ("shr", -1)])
def test_shift_out_of_the_width_is_unknown(name: str, amount: int) -> None:
    assert value_of(op(name, 1, amount)) is None


@pytest.mark.parametrize(
    ("name", "a", "b", "t", "held"),
    [
        ("add", 2**31 - 1, 1, INT32, -(2**31)), ("mul", 2**32, 2**32, INT64, 0),
        ("sub", 0, 1, UINT64, 2**64 - 1), ("shl", 1, 31, INT32, -(2**31)), ("pow", 2, 100, INT64, 0),
        ("pow", 3, 10**12, INT64, None), ("floordiv", -(2**31), -1, INT32, -(2**31)),
        ("floordiv", -1, 2, UINT8, 127), ("max", -1, 0, UINT8, 255),
    ],
)  # fmt: skip
def test_leaving_the_width_is_reported_and_wraps(
    name: str, a: int, b: int, t: object, held: int | None
) -> None:
    outcome = run(kernel(store("x", 0, value=op(name, a, b, t, row=7)), element=UNKNOWN, x=1), x=1)
    (violation,) = outcome.violations
    assert violation.kind == "wrap" and violation.span.row == 7 and name in violation.detail
    got = outcome.written["x"][(0,)]
    assert got == held if held is not None else -(2**63) <= got < 2**63


def test_bit_patterns_never_leave_the_width() -> None:
    assert value_of(op("and", -1, 5, UINT8)) == 5
    assert value_of(n.Unary("invert", c(5), UINT8)) == 250
    assert value_of(n.Unary("invert", c(5), INT64)) == -6


def test_negating_the_smallest_number_wraps() -> None:
    k = kernel(store("x", 0, value=n.Unary("neg", c(-128), INT8)), element=UNKNOWN, x=1)
    outcome = run(k, x=1)
    assert kinds(outcome) == ["wrap"] and outcome.written["x"][(0,)] == -128


def test_float_division() -> None:
    assert value_of(op("div", 7, 2, FLOAT64)) == 3.5
    assert value_of(op("div", 1, 0, FLOAT64)) == math.inf
    assert value_of(op("div", -1.0, 0, FLOAT64)) == -math.inf
    assert math.isnan(value_of(op("div", 0, 0, FLOAT64)))


def test_integers_become_floats_where_the_type_says_so() -> None:
    result = value_of(op("add", 1, 2, FLOAT32))
    assert result == 3.0 and isinstance(result, float)


@pytest.mark.parametrize(
    ("value", "t", "expected"),
    [(-2.7, INT64, -2), (2.7, INT32, 2), (3, FLOAT64, 3.0), (2, BOOL, True), (math.nan, INT64, None)],
)
def test_casts(value: object, t: object, expected: object) -> None:
    assert value_of(n.Cast(c(value), t)) == expected


def test_narrowing_cast_is_reported() -> None:
    outcome = run(kernel(store("x", 0, value=n.Cast(c(300), UINT8)), element=UNKNOWN, x=1), x=1)
    assert kinds(outcome) == ["wrap"] and outcome.written["x"][(0,)] == 44


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lt", False), ("le", True), ("gt", False), ("ge", True), ("eq", True), ("ne", False)],
)
def test_comparisons(name: str, expected: bool) -> None:
    assert value_of(cmp(name, 3, 3)) is expected


def unknown() -> n.Opaque:
    return n.Opaque("mystery", (), INT64)


def test_logic_is_decided_by_a_known_operand() -> None:
    less = cmp("lt", unknown(), 1)
    assert value_of(n.Logic("and", (less, c(False)))) is False
    assert value_of(n.Logic("or", (less, c(True)))) is True
    assert value_of(n.Logic("and", (less, c(True)))) is None


def test_logic_stops_before_a_later_operand_wraps() -> None:
    later = cmp("gt", op("mul", 2**62, 4), 0)
    assert value_of(n.Logic("and", (c(False), later))) is False


def test_choose_evaluates_one_side() -> None:
    wraps = op("mul", 2**62, 4)
    assert value_of(n.Choose(c(True), c(5), wraps, INT64)) == 5
    assert value_of(n.Choose(cmp("lt", unknown(), 1), c(5), c(5), INT64)) is None


def test_unknown_values_flow_through_arithmetic() -> None:
    for name in ("add", "floordiv", "max", "and", "shl", "pow"):
        assert value_of(op(name, unknown(), 1)) is None
        assert value_of(op(name, 1, unknown())) is None
    assert value_of(n.Unary("not", unknown(), BOOL)) is None
    assert value_of(n.Cast(unknown(), FLOAT32)) is None


def test_math_functions_are_computed() -> None:
    assert value_of(n.Opaque("math.sqrt", (c(9.0),), FLOAT64)) == 3.0
    assert value_of(n.Opaque("math.ceil", (c(2.1),), INT64)) == 3
    assert value_of(n.Opaque("math.sqrt", (c(-1.0),), FLOAT64)) is None
    assert value_of(n.Opaque("random.exp", (c(0.0),), FLOAT64)) is None
    assert value_of(n.Opaque("math.sqrt", (c(9.0),), FLOAT64, fresh=True)) is None


def test_none_and_strings_compare() -> None:
    assert value_of(cmp("eq", c(None), c(None))) is True
    assert value_of(n.Compare("eq", n.Const("a"), n.Const("a"))) is True
    assert value_of(op("add", n.Const("a"), 1)) is None
    assert value_of(op("mul", n.Const("a"), 10**12)) is None


def test_scalars_given_none_and_missing() -> None:
    assert value_of(op("add", "n", 1), scalars={"n": 4}) == 5
    assert value_of(cmp("eq", e("n"), None), scalars={"n": None}) is True
    assert value_of(cmp("eq", e("n"), None)) is None


def test_numbers_without_a_width_do_not_grow_without_end() -> None:
    square = n.Binary("mul", e("v"), e("v"), UNKNOWN)
    body = [let("v", c(3)), *[let("v", square)] * 60, store("x", 0, value="v")]
    assert run(kernel(*body, element=UNKNOWN, x=1), x=1).written["x"][(0,)] is None


def test_reports_name_the_thread_that_wraps() -> None:
    k = kernel(store("x", 0, value=op("add", GRID, 2**31 - 2, INT32)), x=1)
    (violation,) = run(k, block=4, x=1).of("wrap")
    assert violation.point == ((0, 0, 0), (2, 0, 0))


@pytest.mark.parametrize(
    ("kind", "old", "operands", "new"),
    [
        ("add", 5, (2,), 7), ("sub", 5, (2,), 3), ("max", 5, (9,), 9), ("min", 5, (9,), 5),
        ("and", 6, (3,), 2), ("or", 6, (3,), 7), ("xor", 6, (3,), 5),
        ("inc", 5, (5,), 0), ("inc", 4, (5,), 5),
        ("dec", 0, (5,), 5), ("dec", 3, (5,), 2), ("dec", 9, (5,), 5), ("exch", 5, (1,), 1),
        ("cas", 5, (5, 8), 8), ("cas", 4, (5, 8), 4), ("nanmax", math.nan, (2.0,), 2.0),
    ],
)  # fmt: skip
def test_atomic_results(kind: str, old: object, operands: tuple[object, ...], new: object) -> None:
    assert atomic_result(kind, old, operands) == new


def test_stored_values_take_the_element_type() -> None:
    assert stored(300, UINT8) == 44
    assert stored(2.9, INT32) == 2
    assert isinstance(stored(2, FLOAT32), float)
    assert stored(5, BOOL) is True
