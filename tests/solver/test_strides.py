"""A tensor whose axis one access takes by its stride and another without it."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def norm(X, Y, s0, s1, y0, y1, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + row * s0 + cols * s1, mask=cols < N, other=0.0), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + {offset}, mask=cols < N, other=0.0)
        tl.store(Y + row * y0 + cols * y1, x / total, mask=cols < N)


def run(x):
    M, N = x.shape
    {said}
    y = torch.empty_like(x)
    norm[(M,)](x, y, x.stride(0), x.stride(1), y.stride(0), y.stride(1), N, BLOCK=64)
    return y
"""
FREE = "assert x.dim() == 2"


def codes(offset: str, said: str = FREE) -> set[str]:
    report = pipeline.check_file(TEXT.format(offset=offset, said=said), "kernel.py", Config())
    return {f.code for f in report.findings if f.severity != "info"}


@pytest.mark.parametrize(
    "offset", ["row * s0 + cols", "row * s0 + start + tl.arange(0, BLOCK)", "row + cols * s1"]
)
def test_a_stride_that_one_access_drops_is_told(offset: str) -> None:
    assert codes(offset) == {"GL513"}


@pytest.mark.parametrize(
    "offset", ["row * s0 + cols * s1", "row * s0 + start * s1 + tl.arange(0, BLOCK) * s1"]
)
def test_the_stride_in_every_access_is_fine(offset: str) -> None:
    assert codes(offset) == set()


@pytest.mark.parametrize(
    "said", ["assert x.stride(1) == 1", "x = x.contiguous()", "assert x.is_contiguous()"]
)
def test_a_stride_that_the_host_settles_may_be_dropped(said: str) -> None:
    assert codes("row * s0 + cols", said) == set()


def test_an_offset_that_is_no_index_of_the_axis_is_no_dropped_stride() -> None:
    assert "GL513" not in codes("row * s0")
    assert "GL513" not in codes("row * s0 + cols // 2")
