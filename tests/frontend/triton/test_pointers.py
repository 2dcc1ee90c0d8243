"""Pointers: offsets, rebasing, casts, tables, one of several arrays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES: dict[str, tuple[str, list[str]]] = {
    "widths": (
        """@triton.jit
def k(x, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i.to(tl.int64) * s, i // 3 % n, mask=i < n)
""",
        [
            "i = ((blockIdx.x *:int32 B) +:int32 lane0<B>)",
            "store x[(int64(i) * s)] = ((i /t:int32 3) %t:int32 n) tile(B) where (i < n)",
        ],
    ),
    "pointer_sum": (
        """@triton.jit
def k(x, a, b):
    tl.store(x + a + b, 1)
""",
        [
            "store x[(a + b)] = 1",
        ],
    ),
    "rebase": (
        """@triton.jit
def k(q, s, VAR: tl.constexpr):
    if VAR:
        q += tl.program_id(0) * s
    tl.store(q + 1, 0)
""",
        [
            "q.2 = 0",
            "if VAR:",
            "  q.2 = (blockIdx.x *:int32 s)",
            "store q[(q.2 + 1)] = 0",
        ],
    ),
    "loop": (
        """@triton.jit
def k(x, n, s, B: tl.constexpr):
    p = x + tl.arange(0, B)
    for _ in range(0, n, B):
        tl.store(p, 0)
        p += B * s
""",
        [
            "p = lane0<B>",
            "for _ in range(0, n, B):",
            "  store x[p] = 0 tile(B)",
            "  p = (p + (B *:int32 s))",
        ],
    ),
    "pointer_table": (
        """@triton.jit
def k(ps, n):
    p = tl.load(ps + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(p + n, 0.0)
""",
        [
            "ps.v = load ps[blockIdx.x]",
            "p = ?address(ps.v)",
            "store *ps[(p + n)] = 0.0",
        ],
    ),
    "recast": (
        """@triton.jit
def k(x, i):
    tl.store(x.to(tl.pointer_type(tl.int8)) + i, 0)
""",
        [
            "store x[?offset of x seen as int8(i)] = 0",
        ],
    ),
    "two_arrays": (
        """@triton.jit
def k(x, y, n):
    p = x
    if n > 3:
        p = y + 1
    tl.store(p, 0)
""",
        [
            "p = 0",
            "if (n > 3):",
            "  p = 1",
            "  p.array = array y",
            "else:",
            "  p.array = array x",
            "store p.array[p] = 0",
        ],
    ),
    "none": (
        """@triton.jit
def k(x, bias, y):
    v = tl.load(x)
    if bias is not None:
        v += tl.load(bias)
    tl.store(y, v)
""",
        [
            "v = load x[0]",
            "if not(?bias is None()):",
            "  bias.v = load bias[0]",
            "  v = (v + bias.v)",
            "store y[0] = v",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowering(name: str, body: Callable[[str], list[str]]) -> None:
    text, expected = CASES[name]
    assert body(text) == expected
