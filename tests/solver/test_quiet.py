"""Kinds of false alarms that real packages showed, each beside the fault that it must not hide."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"


def codes(text: str) -> set[str]:
    report = pipeline.check_file(HEAD + text, "kernel.py", Config())
    assert report.kernels
    return {f.code for f in report.findings if f.severity != "info"}


STARTS = """@triton.jit
def starts(counts, start, out, experts, B: tl.constexpr):
    me = tl.program_id(0)
    offs = tl.arange(0, B)
    mask = offs < experts
    n = tl.load(counts + offs, mask=mask, other=0)
    tl.store(start + offs, {value}, mask=mask)
    tl.store(out + me, tl.load(counts + me))


def run(counts):
    counts = counts.contiguous()
    start, out = torch.empty_like(counts), torch.empty_like(counts)
    experts = counts.shape[0]
    starts[(experts,)](counts, start, out, experts, B=triton.next_power_of_2(experts))
"""


@pytest.mark.parametrize("value", ["tl.cumsum(n, 0) - n", "n * 2", "0"])
def test_programs_that_all_store_the_same_are_no_race(value: str) -> None:
    assert not codes(STARTS.format(value=value))


@pytest.mark.parametrize("value", ["n + me", "tl.load(out + offs, mask=mask)", "tl.cumsum(n, 0) * me"])
def test_programs_that_store_values_of_their_own_race(value: str) -> None:
    assert codes(STARTS.format(value=value)) & {"GL301", "GL302"}


GATHER = """@triton.jit
def gather(x, out, stride_x, stride_o, B: tl.constexpr):
    row = tl.program_id(1)
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + row * stride_o + offs, tl.load(x + row * stride_x + offs))


def run(x, out):
    (rows, _), hidden = {rows}.shape, x.shape[1]
    {said}
    grid = (triton.cdiv(hidden, 1024), rows)
    gather[grid](x, out, x.stride(0), out.stride(0), B=1024)
"""


def test_an_output_as_wide_as_an_input_of_whole_blocks_is_the_callers() -> None:
    assert not codes(GATHER.format(rows="out", said="assert hidden % 1024 == 0"))


def test_blocks_that_need_not_be_whole_are_the_launchs_own() -> None:
    assert codes(GATHER.format(rows="x", said="x = x.contiguous()"))


TUNED = """@triton.autotune(configs=[triton.Config({{"B": 64}}), triton.Config({{"B": 128}})], key=["n"])
@triton.jit
def scales(x, out, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.atomic_{op}(out, tl.max(v, axis=0))


def run(x):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    scales[lambda m: (triton.cdiv(n, m["B"]),)](x, out, n)
    return out
"""


@pytest.mark.parametrize(("op", "told"), [("max", set()), ("min", set()), ("add", {"GL509"})])
def test_extremes_do_not_change_when_tuning_runs_again(op: str, told: set[str]) -> None:
    assert codes(TUNED.format(op=op)) & {"GL509"} == told


SCRATCH = """def init(name):
    return lambda args: args[name].zero_()


def more():
    return [triton.Config({{"B": 64}}, pre_hook=init("out"))]


@triton.autotune(configs=[triton.Config({{"B": 64}}), {config}], key=["n"])
@triton.jit
def sums(x, tmp, out, n, B: tl.constexpr):
    pid = tl.program_id(0)
    m = 0.0
    {first}
    m += tl.load(tmp + {read})
    {last}
    tl.store(out + pid, m)


def run(x, tmp):
    out = torch.zeros(x.shape[0], device=x.device)
    sums[(x.shape[0],)](x, tmp, out, x.shape[0])
    return out
"""
STORE, TWO, OWN = "tl.store(tmp + pid, pid)", 'triton.Config({"B": 128})', "pid"


@pytest.mark.parametrize(
    ("config", "first", "read", "last", "told"),
    [
        (TWO, STORE, OWN, "", set()),  # what it reads it wrote before
        (TWO, "", OWN, STORE, {"GL509"}),  # what the run before wrote
        (TWO, STORE, "tl.maximum(pid - 1, 0)", "", {"GL509"}),  # what another program may have written
        (TWO, f"if n > 9: {STORE}", OWN, "", {"GL509"}),
        ("*more()", "", OWN, STORE, set()),  # a hook of a configuration that is made elsewhere
    ],
)
def test_tuning_again_changes_what_a_run_finds_of_the_one_before(
    config: str, first: str, read: str, last: str, told: set[str]
) -> None:
    assert codes(SCRATCH.format(config=config, first=first, read=read, last=last)) & {"GL509"} == told


PAGES = """@triton.jit
def fill(key, cache, slots, size, page, key_stride, page_stride, entry_stride, B: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slots + token)
    if slot < 0:
        return
    d = tl.arange(0, B)
    value = tl.load(key + token * key_stride + d, mask=d < size, other=0.0)
    at = slot // page * page_stride + slot % page * entry_stride
    tl.store(cache + at + d, value, mask=d < size)


def run(key, cache, slots):
    (_, size), (_, page, _) = key.shape, cache.shape
    fill[(slots.size(0),)](
        key, cache, slots, size, {page}, key.stride(0), cache.stride(0), cache.stride(1),
        B=triton.next_power_of_2(size),
    )
"""


def test_slots_that_the_caller_gives_are_its_to_keep() -> None:
    assert not codes(PAGES.format(page="page"))


def test_slots_that_the_host_makes_too_far_are_an_error() -> None:
    made = (
        "    cache, key = torch.zeros(4, 8, 16), torch.zeros(3, 16)\n    slots = torch.randint(0, 33, (3,))\n"
    )
    assert codes(PAGES.format(page="page").replace("    (_,", made + "    (_,")) & {"GL102"}


FILLED = """@triton.jit
def fill(out, n, ld, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    tl.store(out + row * ld + c, row, mask=c < n)


def run(x, y, w):
    out = torch.empty(y.shape[0], y.shape[1], device=y.device)
    n, ld = x.shape[1], {rows}.shape[1]
    fill[(y.shape[0],)](out, n, ld, B=triton.next_power_of_2(n))
"""


@pytest.mark.parametrize(("rows", "wrong"), [("y", False), ("w", True)])
def test_whose_rows_an_output_is_stored_with(rows: str, wrong: bool) -> None:
    assert bool(codes(FILLED.format(rows=rows)) & {"GL301"}) is wrong
