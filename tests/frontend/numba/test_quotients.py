"""Float divisions of integers that are rounded back: equal to the integer division, where lowered so."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest
from kernels import kernel

from gpulint.frontend.numba.quotients import EXACT
from gpulint.ir import nodes as n
from gpulint.ir.printer import expr as show
from gpulint.ir.walk import statements

TOP = 2**53


def pairs() -> Iterator[tuple[int, int]]:
    """Small operands, and large ones whose quotient is as near to an integer as there is."""
    yield from ((a, b) for a in range(-60, 61) for b in range(-60, 61) if b)
    draw = random.Random(7)
    for _ in range(20_000):
        k = draw.randrange(1, 2 ** draw.randrange(1, 53))
        b = draw.randrange(1, max(2, TOP // k))
        yield from ((s * (k * b + d), b) for d in (-1, 0, 1) for s in (1, -1) if abs(k * b + d) <= TOP)
    yield from (
        (TOP - d, b) for d in range(40) for b in (1, 2, 3, 5, 7, TOP // 2, TOP // 2 + 1, TOP - 1, TOP)
    )


def test_rounded_quotients_are_those_of_the_integers() -> None:
    for a, b in pairs():
        q = a / b  # Python's: both operands exact, correctly rounded
        assert int(q) == abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), (a, b)
        assert (math.floor(q), math.ceil(q)) == (a // b, -(-a // b)), (a, b)


def test_the_limit_is_needed() -> None:
    assert int(float(TOP + 1) / 1) != TOP + 1
    assert EXACT.hi < TOP


SIGNATURE = "@cuda.jit('void(float64[:], int32, int64, float32)')\ndef k(x, n, m, f):\n    i = cuda.grid(1)\n"


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("int(i / n)", "(i /t n)"),
        ("int(i / m)", "(i /t int54(m))"),
        ("int(m * m / n)", "(int54((m * m)) /t n)"),
        ("math.floor(i / n)", "(i // n)"),
        ("math.ceil(i / n)", "neg((neg(i) // n))"),
        ("math.ceil(i / 4)", "((i + 3) // 4)"),
        ("int(np.floor(i / n))", "(i // n)"),
        ("int(i * 1.0 / n)", "(int54((i * 1)) /t n)"),
        ("int(float(i) / n)", "(i /t n)"),
        ("int(i / 2.0)", "(i /t 2)"),
        ("int(i / 2.5)", "int64((i / 2.5))"),
        ("int(f / n)", "int64((f / n))"),
        ("int(np.float32(i) / n)", "int64((float32(i) / n))"),
        ("int(i / f)", "int64((i / f))"),
        ("int(i // f)", "int64((i // f))"),
    ],
)
def test_forms(expression: str, shown: str) -> None:
    (store,) = [
        s for s in statements(kernel(f"{SIGNATURE}    x[{expression}] = 1\n").body) if isinstance(s, n.Store)
    ]
    assert show(store.subscripts[0]) == shown


def test_fast_math_may_divide_otherwise() -> None:
    text = f"{SIGNATURE}    x[int(i / n)] = 1\n".replace("')", "', fastmath=True)")
    (store,) = [s for s in statements(kernel(text).body) if isinstance(s, n.Store)]
    assert show(store.subscripts[0]) == "int64((i / n))"
