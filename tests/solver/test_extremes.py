"""Splitting a goal by a `min` or `max`: what the cases say holds of every assignment, by brute force."""

from __future__ import annotations

import random
from itertools import product

import pytest

from gpulint.solver.bound import extremes
from gpulint.term import Int, Scope, evaluate, floordiv, maximum, minimum, sym, symbols

X, Y, Z = (sym(name, Scope.LAUNCH, 0, 4) for name in "xyz")


def static(p: Int) -> bool:
    return p.hi is not None and p.hi <= 0


def goal(r: random.Random) -> Int:
    """A sum of products in which one extreme may stand several times, also within a quotient."""
    extreme = r.choice([maximum, minimum])(r.choice([X, Y + 1]), r.choice([Z, Y * 2]))
    parts = [
        extreme,
        extreme * extreme,
        X * extreme,
        (X - 2) * extreme,
        floordiv(Y, extreme + 1),
        Y,
        Z * 0 + 2,
    ]
    out = Z * 0
    for part in r.sample(parts, 3):
        out = out + part * r.choice([-2, -1, 1, 2])
    return out


@pytest.mark.parametrize("seed", range(60))
def test_cases_of_an_extreme_say_no_more_than_the_goal(seed: int) -> None:
    p = goal(random.Random(seed))
    found = extremes(p, static)
    if found is None:
        return
    every, cases = found
    free = sorted(symbols(p), key=lambda s: s.order)
    for numbers in product(range(5), repeat=len(free)):
        env = dict(zip(free, numbers, strict=True))
        answers = [evaluate(c, env) <= 0 for c in cases]
        if all(answers) if every == "all" else any(answers):
            assert evaluate(p, env) <= 0


def test_a_square_of_an_extreme_is_not_below_it() -> None:
    top = maximum(X, Y)
    every, _ = extremes(top * top - top, static) or ("", [])
    assert every == "all"


def test_a_factor_may_be_known_from_elsewhere_not_to_be_negative() -> None:
    w = sym("w", Scope.LAUNCH)
    p = w * minimum(X, Y) - Z
    assert extremes(p, static) is None
    assert extremes(p, lambda q: q == 0 - w) == ("any", [w * X - Z, w * Y - Z])
