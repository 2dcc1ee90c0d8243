"""Inputs that only count programs, and inputs of which the host checks which is the larger."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, D, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, BLOCK)
    v = tl.load(x + b * D + d, mask=d < D, other=0.0)
    tl.store(out + b * D + d, v * 2, mask=d < D)


def run(x, {names}):
    x = x.contiguous()
    B, D = x.shape
    {said}
    out = {out}
    double[({grid},)](x, out, {n}, D, BLOCK=triton.next_power_of_2(D))
    return out
"""
OUT = "torch.empty((B, D), device=x.device, dtype=x.dtype)"


def codes(grid: str, said: str = "pass", names: str = "lens", n: str = "1", out: str = OUT) -> set[str]:
    text = TEXT.format(grid=grid, said=said, names=names, n=n, out=out)
    report = pipeline.check_file(text, "kernel.py", Config())
    assert report.kernels
    return {f.code for f in report.findings if f.severity != "info"}


def test_programs_counted_by_what_no_kernel_takes():
    assert codes("len(lens)") == {"GL101", "GL102"}
    assert codes("B") == set()


def test_an_input_that_the_kernel_takes_too_may_count_rows():
    assert codes("lens.shape[0]", n="lens.shape[0]") == set()


def test_an_input_that_the_host_compares_may_count_rows():
    assert codes("len(lens)", said="assert len(lens) == B") == set()
    assert codes("len(lens)", said="assert len(lens) <= B", out=OUT.replace("empty", "zeros")) == set()


def test_an_output_of_the_callers_leaves_the_count_to_the_caller():
    assert codes("len(lens)", names="lens, given", out="given.contiguous()") == set()


@pytest.mark.parametrize(("said", "wrong"), [(">=", True), ("==", False)])
def test_an_input_that_the_host_lets_be_longer(said, wrong):
    found = codes("lens.shape[0]", said=f"assert lens.shape[0] {said} B", n="lens.shape[0]")
    assert found == ({"GL101", "GL102"} if wrong else set())
