"""Persistent loops: tiles in place of programs and turns."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
WALK = """@triton.jit
def fill(out, M, N, BLOCK: tl.constexpr):
    across = tl.cdiv(N, BLOCK)
    for tile in range({start}, M * across, {step}):
        cols = {col} * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + {row} * N + cols, 1.0, mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty((M, N), device=x.device)
    fill[(min(M * triton.cdiv(N, 32), {most}),)](out, M, N, BLOCK=32)
    return out
"""
PROCESSORS = "torch.cuda.get_device_properties(x.device).multi_processor_count"
RIGHT = {"start": "tl.program_id(0)", "step": "tl.num_programs(0)", "row": "(tile // across)",
         "col": "(tile % across)", "most": "96"}  # fmt: skip


def status(**changed: str) -> str:
    text = HEAD + WALK.format(**{**RIGHT, **changed})
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    return kernel.status


@pytest.mark.parametrize(
    "changed",
    [{}, {"most": "1"}, {"row": "(tile % M)", "col": "(tile // M)"}, {"most": PROCESSORS}],
)  # fmt: skip
def test_a_persistent_walk_over_rows_and_columns_is_verified(changed: dict[str, str]) -> None:
    assert status(**changed) == "verified"


@pytest.mark.parametrize(
    "changed",
    [
        {"start": "tl.program_id(0) + 1"}, {"step": "(tl.num_programs(0) + 1)"}, {"step": "1"},
        {"row": "(tile // across + 1)"}, {"col": "(tile // M)"}, {"col": "(tile % M)"},
        {"row": "(tile // (across + 1))"},
    ],
    ids=str,
)  # fmt: skip
def test_a_walk_that_skips_or_repeats_is_not(changed: dict[str, str]) -> None:
    assert status(**changed) != "verified"
