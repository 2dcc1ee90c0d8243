"""Rows that are longer than a block which the host caps."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def row_max(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    part = tl.load(x + row * n + cols, mask=cols < n, other=float("-inf"))
    tl.atomic_max(out + row, tl.max(part, axis=0))


def run(x):
    x = x.contiguous()
    m, n = x.shape
    {said}
    out = torch.zeros((m,), device=x.device, dtype=torch.float32)
    row_max[(m, {blocks})](x, out, n, BLOCK=min(triton.next_power_of_2(n), 128))
    return out
"""


@pytest.mark.parametrize(
    ("said", "blocks", "wrong"),
    [
        ("pass", "1", True),
        ("assert n <= 128", "1", False),
        ("assert n <= 256", "1", True),
        ("pass", "triton.cdiv(n, 128)", False),
    ],
)
def test_what_a_capped_block_leaves_of_a_row(said, blocks, wrong):
    report = pipeline.check_file(TEXT.format(said=said, blocks=blocks), "kernel.py", Config())
    assert {f.code for f in report.findings if f.severity != "info"} == ({"GL603"} if wrong else set())
