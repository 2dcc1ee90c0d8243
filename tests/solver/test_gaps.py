"""Accesses that come between the elements of a tensor which may have gaps."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
def fill(out, value, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, value, mask=offs < n)


@triton.jit
def rows(x, out, step, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    first = tl.load(x + row * step + cols, mask=cols < n, other=0.0)
    again = tl.load(x + row * {step} + cols, mask=cols < n, other=0.0)
    tl.store(out + row * n + cols, again / tl.sum(first, axis=0), mask=cols < n)


"""
FILL = """def {name}(x, value):
    {said}
    n = x.numel()
    fill[(triton.cdiv(n, 64),)](x, value, n, BLOCK=64)
    return {result}
"""
ROWS = """def divide(x):
    m, n = x.shape
    {said}
    out = torch.empty((m, n), device=x.device, dtype=x.dtype)
    rows[(m,)](x, out, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return out
"""


def codes(text: str, step: str = "step") -> set[str]:
    report = pipeline.check_file(HEAD.format(step=step) + text, "kernel.py", Config())
    return {f.code for f in report.findings if f.severity != "info"}


def filled(said: str = "pass", name: str = "fill_", result: str = "x") -> set[str]:
    return codes(FILL.format(said=said, name=name, result=result))


def test_flat_stores_to_a_tensor_of_any_layout():
    assert filled() == {"GL514"}


@pytest.mark.parametrize(
    "said", ["assert x.is_contiguous()", "x = x.contiguous()", "x = torch.zeros_like(x.contiguous())"]
)
def test_a_layout_that_the_host_makes_sure_of(said):
    assert filled(said) == set()


@pytest.mark.parametrize("how", [{"name": "_fill"}, {"result": ""}])
def test_helpers_are_given_what_their_callers_made(how):
    assert filled(**how) == set()


def test_a_caller_in_view_that_passes_contiguous_tensors():
    caller = "\n\ndef both(x):\n    return fill_(x.contiguous(), 1.0)\n"
    assert codes(FILL.format(said="pass", name="fill_", result="x") + caller) == set()


def test_a_decorator_may_lay_out_what_it_hands_on():
    text = FILL.format(said="pass", name="f", result="x")
    assert codes("from other import tidy\n\n\n@tidy\n" + text) == set()


@pytest.mark.parametrize("said", ["pass", "assert x.stride(1) == 1"])
def test_rows_taken_without_their_stride(said):
    assert codes(ROWS.format(said=said), "n") == {"GL514"}
    assert codes(ROWS.format(said=said)) == set()


def test_rows_without_gaps():
    assert codes(ROWS.format(said="assert x.stride(1) == 1 and x.stride(0) == n"), "n") == set()
