"""Tile kernels at launch sites: what index arrays hold, how wide they are, order within a program."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"

SCATTER = """@triton.jit
def scatter(idx, x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    at = tl.load(idx + offs, mask=mask, other=0)
    {store}


def run(x, out):
    n = x.numel()
    x, out = x.contiguous(), out.contiguous()
    idx = {made}
    assert out.numel() == n
    scatter[(triton.cdiv(n, 64),)](idx, x, out, n, BLOCK=64)
"""
PLAIN = "tl.store(out + at, tl.load(x + offs, mask=mask, other=0.0), mask=mask)"
ADDED = (
    "tl.store(out + at, tl.load(out + at, mask=mask, other=0.0) + "
    "tl.load(x + offs, mask=mask, other=0.0), mask=mask)"
)
ATOMIC = "tl.atomic_add(out + at, tl.load(x + offs, mask=mask, other=0.0), mask=mask)"
GIVEN = "x.new_tensor(given)"


def check(text: str, **options: object) -> tuple[str, set[str]]:
    """The status of the one kernel, and the codes of its errors and warnings."""
    report = pipeline.check_file(HEAD + text, "kernel.py", Config(**options))  # type: ignore[arg-type]
    (kernel,) = report.kernels
    return kernel.status, {f.code for f in report.findings if f.severity != "info"}


@pytest.mark.parametrize(
    ("store", "made", "racy"),
    [
        (PLAIN, "torch.randint(0, n, (n,))", True),
        (PLAIN, "torch.randperm(n)", False),
        (ATOMIC, "torch.randint(0, n, (n,))", False),
        (ADDED, "torch.randint(0, n, (n,))", True),
    ],
)
def test_scatter_by_what_the_host_fills_in(store: str, made: str, racy: bool) -> None:
    status, codes = check(SCATTER.format(store=store, made=made))
    assert bool(codes & {"GL301", "GL302", "GL303"}) is racy
    assert (status == "refuted") is racy


WIDE = """@triton.jit
def rows(idx, x, out, n, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    row = tl.load(idx + offs, mask=mask, other=0){cast}
    tl.store(out + offs, tl.load(x + row * stride, mask=mask, other=0.0), mask=mask)


def run(x, idx):
    m, d = x.shape
    x = x.contiguous()
    n = idx.numel()
    assert idx.dtype == torch.int32 and idx.is_contiguous()
    assert int(idx.min()) >= 0 and int(idx.max()) < m
    out = torch.empty((n,), device=x.device, dtype=x.dtype)
    rows[(triton.cdiv(n, 64),)](idx, x, out, n, x.stride(0), BLOCK=64)
    return out
"""


def test_int32_index_times_a_stride_wraps_for_large_arrays() -> None:
    lifted = frozenset({"int32-sizes"})
    assert check(WIDE.format(cast=""), no_assume=lifted)[1] == {"GL401"}
    assert check(WIDE.format(cast=".to(tl.int64)"), no_assume=lifted)[1] == set()


RELOAD = """@triton.jit
def reload(x, out, pick, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    tl.store(out + row * n + cols, tl.load(x + row * n + cols, mask=mask, other=0.0), mask=mask)
    {barrier}
    tl.store(pick + row, tl.load(out + row * n + n - 1))


def run(x):
    m, n = x.shape
    x = x.contiguous()
    out, pick = torch.empty_like(x), torch.empty((m,), device=x.device)
    reload[(m,)](x, out, pick, n, BLOCK=triton.next_power_of_2(n))
    return out, pick
"""


def test_reload_by_another_lane_is_proved_only_behind_a_barrier() -> None:
    assert check(RELOAD.format(barrier="pass")) == ("refuted", {"GL302"})
    assert check(RELOAD.format(barrier="tl.debug_barrier()"))[0] == "verified"


def test_a_reduction_between_may_hold_a_barrier_once_compiled() -> None:
    reduced = "tl.store(pick + row, tl.sum(cols, axis=0))"
    assert check(RELOAD.format(barrier=reduced)) == ("undecided", set())


OWN_LANE = """@triton.jit
def passes(x, out, steps, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for k in range(steps):
        at = tl.program_id(0) * BLOCK * steps + {step} + cols
        tl.store(out + at, tl.load(x + at) + tl.load(out + at{back}))


def run(x, steps: int):
    x = x.contiguous()
    assert steps > 0 and x.numel() % (64 * steps) == 0
    out = torch.zeros_like(x)
    passes[(x.numel() // (64 * steps),)](x, out, steps, BLOCK=64)
    return out
"""


def test_a_lane_that_loads_its_own_element_again_needs_no_barrier() -> None:
    assert check(OWN_LANE.format(step="k * BLOCK", back=""))[0] == "verified"


def test_a_later_round_that_loads_what_another_lane_stored_is_not_proved() -> None:
    assert check(OWN_LANE.format(step="k * BLOCK", back=" - 1"))[0] != "verified"
    assert check(OWN_LANE.format(step="k", back=""))[0] != "verified"


FREE = """@triton.jit
def scale(x, g, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) * tl.load(g + offs{mask}), mask=mask)


def run(x, g):
    n = x.numel()
    x = x.contiguous()
    out = torch.empty_like(x)
    scale[(triton.cdiv(n, 64),)](x, g, out, n, BLOCK=64)
    return out
"""


def test_a_size_that_the_caller_chooses_is_no_fault_of_the_launch() -> None:
    assert check(FREE.format(mask=", mask=mask"))[1] == set()


def test_a_tail_of_an_array_that_the_host_sizes_is_told() -> None:
    made = "x = x.contiguous()\n    g = torch.ones(n, device=x.device)"
    text = FREE.format(mask="").replace("x = x.contiguous()", made)
    assert check(text)[1] != set()


COUNTED = """@triton.jit
def count(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(v, BINS{mask}))


def run(x):
    n = x.numel()
    out = torch.zeros(16, device=x.device, dtype=torch.int32)
    count[(triton.cdiv(n, 64),)](x.contiguous(), out, n, BLOCK=64, BINS=16)
    return out
"""


@pytest.mark.parametrize(("mask", "codes"), [("", {"GL902"}), (", mask=mask", set())])
def test_a_histogram_does_not_count_lanes_that_its_mask_leaves_out(mask: str, codes: set[str]) -> None:
    assert check(COUNTED.format(mask=mask))[1] == codes


FLAT = """@triton.jit
def copy(x, out, rows, cols, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < cols
    row = tl.program_id(0)
    tl.store(out + row * cols + offs, tl.load(x + row * {step} + offs, mask=mask), mask=mask)


def run(x):
    rows, cols = x.shape
    out = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
    copy[(rows,)](x, out, rows, cols, BLOCK=triton.next_power_of_2(cols))
    return out
"""


@pytest.mark.parametrize(("step", "codes"), [("cols", set()), ("(cols + 1)", {"GL101"})])
def test_a_tensor_of_unknown_layout_does_not_overlap_itself(step: str, codes: set[str]) -> None:
    assert check(FLAT.format(step=step))[1] & {"GL101"} == codes


LIKE = """@triton.jit
def double(x, out, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    mask = offs < {bound}
    tl.store(out + row * stride + offs, 2 * tl.load(x + row * stride + offs, mask=mask, other=0.0), mask=mask)


def run(x):
    x = x.view(-1, x.shape[-1])
    out = torch.empty_like(x)
    rows, cols = x.shape
    double[(rows,)](x, out, out.stride(0), cols, BLOCK=triton.next_power_of_2(cols))
    return out
"""


def covered(text: str) -> list[tuple[str, tuple[str, ...]]]:
    report = pipeline.check_file(HEAD + text, "kernel.py", Config())
    return [(o.verdict, o.clauses) for k in report.kernels for o in k.obligations if o.property == "covered"]


def test_an_output_of_unknown_layout_is_covered_where_it_is_contiguous() -> None:
    assert covered(LIKE.format(bound="cols")) == [("proved-under", ("contiguous(out)",))]


def test_contiguity_does_not_cover_what_is_left_out() -> None:
    assert [v for v, _ in covered(LIKE.format(bound="cols - 1"))] in (["refuted"], ["undecided"])


def test_a_launch_that_leaves_the_layout_open_does_not_meet_the_clause() -> None:
    report = pipeline.check_file(HEAD + LIKE.format(bound="cols"), "kernel.py", Config())
    assert [s.status for k in report.kernels for s in k.sites] == ["violates"]
    assert [f.code for f in report.findings if f.severity != "info"] == ["GL514"]  # rows by another's stride
