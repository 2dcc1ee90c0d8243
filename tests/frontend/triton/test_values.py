"""Choices, atomics, positions, inline assembly, what is not handled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES: dict[str, tuple[str, list[str]]] = {
    "where": (
        """@triton.jit
def k(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + tl.where(i < n, i, 0)))
""",
        [
            "i = lane0<B>",
            "x.v = load x[(i if (i < n) else 0)] tile(B)",
            "store y[i] = x.v tile(B)",
        ],
    ),
    "atomics": (
        """@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(x + i, 1.0, mask=i < n, sem="relaxed", scope="cta")
    old = tl.atomic_cas(x, 0, 1)
    tl.store(x, old)
""",
        [
            "i = lane0<B>",
            "atomic.add x[i] (1.0) block tile(B) where (i < n)",
            "old = atomic.cas x[0] (0, 1) device",
            "store x[0] = old",
        ],
    ),
    "argmax": (
        """@triton.jit
def k(x, y, N: tl.constexpr):
    tl.store(y + tl.argmax(tl.load(x + tl.arange(0, N)), axis=0), 1)
""",
        [
            "x.v = load x[lane0<N>] tile(N)",
            "argmax = ?!argmax(x.v)",
            "assume ((argmax >= 0) and (argmax < N))",
            "store y[argmax] = 1",
        ],
    ),
    "asm": (
        """@triton.jit
def k(x, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.inline_asm_elementwise("mov", "=r,r", [i], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x + i, v)
""",
        [
            "i = lane0<B>",
            "v = ?!asm(i)",
            "store x[i] = v tile(B)",
        ],
    ),
    "unsupported": (
        """@triton.jit
def k(x, y):
    z = {1: 2}
    tl.store(y, 0)
""",
        [
            "unsupported: a Dict expression",
            "store y[0] = 0",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowering(name: str, body: Callable[[str], list[str]]) -> None:
    text, expected = CASES[name]
    assert body(text) == expected
