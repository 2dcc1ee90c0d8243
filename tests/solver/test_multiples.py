"""Sizes that are multiples of others, and pairs of subscripts taken apart at a radix that both have."""

from __future__ import annotations

import itertools

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.solver import equalities
from gpulint.solver.prover import Prover
from gpulint.term import TRUE, Bool, Int, eq, evaluate, floordiv, ge, holds, le, mod, subst, sym, symbols

N, B, M = (sym(name, lo=0) for name in "nbm")
EVEN = eq(N, floordiv(N, 2) * 2)


def proved(goal: Bool, *facts: Bool) -> bool:
    return bool(Prover(list(facts), 400_000).prove(TRUE, goal, z3_too=False))


def test_half_of_an_even_size_that_is_not_zero_is_at_least_one() -> None:
    assert proved(ge(floordiv(N, 2), 1), EVEN, ge(N, 1))
    assert proved(le(M * 2, 1000), EVEN, ge(N, 1), le(M * N, 1000))
    assert not proved(le(M * 2, 1000), ge(N, 1), le(M * N, 1000))


def test_a_multiple_of_a_symbol_is_not_below_it() -> None:
    facts = (eq(mod(N, B), 0), ge(B, 1), ge(N, 1))
    assert proved(le(B, N), *facts)
    assert not proved(le(B, N), eq(mod(N, B), 0), ge(N, 1))  # by zero, nothing is said
    assert not proved(le(B * 2, N), *facts)


@pytest.mark.parametrize("fact", [EVEN, eq(mod(N, 3), 0), eq(mod(N, B), 0)])
def test_what_replaces_a_multiple_has_its_values(fact: Bool) -> None:
    solved = equalities.solve([fact, ge(B, 1), ge(N, 1)])
    terms: list[Int] = [N, floordiv(N, 2), mod(N, 3), floordiv(N, 3), mod(N, B), floordiv(N, B), N * M + B]
    for n, b, m in itertools.product(range(1, 13), range(1, 7), range(3)):
        env = {x: v for t, v in ((N, n), (B, b), (M, m)) for x in symbols(t)}
        if not holds(fact, env):
            continue
        more = {x for t in solved.values() for x in symbols(t)} - set(env)
        by = {x: n // (b if "b" in x.name else 3 if "3" in x.name else 2) for x in more}
        for t in terms:
            assert evaluate(subst(t, dict(solved)), {**env, **by}) == evaluate(t, env)


HALVES = """import torch
import triton
import triton.language as tl


@triton.jit
def rotate(q, cos, H: tl.constexpr, D2: tl.constexpr):
    t, h = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D2)
    c = tl.load(cos + t * D2 + d)
    row = q + (t * H + h) * {width}
    a, b = tl.load(row + d), tl.load(row + {half} + d)
    tl.store(row + d, a * c - b)
    tl.store(row + {half} + d, b * c + a)


def run(q, cos):
    assert q.is_contiguous() and cos.is_contiguous()
    T, H, D = q.shape
    D2 = D // 2
    assert D == 2 * D2 and D2 & (D2 - 1) == 0 and cos.shape == (T, D2)
    rotate[(T, H)](q, cos, H=H, D2=D2)
    return q
"""


@pytest.mark.parametrize(
    ("width", "half", "status"),
    [
        ("2 * D2", "D2", "verified"),
        ("(2 * D2)", "D2 - 1", "refuted"),
        ("2 * D2", "2 * D2", "refuted"),
        ("D2", "D2", "refuted"),
    ],
)
def test_the_halves_of_a_row_are_apart(width: str, half: str, status: str) -> None:
    report = pipeline.check_file(HALVES.format(width=width, half=half), "kernel.py", Config())
    assert [k.status for k in report.kernels] == [status]
