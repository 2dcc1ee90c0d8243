"""Operators on terms against Python's integers."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpulint.dataflow.arith import MAX_CHOICE, binary, choose, unary
from gpulint.ir.types import INT64, UINT8
from gpulint.term import add, bool_sym, const, evaluate, fn, lt, mod, select, show, sym

X = sym("x")
SMALL = st.integers(-200, 200)
OPS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv,
    "mod": operator.mod, "min": min, "max": max, "shl": operator.lshift, "shr": operator.rshift,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "pow": operator.pow,
}  # fmt: skip
SAFE = {"floordiv": [1, 2, 3, -2], "mod": [1, 2, 5, -3], "shl": [0, 1, 5], "shr": [0, 1, 3], "pow": [0, 1, 2],
        "and": [0, 1, 4, 7, 64, 255, -1, -4, -256], "or": [1, 2, 64], "xor": [1, 4, 64]}  # fmt: skip


@given(op=st.sampled_from(sorted(OPS)), x=SMALL, data=st.data())
def test_binary_is_exact(op, x, data):
    y = data.draw(st.sampled_from(SAFE[op]) if op in SAFE else SMALL)
    made = binary(op, X, const(y), INT64)
    assert evaluate(made, {X.atom: x}) == OPS[op](x, y)


@given(op=st.sampled_from(["and", "or", "xor"]), x=st.integers(0, 200), y=st.integers(0, 90))
def test_bounds_of_bit_operations_hold(op, x, y):
    made = binary(op, sym("a", lo=0, hi=200), sym("b", lo=0, hi=90), INT64)
    value = {"and": x & y, "or": x | y, "xor": x ^ y}[op]
    assert made.lo <= value <= made.hi


@given(x=st.integers(0, 255))
def test_invert_follows_the_sign(x):
    assert evaluate(unary("invert", X, INT64), {X.atom: x}) == ~x
    assert evaluate(unary("invert", X, UINT8), {X.atom: x}) == 255 - x


@pytest.mark.parametrize(("op", "y"), [("floordiv", 0), ("mod", 0), ("shl", -1), ("shr", -1), ("pow", -1)])
def test_what_has_no_value_is_not_given_one(op, y):
    assert binary(op, X, const(y), INT64) is None


def test_a_negative_may_be_masked_only_exactly():
    assert binary("and", X, const(7), INT64) == mod(X, 8)
    assert binary("or", X, const(7), INT64) is None  # x may be negative


def test_huge_products_are_not_built():
    assert binary("mul", const(1 << 5000), const(3), INT64) is None
    wide = add(*(sym(f"a{i}") for i in range(30)))
    assert binary("mul", wide, wide, INT64) is None


def test_a_choice_takes_out_what_both_sides_share():
    made = choose(bool_sym("c"), X + 2, X)
    assert made == X + select(bool_sym("c"), 2, 0)


def test_a_large_choice_is_refused():
    big = X
    while big.weight <= MAX_CHOICE:
        big = fn("f", big, big)
    assert choose(lt(X, 3), big, X) is None
    assert "f(" in show(big)


@given(
    x=SMALL,
    w=st.integers(-9, 9).filter(bool),
    c=st.integers(-3, 3),
    op=st.sampled_from(["floordiv", "truncdiv"]),
)
def test_remainders_of_quotients(x, w, c, op):
    """`x - x // w * w` and what looks like it, with the divisor a sum."""
    w_ = sym("w")
    whole = binary("mul", binary(op, X, add(w_, 1), INT64), add(w_, c), INT64)
    made = binary("sub", X, whole, INT64)
    env = {X.atom: x, w_.atom: w - 1}
    assert evaluate(made, env) == x - evaluate(whole, env)
    assert (show(made) in ("x % (w+1)", "x % (w + 1)", "trunc_mod(x, w+1)", "trunc_mod(x, w + 1)")) is (
        c == 1
    )


@pytest.mark.parametrize("op", ["floordiv", "truncdiv"])
def test_quotients_by_any_divisor_are_bounded(op):
    made = binary(op, sym("a", lo=-7, hi=5), sym("b"), INT64)
    values = [evaluate(made, {made.atom.args[0].atom: a, made.atom.args[1].atom: b})
              for a in range(-7, 6) for b in range(-9, 10) if b]  # fmt: skip
    assert made.lo <= min(values) and max(values) <= made.hi


@given(st.integers(-(2**40), 2**40), st.integers(0, 2**32 - 1))
def test_whole_registers_have_no_part_in_lower_bits(x: int, mask: int) -> None:
    """`uint32(x) & mask` is `x & mask`, and only a remainder that keeps all bits of the mask is dropped."""
    v, y = sym("x"), sym("y", lo=0, hi=2**32 - 1)
    for modulus in (1 << 8, 1 << 32, 1 << 64):
        made = binary("and", mod(v, const(modulus)), y, INT64)
        assert made is not None
        bits = binary("and", const(x % modulus), const(mask), INT64)
        kept = made == fn("and", v, y, lo=0, hi=2**32 - 1)
        assert kept == (modulus >= 1 << 32)
        if kept:
            assert bits == binary("and", const(x), const(mask), INT64)
