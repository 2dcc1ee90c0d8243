"""Conditions over powers of two in loop counters, told apart by the counter."""

from __future__ import annotations

import pytest

from gpulint.solver.powers import LAST, cases
from gpulint.term import FALSE, Scope, and_, eq, floordiv, fn, ge, holds, le, lt, mod, power, sym, symbols

K, J = sym("k", Scope.LOOP, 0), sym("j", Scope.LOOP, 0)
T = sym("t", Scope.POINT, 0, 127)
D = power(2, K)


@pytest.mark.parametrize("t", [0, 1, 6, 31, 127])
def test_the_cases_hold_where_the_condition_does_for_some_counter(t):
    for whole in (lt(T, D), and_(eq(mod(T, 2 * D), 0), lt(D, 32)), lt(T, floordiv(64, D))):
        split = cases(whole)
        some = any(holds(whole, {K.atom: k, T.atom: t}) for k in range(LAST + 1))
        assert holds(split, {K.atom: 0, T.atom: t, **beyond(split)}) == some


def beyond(c):
    """Values for the powers beyond the last case, which the counter 0 is not."""
    return {s: s.lo for s in symbols(c) if s.name.endswith("beyond")}


def test_a_power_past_its_bound_leaves_no_case():
    assert cases(and_(ge(K, 7), lt(D, 128))) == FALSE


def test_the_tail_is_kept():
    assert cases(ge(D, 1 << (LAST + 1))) != FALSE


def test_equal_counters_are_one():
    both = and_(eq(J, K), le(D, 4), ge(power(2, J), 8))
    assert cases(both) == FALSE


def test_bit_operations_become_exact():
    assert cases(and_(le(D, 1), eq(fn("xor", T, D, lo=0), T))) == FALSE


def test_nothing_to_split():
    assert cases(lt(T, 5)) is None
    assert cases(lt(T, power(2, sym("n")))) is None  # no counter
