"""Attention whose log-sum-exp leaves the head out of its address.

The programs of all heads write one row, and the last one to do so wins; other rows stay unset. Right twin:
../right/flash_attention.py.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, T, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    block, head = tl.program_id(0), tl.program_id(1)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    base = head.to(tl.int64) * T * D
    q = tl.load(q_ptr + base + rows[:, None] * D + dims[None, :], mask=rows[:, None] < T, other=0.0)
    top = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    end = T
    if CAUSAL:
        end = tl.minimum(T, (block + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + base + cols[None, :] * D + dims[:, None], mask=cols[None, :] < T, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] < T, s, -float("inf"))
        if CAUSAL:
            s = tl.where(rows[:, None] >= cols[None, :], s, -float("inf"))
        higher = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(top - higher)
        v = tl.load(v_ptr + base + cols[:, None] * D + dims[None, :], mask=cols[:, None] < T, other=0.0)
        total = total * shrink + tl.sum(p, axis=1)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        top = higher
    tl.store(lse_ptr + rows, top + tl.log(total), mask=rows < T)  # error: GL301, GL602
    o = acc / total[:, None]
    tl.store(o_ptr + base + rows[:, None] * D + dims[None, :], o, mask=rows[:, None] < T)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool):
    B, H, T, D = q.shape
    assert k.shape == q.shape and v.shape == q.shape and D in (16, 32, 64, 128)
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    o = torch.empty_like(q)
    lse = torch.empty((B, H, T), device=q.device, dtype=torch.float32)
    grid = (triton.cdiv(T, 64), B * H)
    attention_kernel[grid](q, k, v, o, lse, T, D**-0.5, D=D, BLOCK_M=64, BLOCK_N=32, CAUSAL=causal)
    return o, lse
