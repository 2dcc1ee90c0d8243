"""Flat indices that are taken apart by the row length of another tensor."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def mark(keep, out, n, width, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    row = offs // width
    v = tl.load(keep + offs, mask=mask, other=0)
    tl.store(out + row * width + offs % width, v, mask=mask)


def run(x, keep):
    x, keep = x.contiguous(), keep.contiguous()
    assert keep.shape[0] <= x.shape[0] and {said}
    out = torch.zeros_like(x)
    mark[(triton.cdiv(keep.numel(), 64),)](keep, out, keep.shape[0] * keep.shape[1], {width}, BLOCK=64)
    return out
"""


@pytest.mark.parametrize(
    ("said", "width", "wrong"),
    [
        ("keep.shape[1] <= x.shape[1]", "x.shape[1]", True),
        ("x.shape[1] >= keep.shape[1]", "x.shape[1]", True),
        ("keep.shape[1] == x.shape[1]", "x.shape[1]", False),
        ("keep.shape[1] <= x.shape[1]", "keep.shape[1]", False),
        ("keep.shape[1] > 0", "x.shape[1]", False),  # how the two belong together is the caller's to know
    ],
)
def test_the_row_length_that_a_flat_index_is_divided_by(said, width, wrong):
    report = pipeline.check_file(TEXT.format(said=said, width=width), "kernel.py", Config())
    assert report.kernels
    found = {f.code for f in report.findings if f.severity != "info"}
    assert found == ({"GL515"} if wrong else set())
