"""Contracts that tie the whole launch to the data take the place of a guard."""

from __future__ import annotations

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.solver.decide import decide
from gpulint.solver.options import Options


def status(*clauses: str) -> str:
    said = "\n".join(f"# gpulint: requires {c}" for c in clauses)
    k = kernel(f"{said}\n@cuda.jit\ndef k(out):\n    out[cuda.grid(1)] = 1\n")
    return decide(k, analyse(k), (), Options()).status


@pytest.mark.parametrize(
    "clauses",
    [
        ("grid.x * block.x == out.size",),
        ("grid.x * block.x <= out.size",),
        ("block == (64, 1, 1)", "grid.x * 64 == out.size"),
        ("block.x == 64", "64 * grid.x < out.size"),
        ("grid.x == 3", "3 * block.x <= out.size"),
    ],
)
def test_an_exact_launch_needs_no_guard(clauses: tuple[str, ...]) -> None:
    assert status(*clauses) == "verified"


@pytest.mark.parametrize(
    "clauses",
    [
        ("grid.x * block.x <= out.size + 1",),
        ("block == (65, 1, 1)", "grid.x * 64 == out.size"),
        ("block.x <= 64", "64 * grid.x <= out.size + 64"),
        ("block.y == 64", "64 * grid.x <= out.size"),
        ("grid.x == 4", "3 * block.x <= out.size"),
    ],
)
def test_a_launch_that_is_too_large_is_not_verified(clauses: tuple[str, ...]) -> None:
    assert status(*clauses) != "verified"
