"""Layer norm forward and backward.

Forward: a row a program, in blocks of columns. Backward: a row a program for the input's gradient, which adds
its part of the weights' gradients into one of a few rows under a lock-free scheme: each program owns a row
of partial sums, and a second kernel adds those up.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def forward_kernel(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * N
    y_ptr += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        off = tl.where(cols < N, x - mean, 0.0)
        square += off * off
    rstd = 1 / tl.sqrt(tl.sum(square, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(w_ptr + cols, mask=mask)
        b = tl.load(b_ptr + cols, mask=mask)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def backward_kernel(
    dx_ptr, dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, dw_ptr, db_ptr, M, N, ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    db = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(ROWS):
        row = part * ROWS + k
        if row < M:
            x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
            dy = tl.load(dy_ptr + row * N + cols, mask=mask, other=0.0).to(tl.float32)
            mean = tl.load(mean_ptr + row)
            rstd = tl.load(rstd_ptr + row)
            xhat = tl.where(mask, (x - mean) * rstd, 0.0)
            wdy = tl.where(mask, w * dy, 0.0)
            c1 = tl.sum(xhat * wdy, axis=0) / N
            c2 = tl.sum(wdy, axis=0) / N
            tl.store(dx_ptr + row * N + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
            dw += dy * xhat
            db += dy
    tl.store(dw_ptr + part * N + cols, dw, mask=mask)
    tl.store(db_ptr + part * N + cols, db, mask=mask)


@triton.jit
def sum_kernel(part_ptr, out_ptr, P, N, BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_P, BLOCK_N), dtype=tl.float32)
    for start in range(0, P, BLOCK_P):
        rows = start + tl.arange(0, BLOCK_P)
        mask = (rows[:, None] < P) & (cols[None, :] < N)
        acc += tl.load(part_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + cols, tl.sum(acc, axis=0), mask=cols < N)


def forward(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, eps: float):
    M, N = x.shape
    assert (
        x.is_contiguous() and w.is_contiguous() and b.is_contiguous() and w.shape == (N,) and b.shape == (N,)
    )
    y = torch.empty_like(x)
    mean = torch.empty((M,), device=x.device, dtype=torch.float32)
    rstd = torch.empty((M,), device=x.device, dtype=torch.float32)
    forward_kernel[(M,)](x, y, w, b, mean, rstd, N, eps, BLOCK=1024)
    return y, mean, rstd


def backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor):
    M, N = x.shape
    assert dy.shape == x.shape and w.shape == (N,) and mean.shape == (M,) and rstd.shape == (M,)
    dy, x, w = dy.contiguous(), x.contiguous(), w.contiguous()
    mean, rstd = mean.contiguous(), rstd.contiguous()
    parts = triton.cdiv(M, 16)
    dx = torch.empty_like(x)
    part_dw = torch.empty((parts, N), device=x.device, dtype=torch.float32)
    part_db = torch.empty((parts, N), device=x.device, dtype=torch.float32)
    block = triton.next_power_of_2(N)
    backward_kernel[(parts,)](dx, dy, x, w, mean, rstd, part_dw, part_db, M, N, ROWS=16, BLOCK=block)
    dw = torch.empty((N,), device=x.device, dtype=torch.float32)
    db = torch.empty((N,), device=x.device, dtype=torch.float32)
    grid = (triton.cdiv(N, 128),)
    sum_kernel[grid](part_dw, dw, parts, N, BLOCK_P=32, BLOCK_N=128)
    sum_kernel[grid](part_db, db, parts, N, BLOCK_P=32, BLOCK_N=128)
    return dx, dw, db
