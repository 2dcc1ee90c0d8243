"""Branches, loops and device functions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES: dict[str, tuple[str, list[str]]] = {
    "inline": (
        """@triton.jit
def f(p, i, LIMIT: tl.constexpr):
    if i >= LIMIT:
        return 0
    return tl.load(p + i)


@triton.jit
def k(x, y):
    i = tl.program_id(0)
    tl.store(y + i, f(x, i + 1, 8))
""",
        [
            "i = blockIdx.x",
            "f.i = (i +:int32 1)",
            "block f:",
            "  if (f.i >= 8):",
            "    f.return = 0",
            "    leave f",
            "  f.return = load x[f.i]",
            "store y[i] = f.return",
        ],
    ),
    "constexpr_if": (
        """@triton.jit
def k(x, n, EVEN: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    if EVEN:
        v = tl.load(x + i)
    else:
        v = tl.load(x + i, mask=i < n, other=0)
    tl.store(x + i, v)
""",
        [
            "i = lane0<B>",
            "if EVEN:",
            "  v = load x[i] tile(B)",
            "else:",
            "  v = load x[i] tile(B) where (i < n) else 0",
            "store x[i] = v tile(B)",
        ],
    ),
    "while": (
        """@triton.jit
def k(x, n):
    i = tl.program_id(0)
    while i < n:
        tl.store(x + i, 0)
        i += tl.num_programs(0)
""",
        [
            "i = blockIdx.x",
            "loop:",
            "  pass",
            "  while (i < n):",
            "    store x[i] = 0",
            "    i = (i +:int32 gridDim.x)",
        ],
    ),
    "early": (
        """@triton.jit
def k(x, n):
    i = tl.program_id(0)
    if i >= n:
        return
    tl.store(x + i, 0)
""",
        [
            "i = blockIdx.x",
            "if (i >= n):",
            "  return",
            "store x[i] = 0",
        ],
    ),
    "static_range": (
        """@triton.jit
def k(x):
    for i in tl.static_range(2):
        tl.store(x + i, 0)
""",
        [
            "i = 0",
            "store x[0] = 0",
            "i = 1",
            "store x[1] = 0",
        ],
    ),
    "string": (
        """@triton.jit
def k(x, ACT: tl.constexpr):
    if ACT == "relu":
        tl.store(x, 0)
""",
        [
            "if ?ACT == 'relu'():",
            "  store x[0] = 0",
        ],
    ),
    "assume": (
        """@triton.jit
def k(x, n):
    tl.assume(n > 0)
    tl.device_assert(n < 9, "small")
    tl.debug_barrier()
    tl.store(x + n, 0)
""",
        [
            "assume (n > 0)",
            "assume (n < 9)",
            "barrier block",
            "store x[n] = 0",
        ],
    ),
    "cdiv_min": (
        """@triton.jit
def k(x, n, B: tl.constexpr):
    m = min(tl.cdiv(n, B), 8)
    tl.store(x + m - 1, 0)
""",
        [
            "m = min((((n +:int32 B) -:int32 1) /t:int32 B), 8)",
            "store x[(m - 1)] = 0",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowering(name: str, body: Callable[[str], list[str]]) -> None:
    text, expected = CASES[name]
    assert body(text) == expected
