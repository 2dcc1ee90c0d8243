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
    "text", [PADDED, "Unused entries of index are NONE.", "index: -1 where a row is\\n    empty"]
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
