"""Outputs that the launches of a host loop fill together."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def part(x, y, first, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = {mask}
    tl.store(y + first + i, tl.load(x + first + i, mask=mask, other=0.0), mask=mask)


def run(x, flags, size=1 << 20):
    x = x.contiguous()
    n = x.numel()
    y = torch.empty_like(x)
    for first in range({span}):
        {body}
        count = {count}
        part[(triton.cdiv({grid}, 64),)](x, y, first, count, BLOCK=64)
    return y
"""
RIGHT = {
    "mask": "i < count", "span": "0, n, size", "body": "pass", "count": "min(size, n - first)",
    "grid": "count",
}  # fmt: skip


def check(**changes: str) -> tuple[str, set[str]]:
    report = pipeline.check_file(TEXT.format(**{**RIGHT, **changes}), "kernel.py", Config())
    (kernel,) = report.kernels
    return kernel.status, {f.code for f in report.findings if f.severity != "info"}


def test_rounds_that_join_without_gaps_fill_the_output() -> None:
    assert check() == ("verified", set())
    assert check(span="0, n, 48", count="min(48, n - first)")[0] == "verified"


@pytest.mark.parametrize(
    "changes",
    [
        {"mask": "first + i < count"},
        {"mask": "i < count - 1"},
        {"span": "size, n, size"},
        {"span": "0, n - size, size"},
        {"span": "0, n, 2 * size"},
    ],
)
def test_a_gap_that_no_round_writes_is_told(changes: dict[str, str]) -> None:
    assert check(**changes) == ("refuted", {"GL602"})


@pytest.mark.parametrize(
    "body",
    [
        "if flags[first]:\n            break",
        "if flags[first]:\n            continue",
        "if flags.any():\n            return y",
        "if first == flags.numel():\n            continue",
    ],
)
def test_rounds_that_may_be_left_out_prove_nothing(body: str) -> None:
    status, codes = check(body=body)
    assert status != "verified" and "GL602" not in codes


def test_an_output_made_anew_in_each_round_is_no_sum_of_rounds() -> None:
    assert check(body="y = torch.empty_like(x)")[0] != "verified"
