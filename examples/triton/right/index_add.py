"""Rows added into a table at given places: several rows may go to one place, so the adds are atomic."""

import torch
import triton
import triton.language as tl


@triton.jit
def index_add_kernel(index_ptr, x_ptr, out_ptr, n, D: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n * D
    place = tl.load(index_ptr + offsets // D, mask=mask, other=0).to(tl.int64)
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_add(out_ptr + place * D + offsets % D, x, mask=mask)


def index_add(out: torch.Tensor, index: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    n, D = x.shape
    assert out.is_contiguous() and out.shape[1] == D
    assert index.is_contiguous() and index.numel() == n
    assert int(index.min()) >= 0 and int(index.max()) < out.shape[0]
    x = x.contiguous()
    index_add_kernel[(triton.cdiv(n * D, 256),)](index, x, out, n, D=D, BLOCK=256)
    return out
