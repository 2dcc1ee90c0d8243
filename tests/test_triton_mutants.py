"""The kernels everyone knows, each with one thing left out: refuted with a launch that was replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpulint import pipeline
from gpulint.config import Config

RIGHT = Path(__file__).resolve().parent.parent / "examples" / "triton" / "right"
MUTANTS = [
    ("softmax", "top / tl.sum(top, axis=0), mask=mask)", "top / tl.sum(top, axis=0))"),
    ("softmax", 'mask=mask, other=-float("inf"))', "mask=mask)"),
    ("softmax", "y_ptr + row * stride_y + cols", "y_ptr + cols"),
    ("dropout", "kept, x / (1 - p), 0.0), mask=mask)", "kept, x / (1 - p), 0.0))"),
    ("dropout", "tl.program_id(0) * BLOCK + tl.arange", "tl.program_id(0) + tl.arange"),
    ("layer_norm", "dw_ptr + part * N + cols", "dw_ptr + cols"),
    ("layer_norm", "(rows[:, None] < P) & (cols[None, :] < N)", "cols[None, :] < N"),
    ("layer_norm", "mean) * rstd * w + b, mask=mask)", "mean) * rstd * w + b)"),
    (
        "layer_norm",
        "row = part * ROWS + k\n        if row < M:",
        "row = part * ROWS + k\n        if row <= M:",
    ),
    ("flash_attention", "dims[None, :], o, mask=rows[:, None] < T)", "dims[None, :], o)"),
    ("flash_attention", "o_ptr + base + rows", "o_ptr + rows"),
    ("flash_attention", "lse_ptr + head * T + rows", "lse_ptr + rows"),
    ("flash_attention", "mask=cols[:, None] < T, other=0.0)", "mask=cols[:, None] < T)"),
    ("rms_norm", "mask=mask, other=0.0).to(tl.float32)", "mask=mask).to(tl.float32)"),
    ("rms_norm", "x * rstd * w, mask=mask)", "x * rstd * w)"),
    ("cross_entropy", 'cols < n_cols, other=-float("inf"))', "cols < n_cols)"),
    ("cross_entropy", "tl.store(loss_ptr + row, tl.log", "tl.store(loss_ptr, tl.log"),
    ("matmul_descriptor", "c_ptr, shape=[M, N], strides=[N, 1]", "c_ptr, shape=[M, N], strides=[K, 1]"),
    ("grouped_gemm", "mask = (rows < last)[:, None] & (cols < N)[None, :]", "mask = (cols < N)[None, :]"),
    ("matmul_grouped", "mask = (rows < M)[:, None] & (cols < N)[None, :]", "mask = (cols < N)[None, :]"),
    ("matmul_grouped", "min(tiles_m - first, GROUP)", "GROUP"),
    ("matmul_grouped", "in_group) // size", "in_group) // GROUP"),
    ("matmul_grouped", "(pid // in_group) * GROUP", "(pid // tiles_n) * GROUP"),
    ("matmul_persistent", "range(tl.program_id(0), tiles_m *", "range(tl.program_id(0) + 1, tiles_m *"),
    ("matmul_persistent", "range(tl.program_id(0), tiles_m * tiles_n", "range(tl.program_id(0), tiles_m"),
    ("matmul_persistent", "mask = (rows < M)[:, None] & (cols < N)[None, :]", "mask = (rows < M)[:, None]"),
    ("matmul_persistent", "tile_n = (tile % in_group) // size", "tile_n = (tile % in_group) // GROUP"),
    (
        "rope",
        "first + HALF, b * cos[None, :] + a * sin[None, :], mask=mask)",
        "first + HALF, b * cos[None, :])",
    ),
    ("rope", "token.to(tl.int64) * H * (2 * HALF)", "token.to(tl.int64) * H * HALF"),
    ("paged_attention", "(request * H + head) * D + dims, acc / total", "request * D + dims, acc / total"),
    ("paged_attention", "v_ptr + at, mask=there[:, None], other=0.0)", "v_ptr + at, mask=there[:, None])"),
    ("paged_attention", "range(tl.cdiv(length, PAGE))", "range(tl.cdiv(length, PAGE) + 1)"),
    ("grouped_gemm", "cols[None, :], acc, mask=mask)", "cols[None, :], acc)"),
]


@pytest.mark.parametrize(("name", "old", "new"), MUTANTS)
def test_a_mutant_is_refuted_with_a_replayed_witness(name: str, old: str, new: str) -> None:
    text = (RIGHT / f"{name}.py").read_text(encoding="utf-8")
    assert old in text
    report = pipeline.check_file(text.replace(old, new), f"{name}.py", Config())
    assert "refuted" in {k.status for k in report.kernels}
    errors = [f for f in report.findings if f.severity == "error"]
    assert errors and all(f.witness is not None and f.witness.replayed for f in errors)
