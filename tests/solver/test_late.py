"""Products that are widened after they may have left 32 bits: a warning, though the kernel is verified."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def copy(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0){early}
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = {offset}
    tl.store(y + at, tl.load(x + at, mask=cols < N), mask=cols < N)


def run(x):
    x = x.contiguous()
    M, N = x.shape
    {check}
    y = torch.empty_like(x)
    copy[(M, triton.cdiv(N, 128))](x, y, N, BLOCK=128)
    return y
"""
LATE, NARROW = "(row * N + cols).to(tl.int64)", "row * N + cols"
SMALL = "assert M < 30000 and N < 30000"


@pytest.mark.parametrize(
    ("offset", "early", "check", "told"),
    [
        (LATE, "", "pass", True), (NARROW, "", "pass", False), (LATE, ".to(tl.int64)", "pass", False),
        ("row.to(tl.int64) * N + cols", "", "pass", False), (LATE, "", SMALL, False),
        ("(row * 2).to(tl.int64) * (N // 2) + cols", "", "assert N % 2 == 0", False),
    ],
)  # fmt: skip
def test_a_product_that_is_widened_afterwards_is_told(
    offset: str, early: str, check: str, told: bool
) -> None:
    text = TEXT.format(offset=offset, early=early, check=check)
    report = pipeline.check_file(text, "kernel.py", Config())
    (kernel,) = report.kernels
    found = [(f.code, f.severity) for f in report.findings if f.severity != "info"]
    assert kernel.status == "verified"
    assert found == ([("GL401", "warning")] if told else [])


def test_without_the_assumption_it_is_an_error_of_its_own() -> None:
    text = TEXT.format(offset=LATE, early="", check="pass")
    report = pipeline.check_file(text, "kernel.py", Config(no_assume=frozenset({"int32-sizes"})))
    assert {f.severity for f in report.findings if f.code == "GL401"} == {"error"}
