"""Rotary position embedding in place: the two halves of a head's vector are turned by the token's angle.

Both halves are loaded before either is stored, by the same lanes, so that no lane reads what another wrote.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(q_ptr, cos_ptr, sin_ptr, T, H, HALF: tl.constexpr, BLOCK_H: tl.constexpr):
    token = tl.program_id(0)
    place = token % T
    half = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + place * HALF + half)
    sin = tl.load(sin_ptr + place * HALF + half)
    heads = tl.arange(0, BLOCK_H)
    mask = (heads < H)[:, None]
    first = q_ptr + token.to(tl.int64) * H * (2 * HALF) + heads[:, None] * (2 * HALF) + half[None, :]
    a = tl.load(first, mask=mask, other=0.0)
    b = tl.load(first + HALF, mask=mask, other=0.0)
    tl.store(first, a * cos[None, :] - b * sin[None, :], mask=mask)
    tl.store(first + HALF, b * cos[None, :] + a * sin[None, :], mask=mask)


def rope(q: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    B, T, H, D = q.shape
    assert D in (32, 64, 128) and cos.shape == (T, D // 2) and sin.shape == (T, D // 2)
    q, cos, sin = q.contiguous().clone(), cos.contiguous(), sin.contiguous()
    rope_kernel[(B * T,)](q, cos, sin, T, H, HALF=D // 2, BLOCK_H=triton.next_power_of_2(H))
    return q
