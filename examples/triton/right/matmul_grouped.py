"""Matrix product, one tile of the result a program, in groups of tile rows that share columns of B.

The last group may have fewer rows: a tile's column is a quotient by how many are left. Loads wrap around the
edges with `%`, so that they need no mask along rows and columns; the reduction is masked with zeros, and the
store by both extents.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP * tiles_n
    first = (pid // in_group) * GROUP
    size = min(tiles_m - first, GROUP)
    rows = (first + (pid % in_group) % size) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = ((pid % in_group) // size) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + (rows % M)[:, None] * stride_am + inner[None, :], mask=inner[None, :] < K, other=0.0
        )
        b = tl.load(
            b_ptr + inner[:, None] * stride_bk + (cols % N)[None, :], mask=inner[:, None] < K, other=0.0
        )
        acc += tl.dot(a, b)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    M, K = a.shape
    _, N = b.shape
    assert b.shape[0] == K and a.is_contiguous() and b.is_contiguous()
    c = torch.empty((M, N), device=a.device, dtype=torch.float32)
    grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)
    matmul_kernel[grid](
        a, b, c, M, N, K, a.stride(0), b.stride(0), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP=8
    )
    return c
