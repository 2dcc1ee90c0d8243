"""Softmax whose store forgets the mask of its load.

The block is longer than the row unless that is a power of two: the spare lanes write zeros over the next
row, and after the last one past the end of the output. Right twin: ../right/softmax.py.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, stride_x, stride_y, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_x + cols, mask=mask, other=-float("inf"))
    top = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride_y + cols, top / tl.sum(top, axis=0))  # error: GL203, GL301


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, y, n_cols, x.stride(0), y.stride(0), BLOCK=block, num_warps=4)
    return y
