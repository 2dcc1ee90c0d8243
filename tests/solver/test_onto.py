"""Scatters through permutations cover their output; through anything less they are not said to."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

SCATTER = """import torch
import triton
import triton.language as tl


@triton.jit
def scatter(x, dest, out, {extra}D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    to = tl.load(dest + row)
    tl.store(out + {at}, tl.load(x + row * D + d){mask})


def run(x):
    n, D = x.shape
    assert D in (16, 32, 64)
    x = x.contiguous()
    dest = {made}
    out = torch.empty(({rows}, D), device=x.device, dtype=x.dtype)
    scatter[({grid},)](x, dest, out, D=D)
    return out
"""
FINE = {
    "made": "torch.randperm(n, device=x.device)", "rows": "n", "grid": "n", "at": "to * D + d", "mask": "",
    "extra": "",
}  # fmt: skip


def status(**changes: str) -> str:
    report = pipeline.check_file(SCATTER.format(**{**FINE, **changes}), "kernel.py", Config())
    return report.kernels[0].status


@pytest.mark.parametrize(
    "changes",
    [{}, {"made": "torch.randperm(n, device=x.device).to(torch.int32)"}],
    ids=str,
)
def test_a_permutation_names_every_row(changes: dict[str, str]) -> None:
    assert status(**changes) == "verified"


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": "n + 1"}, {"grid": "max(n - 1, 1)"}, {"made": "torch.randint(0, n, (n,))"},
        {"made": "torch.randperm(2 * n)", "rows": "2 * n"}, {"at": "(to + row) * D + d", "rows": "2 * n"},
        {"mask": ", mask=d < D - 1"}, {"mask": ", mask=row + d >= 1"},
    ],
    ids=str,
)  # fmt: skip
def test_less_than_a_permutation_leaves_it_open(changes: dict[str, str]) -> None:
    assert status(**changes) != "verified"
