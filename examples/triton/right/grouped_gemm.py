"""Products of row segments with a matrix each: segment g of `a` times `b[g]`, a grid axis a segment.

The segments' ends are sorted, so that no two segments share a row.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def grouped_kernel(
    a_ptr, b_ptr, c_ptr, ends_ptr, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    group = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    first = tl.load(ends_ptr + group)
    last = tl.load(ends_ptr + group + 1)
    for top in range(first, last, BLOCK_M):
        rows = top + tl.arange(0, BLOCK_M)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for start in range(0, K, BLOCK_K):
            inner = start + tl.arange(0, BLOCK_K)
            a_mask = (rows < last)[:, None] & (inner < K)[None, :]
            b_mask = (inner < K)[:, None] & (cols < N)[None, :]
            a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=a_mask, other=0.0)
            b = tl.load(b_ptr + group * K * N + inner[:, None] * N + cols[None, :], mask=b_mask, other=0.0)
            acc = tl.dot(a, b, acc)
        mask = (rows < last)[:, None] & (cols < N)[None, :]
        tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


def grouped_gemm(a: torch.Tensor, b: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    M, K = a.shape
    G, _, N = b.shape
    assert b.shape[1] == K and ends.shape == (G + 1,) and ends.dtype == torch.int32
    assert int(ends[0]) == 0 and int(ends[-1]) == M and bool((ends.diff() >= 0).all())
    a, b, ends = a.contiguous(), b.contiguous(), ends.contiguous()
    c = torch.zeros((M, N), device=a.device, dtype=torch.float32)
    grouped_kernel[(G, triton.cdiv(N, 64))](a, b, c, ends, N, K, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    return c
