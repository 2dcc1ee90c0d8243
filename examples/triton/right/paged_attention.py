"""Decoding attention over a paged cache: one query of one head a program, keys found by a table of pages."""

import torch
import triton
import triton.language as tl


@triton.jit
def paged_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, o_ptr, H, stride_table, scale,
    PAGE: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    request, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    length = tl.load(length_ptr + request)
    dims = tl.arange(0, D)
    slots = tl.arange(0, PAGE)
    q = tl.load(q_ptr + (request * H + head) * D + dims).to(tl.float32)
    top = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for block in range(tl.cdiv(length, PAGE)):
        page = tl.load(table_ptr + request * stride_table + block).to(tl.int64)
        there = block * PAGE + slots < length
        at = ((page * PAGE + slots)[:, None] * H + head) * D + dims[None, :]
        k = tl.load(k_ptr + at, mask=there[:, None], other=0.0).to(tl.float32)
        v = tl.load(v_ptr + at, mask=there[:, None], other=0.0).to(tl.float32)
        s = tl.where(there, tl.sum(q[None, :] * k, axis=1) * scale, -float("inf"))
        higher = tl.maximum(top, tl.max(s, axis=0))
        p = tl.exp(s - higher)
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, axis=0)
        acc = acc * shrink + tl.sum(p[:, None] * v, axis=0)
        top = higher
    tl.store(o_ptr + (request * H + head) * D + dims, acc / total)


def paged_attention(
    q: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, table: torch.Tensor, lengths: torch.Tensor
) -> torch.Tensor:
    R, H, D = q.shape
    pages, PAGE, _, _ = k_cache.shape
    assert k_cache.shape == (pages, PAGE, H, D) and v_cache.shape == k_cache.shape
    assert PAGE in (16, 32, 64) and D in (32, 64, 128)
    assert table.shape[0] == R and table.is_contiguous() and lengths.shape == (R,)
    assert table.dtype == torch.int32 and lengths.dtype == torch.int32
    assert int(table.min()) >= 0 and int(table.max()) < pages
    assert int(lengths.min()) >= 1 and int(lengths.max()) <= table.shape[1] * PAGE
    q, k_cache, v_cache = q.contiguous(), k_cache.contiguous(), v_cache.contiguous()
    lengths = lengths.contiguous()
    o = torch.empty_like(q)
    paged_kernel[(R, H)](q, k_cache, v_cache, table, lengths, o, H, table.stride(0), D**-0.5, PAGE=PAGE, D=D)
    return o
