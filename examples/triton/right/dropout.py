"""Dropout with a seed in place of a stored mask: the same seed drops the same elements again."""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    kept = tl.rand(seed, offsets) > p
    tl.store(y_ptr + offsets, tl.where(kept, x / (1 - p), 0.0), mask=mask)


def dropout(x: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    assert x.is_contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 1024),)](x, y, n, p, seed, BLOCK=1024)
    return y
