"""Loads and stores of one program at other lanes: warps need not run together."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
{body}

def main(a: torch.Tensor):
    a = a.contiguous()
    n = a.numel()
    assert n <= 4096
    k[(1,)](a, n, B=4096)
"""
OPEN = {
    "reversed": "x = tl.load(p + i, mask=inside)\ntl.store(p + (n - 1 - i), x, mask=inside)",
    "shifted": "x = tl.load(p + i + 1, mask=i + 1 < n)\ntl.store(p + i, x, mask=i + 1 < n)",
    "shifted, after a store": "tl.store(p + i, 1.0, mask=i + 1 < n)\nx = tl.load(p + i + 1, mask=i + 1 < n)\n"
    "tl.store(p + i, x, mask=i + 1 < n)",
    "shifted in rounds": "for j in range(2):\n    x = tl.load(p + i + 1, mask=i + 1 < n)\n"
    "    tl.store(p + i, x, mask=i + 1 < n)",
}
ORDERED = {
    "a barrier between": "x = tl.load(p + i, mask=inside)\ntl.debug_barrier()\n"
    "tl.store(p + (n - 1 - i), x, mask=inside)",
    "the same lanes": "x = tl.load(p + i, mask=inside)\ntl.store(p + i, x + 1, mask=inside)",
    "halves that trade places": "h = n // 2\nx = tl.load(p + i, mask=i < h)\n"
    "y = tl.load(p + h + i, mask=i < h)\n"
    "tl.store(p + i, y, mask=i < h)\ntl.store(p + h + i, x, mask=i < h)",
}


def status(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (kernel,) = pipeline.check_file(TEXT.format(body=lines), "kernel.py", Config()).kernels
    return kernel.status


@pytest.mark.parametrize("kind", OPEN)
def test_other_lanes_are_not_in_step(kind: str) -> None:
    assert status(OPEN[kind]) in ("undecided", "refuted")


@pytest.mark.parametrize("kind", ORDERED)
def test_lanes_that_keep_to_their_own_or_wait_are_ordered(kind: str) -> None:
    assert status(ORDERED[kind]) == "verified"
