"""Widths that hold for the usual inputs are the caller's to keep; those that fail for them are not."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
LIFTED = frozenset({"int32-sizes"})


def check(text: str, lifted: bool = False) -> tuple[str, set[str]]:
    report = pipeline.check_file(
        HEAD + text, "kernel.py", Config(no_assume=LIFTED if lifted else frozenset())
    )
    (kernel,) = report.kernels
    return kernel.status, {f.code for f in report.findings if f.severity != "info"}


TOTAL = """@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(start, n, tl.num_programs(0) * BLOCK):
        offs = k + tl.arange(0, BLOCK)
        acc += tl.load(x + offs, mask=offs < n, other=0.0)
    tl.atomic_add(out, tl.sum(acc, axis=0))


def run(x, programs{default}):
    x = x.contiguous()
    out = torch.zeros([1], device=x.device, dtype=torch.float32)
    total[({grid},)](x, out, x.numel(), BLOCK=1024)
    return out
"""


@pytest.mark.parametrize(
    ("default", "grid", "fine"),
    [
        ("=8", "programs", True), (": int = 4", "min(programs, x.numel())", True),
        ("=4194304", "programs", False), ("", "programs", False),
    ],
)  # fmt: skip
def test_a_number_of_programs_at_its_default(default: str, grid: str, fine: bool) -> None:
    status, codes = check(TOTAL.format(default=default, grid=grid))
    assert (status == "verified") is fine
    assert not codes


def test_what_is_left_to_the_caller_is_an_assumption_by_name() -> None:
    text = HEAD + TOTAL.format(default="=8", grid="programs")
    without = Config(no_assume=frozenset({"usual-inputs"}))
    named, lifted = (pipeline.check_file(text, "kernel.py", c).kernels[0] for c in (Config(), without))
    assert (named.status, "usual-inputs" in named.assumed) == ("verified", True)
    assert (lifted.status, "usual-inputs" in lifted.assumed) == ("undecided", False)


def test_an_assumption_that_no_launch_rests_on_is_not_listed() -> None:
    text = HEAD + TOTAL.format(default="=8", grid="16")
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert "usual-inputs" not in kernel.assumed


PAGES = """@triton.jit
def pages(kv, table, out, n, stride_page, stride_table, PAGE: tl.constexpr, DIM: tl.constexpr):
    req = tl.program_id(0)
    offs = tl.program_id(1) * 32 + tl.arange(0, 32)
    d = tl.arange(0, DIM)
    mask = offs < n
    page = tl.load(table + req * stride_table + offs // PAGE, mask=mask, other=0){cast}
    at = page[:, None] * stride_page + (offs % PAGE)[:, None] * DIM + d[None, :]
    to = (req * n + offs).to(tl.int64)[:, None] * DIM + d[None, :]
    tl.store(out + to, tl.load(kv + at, mask=mask[:, None], other=0.0), mask=mask[:, None])


def run(kv, table, n):
    count, page, dim = kv.shape
    assert kv.is_contiguous() and dim & (dim - 1) == 0 and table.dtype == torch.int32
    assert 0 <= int(table.min()) and int(table.max()) < count
    reqs = table.shape[0]
    assert triton.cdiv(n, page) <= table.shape[1] and table.stride(1) == 1
    assert reqs * n < 2**31 and table.numel() < {limit}
    out = torch.empty((reqs, n, dim), device=kv.device, dtype=kv.dtype)
    pages[(reqs, triton.cdiv(n, 32))](kv, table, out, n, kv.stride(0), table.stride(0), PAGE=page, DIM=dim)
    return out
"""


@pytest.mark.parametrize(
    ("cast", "limit", "expected"),
    [
        (".to(tl.int64)", "2**31", "verified"),
        ("", "2**31", "refuted"),
        (".to(tl.int64)", "2**33", "undecided"),
    ],
)
def test_a_row_stride_that_only_the_caller_knows(cast: str, limit: str, expected: str) -> None:
    assert check(PAGES.format(cast=cast, limit=limit), lifted=True)[0] == expected


CHUNKS = """@triton.jit
def copy(h, out, cu, H: tl.constexpr, K: tl.constexpr):
    n, head = tl.program_id(0), tl.program_id(1)
    first = tl.load(cu + n)
    last = tl.load(cu + n + 1)
    o = tl.arange(0, K)
    for t in range(last - first):
        at = {at}
        tl.store(out + at, tl.load(h + at))


def run(h, cu):
    NT, H, K = h.shape
    assert h.is_contiguous() and cu.is_contiguous() and K & (K - 1) == 0 and cu.dtype == torch.int32
    assert {ends}
    out = torch.empty_like(h)
    N = cu.numel() - 1
    copy[(N, H)](h, out, cu, H=H, K=K)
    return out
"""
ENDS = "int(cu[0]) == 0 and int(cu[-1]) == NT and bool((cu.diff() >= 0).all())"
AT = "((first + t).to(tl.int64) * H + head) * K + o"


@pytest.mark.parametrize(
    ("at", "ends", "proved"),
    [
        (AT, ENDS, True), (AT, "cu[0] == 0 and cu[-1] <= NT and (cu[1:] >= cu[:-1]).all()", True),
        (AT, "int(cu[0]) == 0 and int(cu[-1]) == NT", False),
        (AT, "int(cu[0]) == 0 and int(cu[-1]) == NT + 1 and bool((cu.diff() >= 0).all())", False),
    ],
)  # fmt: skip
def test_the_ends_of_a_sorted_array_bound_it(at: str, ends: str, proved: bool) -> None:
    report = pipeline.check_file(HEAD + CHUNKS.format(at=at, ends=ends), "kernel.py", Config())
    (kernel,) = report.kernels
    found = {o.verdict for o in kernel.obligations if o.property == "in-range"}
    assert ("refuted" in found) is ("NT + 1" in ends) and (found <= {"proved", "proved-under"}) is not (
        "refuted" in found
    )
    assert (kernel.status == "verified") is (proved and "<= NT" not in ends)


def test_a_counter_times_a_row_of_a_long_segment_wraps() -> None:
    wide = check(
        CHUNKS.format(at="first.to(tl.int64) * H * K + t * (H * K) + head * K + o", ends=ENDS), lifted=True
    )
    assert wide == ("refuted", {"GL401"})


GATHER = """@triton.jit
def rows(lengths, out, PAGE: tl.constexpr):
    r = tl.program_id(0)
    tl.store(out + r, 1.0, mask=tl.cdiv(tl.load(lengths + r), PAGE) > 1)


def run(lengths, pages):
    assert lengths.is_contiguous() and lengths.dtype == torch.int32 {stated}
    out = torch.zeros_like(lengths)
    rows[(lengths.numel(),)](lengths, out, PAGE={page})
    return out
"""
STATED = "and int(lengths.min()) >= 0 and int(lengths.max()) <= pages * 16"


@pytest.mark.parametrize(
    ("stated", "page", "rests"), [(STATED, "16", True), (STATED, "2**30 + 2**29", False), ("", "16", None)]
)
def test_elements_that_nothing_bounds_are_usually_small(stated: str, page: str, rests: bool | None) -> None:
    text = HEAD + GATHER.format(stated=stated, page=page)
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert (kernel.status == "verified" and "usual-inputs" in kernel.assumed) is (rests is True)
    without = Config(no_assume=frozenset({"usual-inputs"}))
    (lifted,) = pipeline.check_file(text, "kernel.py", without).kernels
    assert not rests or lifted.status != "verified"


COPY = """@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n), mask=o < n)


