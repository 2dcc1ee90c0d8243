"""What a guard plainly shows."""

from __future__ import annotations

from gpulint.dataflow.facts import Facts
from gpulint.term import ONE, TRUE, and_, eq, ge, gt, le, lt, maximum, mul, ne, select, show, sub, sym

I, J, N, W = sym("i"), sym("j"), sym("n"), sym("w")  # noqa: E741


def test_nothing_shows_nothing():
    assert not Facts(TRUE).nonnegative(I)


def test_a_bound_shows_its_difference():
    assert Facts(ge(I, 1)).nonnegative(I - 1)
    assert not Facts(ge(I, 0)).nonnegative(I - 1)


def test_an_upper_bound_by_a_symbol():
    assert Facts(lt(I, N)).nonnegative(N - I - 1)
    assert not Facts(le(I, N)).nonnegative(N - I - 1)


def test_two_conjuncts_add_up():
    assert Facts(and_(le(I, J), le(J, N))).nonnegative(N - I)


def test_products_of_bounded_atoms():
    guard = and_(ge(I, 0), ge(J, 0), ge(W, 1))
    assert Facts(guard).nonnegative(mul(I, W) + J)
    assert not Facts(and_(ge(J, 0), ge(W, 1))).nonnegative(mul(I, W) + J)


def test_equalities_bound_both_ways():
    assert Facts(eq(I, N + 3)).nonnegative(I - N)
    assert Facts(eq(I, N + 3)).nonnegative(N - I + 3)


def test_a_choice_is_shown_by_cases():
    chosen = select(lt(I, 0), 0, I)
    assert Facts(TRUE).nonnegative(chosen)
    assert not Facts(TRUE).nonnegative(select(lt(I, 0), I, 0))


def test_an_extent_has_an_element():
    size = sym("x.size", lo=0)
    assert Facts(TRUE, (size,)).nonnegative(size - 1)
    assert not Facts(TRUE).nonnegative(size - 1)
    assert not Facts(TRUE, (size,)).nonnegative(size - 2)


def test_settled_choices_are_made():
    chosen = select(lt(I, N), I, ONE)
    assert Facts(lt(I, N)).simplify(chosen) == I
    assert Facts(ge(I, N)).simplify(chosen) == ONE
    assert Facts(gt(N, 0)).simplify(chosen) == chosen


def test_a_stronger_guard_settles_a_weaker_condition():
    assert Facts(ge(I, 5)).settle(ge(I, 3)) is True
    assert Facts(ge(I, 5)).settle(lt(I, 2)) is False
    assert Facts(ge(I, 5)).settle(lt(I, 7)) is None
    assert Facts(ne(I, 5)).settle(eq(I, 5)) is False


def test_choices_inside_a_term_are_made():
    x = maximum(0, sub(select(lt(I, N), I, N), 2))
    assert show(Facts(lt(I, N)).simplify(x)) == show(maximum(0, I - 2))
