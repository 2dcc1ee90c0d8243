"""RMS norm of each row, with a weight a column."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, stride_x, stride_y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * stride_x + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / N + eps)
    tl.store(y_ptr + row * stride_y + cols, x * rstd * w, mask=mask)


def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    shape = x.shape
    N = shape[-1]
    assert w.shape == (N,) and w.is_contiguous()
    x = x.contiguous().view(-1, N)
    y = torch.empty_like(x)
    rms_norm_kernel[(x.shape[0],)](x, w, y, x.stride(0), y.stride(0), N, eps, BLOCK=triton.next_power_of_2(N))
    return y.view(shape)
