"""Launches whose host code says that one size is a multiple of another."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def halves(x, out, n, stride, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, BN)
    rows = pid * BM + tl.arange(0, BM)
    end = (pid + 1) * BM
    at = out + pid * stride + offs
    for k in range(0, end, BN):
        inside = (rows[:, None] < n) & (k + offs[None, :] < n)
        here = tl.load(x + rows[:, None] * n + k + offs[None, :], mask=inside, other=0.0)
        tl.store(at, tl.sum(here, axis=0), mask=offs < n - k)
        at += BN
    for k in range(end, n, BN):
        tl.store(at, 2.0, mask=offs < n - k)
        at += BN


def run(x, config=(64, 32)):
    n = x.shape[0]
    assert x.shape == (n, n)
    x = x.contiguous()
    BM, BN = config
    {said}
    out = torch.zeros((triton.cdiv(n, BM), n), device=x.device, dtype=torch.float32)
    halves[(triton.cdiv(n, BM),)](x, out, n, out.stride(0), BM=BM, BN=BN)
    return out
"""


def verdicts(said: str) -> set[str]:
    report = pipeline.check_file(TEXT.format(said=said), "kernel.py", Config())
    (kernel,) = report.kernels
    return {o.verdict for o in kernel.obligations if o.property == "disjoint"}


def test_a_pointer_that_two_loops_move_by_whole_blocks() -> None:
    assert verdicts("assert BM % BN == 0") <= {"proved", "proved-under"}


def test_a_block_of_less_than_one_row_is_no_fault() -> None:
    lanes = "+ tl.arange(0, BM)"
    (kernel,) = pipeline.check_file(
        TEXT.replace(lanes, "").replace("[:, None]", "").format(said="assert BM % BN == 0"),
        "kernel.py",
        Config(),
    ).kernels
    assert kernel.status == "undecided"


@pytest.mark.parametrize("said", ["pass", "assert BN % BM == 0", "assert BM % BN < 2"])
def test_blocks_that_do_not_divide_the_other(said: str) -> None:
    assert not verdicts(said) <= {"proved", "proved-under"}


def test_a_triangle_of_blocks_covers_the_rows_of_an_output() -> None:
    text = TEXT.format(said="assert BM % BN == 0").replace("torch.zeros", "torch.empty")
    chosen = text.replace("config=(64, 32)", "config=SIZES[1]") + "\n\nSIZES = [(32, 32), (64, 32)]\n"
    for code in (text, chosen):
        (kernel,) = pipeline.check_file(code, "kernel.py", Config()).kernels
        assert kernel.status == "verified"
    short = text.replace("for k in range(end, n, BN)", "for k in range(end + BN, n, BN)")
    (kernel,) = pipeline.check_file(short, "kernel.py", Config()).kernels
    assert kernel.status != "verified"
