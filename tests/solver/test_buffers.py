"""Shared memory of pipelined operands: told where it is certain, and nowhere else."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

GEMM = """import torch
import triton
import triton.language as tl


{tuned}@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, M, N, K, sa, sb, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in {loop}:
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + {rows}, mask=(rm < M)[:, None] & (rk < K)[None, :], other=0.0)
        m = (rk < K)[:, None] & (rn < N)[None, :]
        b = tl.load(b_ptr + rk[:, None] * sb + rn[None, :], mask=m, other=0.0)
        acc = tl.dot({left}, b, acc)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


def run(a, b, {given}):
    M, K = a.shape
    N = b.shape[1]
    assert b.shape[0] == K and a.dtype == {dtype} and b.dtype == {dtype}
    a, b = a.contiguous(), b.contiguous()
    c = torch.empty((M, N), device=a.device, dtype=torch.float32)
    grid = (triton.cdiv(M, {bm}), triton.cdiv(N, {bn}))
    gemm[grid](a, b, c, M, N, K, {sa}, b.stride(0){meta}{stages})
    return c
"""
CONFIG = "triton.Config({'BM': 128, 'BN': 256, 'BK': 128}, num_stages=4)"
TUNED = f"@triton.autotune(configs=[{CONFIG}], key=['M'])\n"
FINE = {
    "loop": "range(0, K, BK)", "rows": "rm[:, None] * sa + rk[None, :]", "left": "a",
    "dtype": "torch.float16", "bm": "128", "bn": "256", "bk": "128", "sa": "a.stride(0)",
    "stages": ", num_stages=4", "tuned": "", "given": "x=0",
}  # fmt: skip


def codes(**changes: str) -> set[str]:
    given = {**FINE, **changes}
    meta = "" if given["tuned"] else f", BM={given['bm']}, BN={given['bn']}, BK={given['bk']}"
    report = pipeline.check_file(GEMM.format(**given, meta=meta), "kernel.py", Config())
    assert len(report.kernels) == 1
    return {f.code for f in report.findings if f.severity == "error"}


@pytest.mark.parametrize(
    "changes",
    [
        {}, {"dtype": "torch.float32", "bk": "64"}, {"stages": ", num_stages=6", "bk": "64"},
        {"bn": "512", "bk": "64"},
    ],
    ids=str,
)  # fmt: skip
def test_operands_that_no_device_can_buffer(changes: dict[str, str]) -> None:
    assert codes(**changes) == {"GL507"}


@pytest.mark.parametrize(
    "changes",
    [
        {"bk": "64"}, {"stages": ""}, {"stages": ", num_stages=1"}, {"stages": ", num_stages=3"},
        {"dtype": "torch.int8"}, {"loop": "tl.range(0, K, BK, num_stages=2)"}, {"left": "a * 2"},
        {"loop": "tl.static_range(0, 512, BK)"}, {"rows": "rm[:, None] * sa + rm[None, :]"},
        {"stages": ", num_stages=x"},
        {"tuned": TUNED, "stages": "", "bm": "1", "bn": "1"},
    ],
    ids=str,
)  # fmt: skip
def test_what_may_fit_is_not_told(changes: dict[str, str]) -> None:
    assert "GL507" not in codes(**changes)
