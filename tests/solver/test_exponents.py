"""Powers and shifts by numbers known at compilation, and factors of what is divided."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.report.model import KernelReport

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
BINS = """def k(x, passes, bits: tl.constexpr, T: tl.constexpr):
    r: tl.constexpr = 2**bits
    for p in range(0, passes):
        for start in range(0, r, T):
            tl.atomic_add(x + (tl.program_id(0) * passes + p) * r + start + tl.arange(0, T), p)
"""
SHIFTED = BINS.replace("2**bits", "1 << bits")
WINDOW = """def k(x, y, n, m, pad, stride, dilation, K: tl.constexpr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    out = tl.zeros((B,), dtype=tl.float32)
    for j in range(0, K):
        place = at + pad - j * dilation
        row = place // stride
        inside = (place % stride == 0) & (row >= 0) & (row < m)
        out += tl.load(x + tl.where(inside, row, 0), mask=inside, other=0.0)
    tl.store(y + at, out, mask=at < n)
"""


def check(text: str) -> KernelReport:
    (kernel,) = pipeline.check_file(HEAD + text, "kernel.py", Config()).kernels
    return kernel


@pytest.mark.parametrize("text", [BINS, SHIFTED], ids=["power", "shift"])
def test_an_exponent_known_at_compilation(text: str) -> None:
    kernel = check(text)
    assert kernel.status == "verified"
    assert any("2 ** max(0, bits)" in c and "x.size" in c for c in kernel.inferred)


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        (BINS, 96, "meets"),
        (BINS, 95, "violates"),
        (BINS.replace("range(0, r, T)", "range(0, r + 1, T)"), 96, "violates"),
        (SHIFTED.replace("* r + start", "* r + start * 2"), 96, "violates"),
    ],
)
def test_launches_of_bins(text: str, size: int, expected: str) -> None:
    host = f"\n\ndef run():\n    x = torch.zeros({size})\n    k[(2,)](x, 3, bits=4, T=4)\n"
    assert check(text + host).sites[0].status == expected


def test_what_a_dividend_grows_with_is_not_negative() -> None:
    kernel = check(WINDOW)
    assert kernel.status == "verified"
    assert "dilation >= 0" in kernel.inferred
