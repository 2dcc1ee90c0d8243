"""Matrix product whose masked loads give the lanes past K no value.

Where K is no multiple of the block, those lanes hold whatever the registers held, and `tl.dot` adds them
into every element of the tile. Right twin: ../right/matmul_grouped.py, which says `other=0.0`.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = (pid // tiles_n) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = (pid % tiles_n) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        a = tl.load(  # error: GL902
            a_ptr + (rows % M)[:, None] * stride_am + inner[None, :], mask=inner[None, :] < K
        )
        b = tl.load(  # error: GL902
            b_ptr + inner[:, None] * stride_bk + (cols % N)[None, :], mask=inner[:, None] < K
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
    matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), b.stride(0), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    return c
