"""Rows of tokens gathered in the order of their experts, and scattered back."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x_ptr, order_ptr, out_ptr, N, BLOCK: tl.constexpr):
    slot = tl.program_id(0).to(tl.int64)
    token = tl.load(order_ptr + slot)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + token * N + cols, mask=mask)
        tl.store(out_ptr + slot * N + cols, x, mask=mask)


@triton.jit
def scatter_kernel(x_ptr, order_ptr, weight_ptr, out_ptr, N, BLOCK: tl.constexpr):
    slot = tl.program_id(0).to(tl.int64)
    token = tl.load(order_ptr + slot)
    weight = tl.load(weight_ptr + slot)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + slot * N + cols, mask=mask)
        tl.store(out_ptr + token * N + cols, x * weight, mask=mask)


def by_expert(x: torch.Tensor, expert: torch.Tensor, weight: torch.Tensor):
    M, N = x.shape
    assert expert.shape == (M,) and weight.shape == (M,)
    x, expert, weight = x.contiguous(), expert.contiguous(), weight.contiguous()
    order = torch.argsort(expert)
    grouped = torch.empty_like(x)
    gather_kernel[(M,)](x, order, grouped, N, BLOCK=256)
    back = torch.empty_like(x)
    scatter_kernel[(M,)](grouped, order, weight, back, N, BLOCK=256)
    return grouped, back
