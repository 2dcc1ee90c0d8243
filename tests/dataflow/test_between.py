"""Variables that a loop moves towards each other keep between the values that it starts from."""

from __future__ import annotations

import itertools

import pytest
from changed import Changes, status

from gpulint.dataflow.between import held
from gpulint.term import Bool, Int, Sym, add, evaluate, floordiv, ge, holds, le, lt, mul, select, sub, sym

SEARCH = """
import numpy as np
from numba import cuda

@cuda.jit
def k(keys, q, out):
    i = cuda.grid(1)
    if i < q.size:
        lo = 0
        hi = keys.size
        while lo < hi:
            mid = (lo + hi) // 2
            if keys[mid] < q[i]:
                lo = mid + 1
            else:
                hi = mid
        out[i] = lo

def run(keys, q):
    out = cuda.device_array(q.size, np.int64)
    k[(q.size + 255) // 256, 256](cuda.to_device(keys), cuda.to_device(q), out)
"""
RIGHT = {
    "as it is": (),
    "inclusive": (
        ("hi = keys.size", "hi = keys.size - 1"),
        ("while lo < hi", "while lo <= hi"),
        ("hi = mid\n", "hi = mid - 1\n"),
    ),
    "by a shift": (("(lo + hi) // 2", "(lo + hi) >> 1"),),
    "by thirds": (("(lo + hi) // 2", "(lo + lo + hi) // 3"),),
}
WRONG = {
    "one too many": (("hi = keys.size", "hi = keys.size + 1"),),
    "inclusive from the size": (("while lo < hi", "while lo <= hi"), ("hi = mid\n", "hi = mid - 1\n")),
    "rounded up": (("(lo + hi) // 2", "(lo + hi + 2) // 2"),),
    "below the start": (("hi = mid\n", "hi = mid - 2\n"), ("while lo < hi", "while lo != hi")),
    "started below": (("lo = 0", "lo = -9"),),
    "read past it": (("keys[mid] <", "keys[mid + 1] <"),),
    "read where it ends": (("out[i] = lo", "out[i] = keys[lo]"),),
}


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_a_binary_search_stays_in_the_array(changes: Changes) -> None:
    assert status(SEARCH, changes) == "verified"


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_one_that_leaves_it_is_not_verified(changes: Changes) -> None:
    assert status(SEARCH, changes) != "verified"


def symbol(x: Int) -> Sym:
    assert isinstance(x.atom, Sym)
    return x.atom


A, B, N = (sym(name) for name in "abn")
X, Y, SIZE = map(symbol, (A, B, N))
STEPS = {
    "halves": ((select(lt(N, 3), add(floordiv(add(A, B), 2), 1), A), floordiv(add(A, B), 2)), lt(A, B)),
    "meets": ((add(A, 1), sub(B, 1)), lt(A, B)),
    "swaps": ((B, A), lt(A, B)),
    "grows": ((add(A, 2), B), lt(A, B)),
    "doubles": ((mul(A, 2), B), le(A, B)),
    "leaves": ((sub(A, 1), add(B, 1)), ge(A, B)),
    "quarters": ((floordiv(add(mul(A, 3), B), 4), floordiv(add(A, mul(B, 3)), 4)), lt(A, B)),
}


@pytest.mark.parametrize(("steps", "condition"), STEPS.values(), ids=STEPS)
def test_what_is_held_holds_in_every_iteration(steps: tuple[Int, Int], condition: Bool) -> None:
    first, last = sym("first"), sym("last", lo=0)
    start = {X: first, Y: last}
    found = held(start, dict(zip((X, Y), steps, strict=True)), condition)
    facts = [f for fs in found.values() for f in fs]
    for a0, b0, n in itertools.product(range(-3, 6), range(6), range(5)):
        fixed = {symbol(first): a0, symbol(last): b0, SIZE: n}
        a, b = a0, b0
        for _ in range(12):
            at = {**fixed, X: a, Y: b}
            assert all(holds(f, at) for f in facts), (facts, at)
            if not holds(condition, at):
                break
            a, b = (evaluate(x, at) for x in steps)
