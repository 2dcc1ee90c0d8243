"""Terms from hostile code stay small, and what is cut off stays sound."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from gpulint import term as t
from gpulint.term import node
from gpulint.term.build import MAX_TERMS
from gpulint.term.cut import MAX_DEPTH, MAX_WEIGHT
from gpulint.term.node import MAX_ORDER, clear

N, M = t.sym("n"), t.sym("m")
P = t.sym("p", t.Scope.POINT, 0, 1023)


def nested_selects(levels: int) -> t.Int:
    x = N
    for k in range(levels):
        x = t.select(t.lt(x, t.const(k)), t.add(x, M), t.sub(x, P))
    return x


def doubling(levels: int) -> t.Bool:
    c = t.bool_sym("c")
    for k in range(levels):
        c = t.or_(t.and_(c, t.lt(N, t.const(k))), t.and_(t.not_(c), t.lt(M, t.const(k))))
    return c


def test_the_sort_key_of_nested_selects_is_bounded():
    assert len(nested_selects(MAX_DEPTH // 2).order) <= MAX_ORDER


def test_nested_selects_have_the_value_of_their_branches():
    x = nested_selects(6)
    env = {N.atom: 5, M.atom: 1, P.atom: 2}
    plain = 5
    for k in range(6):
        plain = plain + 1 if plain < k else plain - 2
    assert t.evaluate(x, env) == plain


def test_conditions_that_double_at_each_level_are_cheap_to_walk_negate_and_print():
    c, small = doubling(MAX_DEPTH // 2 - 1), doubling(5)
    assert c.weight <= MAX_WEIGHT
    assert t.symbols(c) >= {N.atom, M.atom}
    assert t.not_(t.not_(small)) is small
    assert len(t.show(c)) < 100_000
    assert t.holds(small, {N.atom: 0, M.atom: 0, t.bool_sym("c").atom: 1}) is True
    assert N.atom not in t.symbols(t.subst(c, {N.atom: P}))


def test_nesting_beyond_the_limit_becomes_an_unknown_of_the_same_symbols():
    x = N
    for k in range(3000):
        x = t.floordiv(t.add(x, P), t.add(M, t.const(k)))
    assert x.depth <= MAX_DEPTH
    assert t.symbols(x) == {N.atom, M.atom, P.atom}
    assert pickle.loads(pickle.dumps(x)) is x
    t.show(x)


def test_an_unknown_in_place_of_a_deep_term_differs_between_points():
    x = P
    for k in range(MAX_DEPTH + 5):
        x = t.floordiv(t.add(x, t.const(k)), M)
    other = t.subst(x, {P.atom: t.sym("p'", t.Scope.POINT, 0, 1023)})
    assert other != x
    assert t.sub(x, other).value is None


def test_equal_deep_terms_are_equal_unknowns():
    assert nested_selects(MAX_DEPTH + 9) is nested_selects(MAX_DEPTH + 9)
    assert nested_selects(MAX_DEPTH + 9) is not nested_selects(MAX_DEPTH + 8)


def test_deep_conditions_are_cut_too():
    c = doubling(500)
    assert c.depth <= MAX_DEPTH
    t.not_(c)


def test_a_product_too_large_to_multiply_out_is_still_the_product():
    x = t.add(*(t.sym(f"s{k}") for k in range(30)))
    square = t.mul(x, x)
    assert len(square.terms) <= MAX_TERMS
    env = {t.sym(f"s{k}").atom: k for k in range(30)}
    assert t.evaluate(square, env) == sum(range(30)) ** 2
    assert t.evaluate(t.subst(square, {t.sym("s0").atom: t.const(1)}), env) == (sum(range(30)) + 1) ** 2


def test_repeated_squaring_ends():
    for start in (t.const(3), N, t.add(N, M, t.ONE)):
        x = start
        for _ in range(60):
            x = t.mul(x, x)
        assert len(x.order) <= MAX_ORDER


def test_bounds_of_huge_numbers_do_not_overflow_a_float():
    big = t.sym("big", lo=2**2000, hi=2**2000)
    assert t.mul(big, t.sym("u", lo=1)).lo == 2**2000


@pytest.mark.parametrize("exponent", [-1, 10**6])
def test_a_power_out_of_reach_is_no_value(exponent):
    with pytest.raises(t.Unbound):
        t.evaluate(t.power(t.const(2), N), {N.atom: exponent})


def test_symbols_of_one_name_and_different_kind_have_one_order():
    loop, launch = t.sym("i", t.Scope.LOOP), t.sym("i", t.Scope.LAUNCH)
    assert t.mul(loop, launch) is t.mul(launch, loop)
    assert t.minimum(loop, launch) is t.minimum(launch, loop)


def test_substitution_is_simultaneous():
    x = t.floordiv(N, t.sym("one"))
    assert t.subst(x, {t.sym("one").atom: t.ONE, N.atom: M, M.atom: P}) is M


def test_the_constants_outlive_an_epoch():
    before = dict(node._table)
    try:
        clear()
        assert t.lt(t.ZERO, t.ONE) is t.TRUE
        assert t.const(1) is t.ONE
    finally:
        node._table.update(before)


def test_order_is_the_same_in_every_process():
    script = (
        "from gpulint import term as t\n"
        "xs = [t.sym(n) for n in 'cab']\n"
        "x = t.minimum(*xs, t.mod(t.mul(*xs[:2]), 7))\n"
        "for k in range(20): x = t.select(t.lt(x, k), t.add(x, xs[0]), t.mul(x, 3))\n"
        "print(x.order, t.show(t.or_(*(t.le(a, 3) for a in xs))))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1


def test_conditions_in_a_deep_term_are_numbers_of_the_unknown():
    on, x = t.bool_sym("on"), t.sym("x")
    deep = x
    for _ in range(2 * MAX_DEPTH):
        deep = t.floordiv(t.select(on, deep, deep + 1), x + 2)
    unknown = next(a for a in t.apps(deep, op="fn"))
    assert t.select(on, 1, 0) in unknown.args
