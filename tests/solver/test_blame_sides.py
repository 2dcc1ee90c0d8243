"""Whose fault an access outside its tensor is: past the end, before the start, at a number's default."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"


def codes(text: str) -> set[str]:
    """The codes of the errors and warnings."""
    report = pipeline.check_file(HEAD + text, "kernel.py", Config())
    return {f.code for f in report.findings if f.severity != "info"}


SHIFTED = """@triton.jit
def k(cu, x, out, n, m, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = o < n
    {body}
    tl.store(out + o, b - a, mask=mask)


def run(cu, x{more}):
    n = x.numel()
    m = cu.numel()
    assert cu.is_contiguous() and x.is_contiguous()
    {before}
    out = torch.zeros_like(x)
    k[(triton.cdiv(n, 32),)]({cu}, x, out, n, m, BLOCK=32)
    return out
"""
LATER = "b = tl.load(cu + o, mask=mask, other=0)"


@pytest.mark.parametrize(
    "load",
    [
        "a = tl.where(o == 0, 0, tl.load(cu + o - 1, mask=mask, other=0))",
        "a = tl.load(cu + o - 1, mask=mask, other=0); a = tl.where(o > 0, a, 0)",
        "before = o - 1; a = tl.where(before >= 0, tl.load(cu + before, mask=mask), 0)",
        "a = tl.load(cu + (n - 1 - o) - n, mask=mask, other=0)",
    ],
)
def test_a_choice_after_the_load_does_not_keep_it_in_range(load: str) -> None:
    text = SHIFTED.format(body=f"{load}\n    {LATER}", more="", before="assert m == n", cu="cu")
    assert "GL103" in codes(text)


@pytest.mark.parametrize(
    ("load", "more", "before", "cu"),
    [
        ("a = tl.load(cu + o - 1, mask=mask & (o > 0), other=0)", "", "assert m == n", "cu"),
        ("a = tl.load(cu + tl.maximum(o - 1, 0), mask=mask, other=0)", "", "assert m == n", "cu"),
        ("a = tl.load(cu + o - 1, mask=mask, other=0)", "", "assert m == n + 1", "cu[1:]"),
        ("a = tl.load(cu + o + m - n, mask=mask, other=0)", "", "pass", "cu"),
        ("a = tl.load(cu + o + m, mask=mask, other=0)", ", m", "m = int(m)", "cu"),
    ],
)
def test_what_may_keep_an_index_from_being_negative(load: str, more: str, before: str, cu: str) -> None:
    """A guard, elements before a part of a tensor, sizes of two inputs, a number of the caller."""
    text = SHIFTED.format(body=f"{load}\n    {LATER}", more=more, before=before, cu=cu)
    assert "GL103" not in codes(text)


TILES = """@triton.jit
def scale(x, y, M, N, stride, BM: tl.constexpr, BN: tl.constexpr, PER: tl.constexpr, CHECK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    for r in tl.static_range(PER):
        cols = (tl.program_id(1) * PER + r) * BN + tl.arange(0, BN)
        at = rows[:, None] * stride + cols[None, :]
        if CHECK:
            inside = (rows[:, None] < M) & (cols[None, :] < N)
            tl.store(y + at, tl.load(x + at, mask=inside, other=0.0), mask=inside)
        else:
            tl.store(y + at, tl.load(x + at))


def run(x{params}):
    M, N = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    {sizes}
    check = {check}
    grid = (triton.cdiv(M, BM), triton.cdiv(triton.cdiv(N, BN), 2))
    scale[grid](x, y, M, N, x.stride(0), BM=BM, BN=BN, PER=2, CHECK=check)
    return y
"""
WEAK = "M % BM != 0 or N % BN != 0"
STRONG = f"{WEAK} or triton.cdiv(N, BN) % 2 != 0"


@pytest.mark.parametrize(
    ("params", "sizes"),
    [
        (", BM=16, BN=32", "pass"),
        (", *, BM=8, BN=16", "pass"),
        (", block=(16, 32)", "BM, BN = block"),
        ("", "BM, BN = 16, 32"),
    ],
)
def test_a_mask_dropped_too_early_at_the_default_sizes(params: str, sizes: str) -> None:
    assert {"GL101", "GL102"} & codes(TILES.format(params=params, sizes=sizes, check=WEAK))
    assert not codes(TILES.format(params=params, sizes=sizes, check=STRONG))


def test_what_no_block_size_of_the_caller_keeps_is_the_launchs_own() -> None:
    """Of three columns no positive block makes an even number of tiles."""
    assert {"GL101", "GL102"} <= codes(TILES.format(params=", BM, BN", sizes="pass", check=WEAK))


MOVED = """@triton.jit
def k(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    cols = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + cols, mask=cols < n, other=0.0)))


def run(x):
    b, s, n = x.shape
    if x.stride(-1) != 1:
        x = x.contiguous()
    out = torch.empty((b, s), device=x.device, dtype=torch.float32)
    k[(b * s,)](x, out, x.stride(-2), n, BLOCK=triton.next_power_of_2(n))
    return out
"""


def test_the_line_that_moved_the_pointer_is_told() -> None:
    report = pipeline.check_file(HEAD + MOVED, "kernel.py", Config())
    (found,) = [f for f in report.findings if f.code == "GL101"]
    row = 1 + (HEAD + MOVED).splitlines().index("    x += row * stride")
    assert row in [r.span.row for r in found.related]


def test_a_witness_shows_flags_as_the_host_computes_them() -> None:
    text = HEAD + TILES.format(params=", BM=16, BN=32", sizes="pass", check=WEAK)
    report = pipeline.check_file(text, "kernel.py", Config())
    launched = [r.message for f in report.findings for r in f.related if "launched" in r.message]
    assert launched and all("CHECK = 0" in m for m in launched)
