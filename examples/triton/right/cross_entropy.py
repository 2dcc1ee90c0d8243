"""Cross entropy of each row against its target, with the running maximum and sum over blocks of columns."""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, loss_ptr, n_cols, ignored, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row)
    if target == ignored:
        tl.store(loss_ptr + row, 0.0)
        return
    x_ptr += row * n_cols
    top = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), axis=0)
        top = higher
    picked = tl.load(x_ptr + target).to(tl.float32)
    tl.store(loss_ptr + row, tl.log(total) + top - picked)


def cross_entropy(x: torch.Tensor, target: torch.Tensor, ignored: int = -100) -> torch.Tensor:
    n_rows, n_cols = x.shape
    assert x.is_contiguous() and target.is_contiguous() and target.shape == (n_rows,)
    assert int(target.min()) >= 0 and int(target.max()) < n_cols
    loss = torch.empty((n_rows,), device=x.device, dtype=torch.float32)
    cross_entropy_kernel[(n_rows,)](x, target, loss, n_cols, ignored, BLOCK=4096)
    return loss