def run(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.shape[0], 256),)](x, y, {n}, BLOCK=256)
    return y
"""


@pytest.mark.parametrize(
    ("n", "lifted", "status", "named"),
    [
        ("x.shape[0]", False, "verified", True), ("x.shape[0]", True, "undecided", False),
        ("x.numel()", False, "refuted", False),
    ],
)  # fmt: skip
def test_axes_that_the_host_code_names_are_all_by_assumption(
    n: str, lifted: bool, status: str, named: bool
) -> None:
    config = Config(no_assume=frozenset({"named-axes"} if lifted else ()))
    (kernel,) = pipeline.check_file(HEAD + COPY.format(n=n), "kernel.py", config).kernels
    assert (kernel.status, "named-axes" in kernel.assumed) == (status, named)


def test_rows_that_fit_32_bits_are_usual_and_elements_are_not() -> None:
    rows = CHUNKS.format(at="(first * H + head).to(tl.int64) * K + t.to(tl.int64) * H * K + o", ends=ENDS)
    elements = CHUNKS.format(
        at="((first * H + head) * K).to(tl.int64) + t.to(tl.int64) * H * K + o", ends=ENDS
    )
    assert check(rows, lifted=True)[0] == "verified"
    assert check(elements, lifted=True)[0] == "refuted"
