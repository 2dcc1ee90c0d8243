"""Block pointers and tensor descriptors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES: dict[str, tuple[str, list[str]]] = {
    "block_ptr": (
        """@triton.jit
def k(x, M, N, sm, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.make_block_ptr(x, (M, N), (sm, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    v = tl.load(p, boundary_check=(0,), padding_option="zero")
    p = tl.advance(p, (0, BN))
    tl.store(p, v)
""",
        [
            "w = (blockIdx.x *:int32 BM)",
            "p.0 = w",
            "p.1 = 0",
            "p.at = 0",
            "v = load x[(((p.0 + lane0<BM>) * sm) + lane1<BN>)] tile(BM, BN) where (((p.0 + l"
            "ane0<BM>) >= 0) and ((p.0 + lane0<BM>) < M)) else 0",
            "p.1 = BN",
            "p.at = 0",
            "store x[(((p.0 + lane0<BM>) * sm) + (p.1 + lane1<BN>))] = v tile(BM, BN)",
        ],
    ),
    "descriptor": (
        """@triton.jit
def k(x, M, N, BM: tl.constexpr, BN: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    v = d.load([0, BN])
    d.store([BM, 0], v)
""",
        [
            "effect descriptor x(0, N, 1, M, N)",
            "d.at = 0",
            "v = load x[((lane0<BM> * N) + (BN + lane1<BN>))] tile(BM, BN) where ((lane0<BM> "
            ">= 0) and (lane0<BM> < M) and ((BN + lane1<BN>) >= 0) and ((BN + lane1<BN>) < N)"
            ") else 0",
            "store x[(((BM + lane0<BM>) * N) + lane1<BN>)] = v tile(BM, BN) where (((BM + lan"
            "e0<BM>) >= 0) and ((BM + lane0<BM>) < M) and (lane1<BN> >= 0) and (lane1<BN> < N"
            "))",
        ],
    ),
    "host_descriptor": (
        """@triton.jit
def k(d, i):
    d.store([i, 0], d.load([0, i]))
""",
        [
            "d.v = load d[lane0<d.block_shape[0]>, (i + lane1<d.block_shape[1]>)] tile(d.bloc"
            "k_shape[0], d.block_shape[1]) where ((lane0<d.block_shape[0]> >= 0) and (lane0<d"
            ".block_shape[0]> < d.shape[0]) and ((i + lane1<d.block_shape[1]>) >= 0) and ((i "
            "+ lane1<d.block_shape[1]>) < d.shape[1])) else 0",
            "store d[(i + lane0<d.block_shape[0]>), lane1<d.block_shape[1]>] = d.v tile(d.blo"
            "ck_shape[0], d.block_shape[1]) where (((i + lane0<d.block_shape[0]>) >= 0) and ("
            "(i + lane0<d.block_shape[0]>) < d.shape[0]) and (lane1<d.block_shape[1]> >= 0) a"
            "nd (lane1<d.block_shape[1]> < d.shape[1]))",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowering(name: str, body: Callable[[str], list[str]]) -> None:
    text, expected = CASES[name]
    assert body(text) == expected
