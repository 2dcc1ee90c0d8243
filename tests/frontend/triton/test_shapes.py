"""Tiles at other coordinates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES: dict[str, tuple[str, list[str]]] = {
    "outer": (
        """@triton.jit
def k(x, n, s, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    tl.store(x + r[:, None] * s + c[None, :], 0.0, mask=(r < n)[:, None] & (c[None, :] < s))
""",
        [
            "r = lane0<M>",
            "c = lane0<N>",
            "store x[((r@(lane0<M>) *:int32 s) + c@(lane1<N>))] = 0.0 tile(M, N) where ((r < "
            "n)@(lane0<M>) and (c@(lane1<N>) < s))",
        ],
    ),
    "reshape": (
        """@triton.jit
def k(x, y):
    v = tl.load(x + tl.arange(0, 32))
    m = v.reshape(4, 8).trans()
    tl.store(y + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4), m)
""",
        [
            "v = load x[lane0<32>] tile(32)",
            "m = v@(((lane1<4> *:int32 8) +:int32 lane0<8>))",
            "store y[((lane0<8> *:int32 4) + lane1<4>)] = m tile(8, 4)",
        ],
    ),
    "join_split": (
        """@triton.jit
def k(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.split(tl.join(i, i + B))
    tl.store(x + a, 0)
    tl.store(y + tl.interleave(i, b), 0)
""",
        [
            "i = lane0<B>",
            "t = ((i +:int32 B)@(lane0<B>) if (lane1<2> == 1) else i@(lane0<B>))",
            "a = t@(lane0<B>, 0)",
            "b = t@(lane0<B>, 1)",
            "store x[a] = 0 tile(B)",
            "store y[(b@((lane0<(B * 2)> //:int32 2)) if ((lane0<(B * 2)> %:int32 2) == 1) el"
            "se i@((lane0<(B * 2)> //:int32 2)))] = 0 tile((B * 2))",
        ],
    ),
    "rank_change": (
        """@triton.jit
def k(x, B: tl.constexpr):
    i = tl.arange(0, B)
    i = i[:, None]
    tl.store(x + i, 0)
""",
        [
            "i = lane0<B>",
            "i.2 = i@(lane0<B>)",
            "store x[i.2] = 0 tile(B, 1)",
        ],
    ),
    "reductions": (
        """@triton.jit
def k(x, y, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c)
    tl.store(y + r, tl.sum(v, 1))
""",
        [
            "r = lane0<M>",
            "c = lane0<N>",
            "v = load x[((r@(lane0<M>) *:int32 N) + c@(lane1<N>))] tile(M, N)",
            "sum = ?!sum(v)",
            "store y[r] = sum tile(M)",
        ],
    ),
    "matmul_loop": (
        """@triton.jit
def k(a, c, K, BM: tl.constexpr, BK: tl.constexpr):
    acc = 0.0
    i, j = tl.arange(0, BM), tl.arange(0, BK)
    for t in range(0, K, BK):
        v = tl.load(a + i[:, None] * K + t + j[None, :])
        acc += tl.dot(v, tl.trans(v))
    tl.store(c + i[:, None] * BM + tl.arange(0, BM), acc)
""",
        [
            "acc = 0.0",
            "i = lane0<BM>",
            "j = lane0<BK>",
            "acc.2 = 0.0",
            "for t in range(0, K, BK):",
            "  v = load a[(((i@(lane0<BM>) *:int32 K) + t) + j@(lane1<BK>))] tile(BM, BK)",
            "  t.2 = v@(lane1<BM>, lane0<BK>)",
            "  dot = ?!dot(v, t.2)",
            "  acc.2 = (acc.2 + dot)",
            "store c[((i@(lane0<BM>) *:int32 BM) + lane1<BM>)] = acc.2 tile(BM, BM)",
        ],
    ),
    "choice": (
        """@triton.jit
def k(x, y, T: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    if T:
        v = tl.load(x + i)
    else:
        v = tl.load(x + i[:, None] * B + i)
    if T:
        tl.store(y + i, v)
""",
        [
            "i = lane0<B>",
            "if T:",
            "  v = load x[i] tile(B)",
            "else:",
            "  v.2 = load x[((i@(lane0<B>) *:int32 B) + i@(lane1<B>))] tile(B, B)",
            "if T:",
            "  store y[i] = v tile(B)",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowering(name: str, body: Callable[[str], list[str]]) -> None:
    text, expected = CASES[name]
    assert body(text) == expected
