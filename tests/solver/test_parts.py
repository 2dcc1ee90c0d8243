"""Outputs that are filled from an element of a sorted array to the next."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def copy(x, y, starts, W: tl.constexpr, B: tl.constexpr):
    part = tl.program_id(0)
    first = tl.load(starts + part + {shift})
    last = tl.load(starts + part + {shift} + 1)
    c = tl.arange(0, B)
    for t in range({start}, last - first{less}):
        at = (first + t) * W + c
        tl.store(y + at, tl.load(x + at, mask=c < W, other=0.0), mask=c < W)


def run(x, starts):
    M, W = x.shape
    x, starts = x.contiguous(), starts.contiguous()
    {said}
    y = torch.empty_like(x)
    copy[(starts.numel() - 1 - {shift},)](x, y, starts, W=W, B=triton.next_power_of_2(W))
    return y
"""
SORTED = "assert bool((starts[1:] >= starts[:-1]).all())"
ENDS = f"assert int(starts[0]) == 0 and int(starts[-1]) == M\n    {SORTED}"


def verified(said: str = ENDS, start: str = "0", less: str = "", shift: str = "0") -> bool:
    text = TEXT.format(said=said, start=start, less=less, shift=shift)
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    return kernel.status == "verified"


def test_the_parts_of_a_sorted_array_from_end_to_end_fill_the_output() -> None:
    assert verified()


@pytest.mark.parametrize(
    ("said", "start", "less", "shift"),
    [
        (ENDS, "1", "", "0"),  # the first row of each part is left out
        (ENDS, "0", " - 1", "0"),  # the last one is
        (ENDS, "0", "", "1"),  # the first part is
        (ENDS.replace("== M", "<= M"), "0", "", "0"),
        (ENDS.replace("== 0", ">= 0"), "0", "", "0"),
        (ENDS.replace(SORTED, ""), "0", "", "0"),
    ],
)
def test_what_leaves_rows_out_is_not_verified(said: str, start: str, less: str, shift: str) -> None:
    assert not verified(said, start, less, shift)
