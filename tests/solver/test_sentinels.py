"""Elements of an index array that stand for none, where the code says that there are such."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = '''import torch
import triton
import triton.language as tl

NONE = -1


@triton.jit
def gather(x, index, out, seen, n, W: tl.constexpr):
    t = tl.program_id(0)
    if t < n:
        i = tl.load(index + t)
        {guard}
        tl.store(out + t, tl.load(x + i{mask}))
        {more}


def run(x, index{count}):
    """{text}"""
    x, index = x.contiguous(), index.contiguous()
    assert int(index.max()) < x.numel()
    {said}
    out = torch.zeros_like(index, dtype=x.dtype)
    seen = torch.zeros_like(x)
    gather[(index.numel(),)](x, index, out, seen, {n}, W=1)
    return out
'''
PADDED = "Padded rows of index hold -1."


def codes(
    text: str = PADDED,
    guard: str = "pass",
    mask: str = "",
    more: str = "pass",
    count: str = "",
    said: str = "pass",
) -> set[str]:
    n = "n" if count else "index.numel()"
    source = TEXT.format(text=text, guard=guard, mask=mask, more=more, count=count, said=said, n=n)
    report = pipeline.check_file(source, "kernel.py", Config())
    assert report.kernels
    return {f.code for f in report.findings if f.severity != "info"}


@pytest.mark.parametrize(
    "text",
    [
        PADDED,
        "Unused entries of index are NONE.",
        "index: -1 where a row is\\n    empty",
        "index: rows of x; PAD (-1) for those that are unused",
    ],
)
def test_a_number_that_stands_for_none_is_no_place(text):
    assert codes(text) == {"GL103"}


@pytest.mark.parametrize(
    "text",
    [
        "Rows of x, by index.",
        "Takes index along dim -1; padded.",
        "index of shape (n, -1), padded",
        "x[..., -1] is padded, see index",
        "Values of index are padded to -1.5",
    ],
)
def test_what_is_no_word_on_the_elements(text):
    assert codes(text) == set()


@pytest.mark.parametrize(
    "how",
    [
        {"guard": "if i < 0:\n            return"},
        {"mask": ", mask=i >= 0, other=0.0"},
        {"said": "assert int(index.min()) >= 0"},
    ],
)
def test_elements_that_are_tested_first(how):
    assert codes(**how) == set()


def test_a_number_of_the_callers_may_leave_the_padded_rows_out():
    assert codes(count=", n") == set()


def test_a_test_at_another_access_says_that_there_are_such():
    assert codes("", more="if i >= 0:\n            tl.store(seen + i, 1.0)") >= {"GL103"}


ROWS = '''import torch
import triton
import triton.language as tl


@triton.jit
def take(state, index, out, step, W: tl.constexpr):
    t = tl.program_id(0)
    i = tl.load(index + t).to(tl.int64)
    w = tl.arange(0, W)
    tl.store(out + t * W + w, tl.load(state + i * step + w{mask}))


def run(state, index):
    """Padded rows of index are -1."""
    W = state.shape[1]
    assert state.is_contiguous() and index.is_contiguous() and W & (W - 1) == 0
    out = torch.empty((index.numel(), W), device=state.device, dtype=state.dtype)
    take[(index.numel(),)](state, index, out, state.stride(0), W=W)
    return out
'''


@pytest.mark.parametrize(("mask", "wrong"), [("", True), (", mask=i >= 0, other=0.0", False)])
def test_no_clause_on_the_elements_excuses_what_the_code_says_of_them(mask, wrong):
    report = pipeline.check_file(ROWS.format(mask=mask), "kernel.py", Config())
    assert report.kernels
    assert {f.code for f in report.findings if f.severity != "info"} == ({"GL103"} if wrong else set())


def test_comments_of_the_host_function_are_words_too() -> None:
    told = "pass  # index is -1 in padded rows"
    assert codes("Rows.", said=told) == {"GL103"}
    assert codes("Rows.", said=told, mask=", mask=i >= 0, other=0.0") == set()
    assert codes("Rows.", said="print('# index is -1 in padded rows')") == set()
