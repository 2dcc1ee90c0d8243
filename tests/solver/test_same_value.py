"""Writes of one value are no conflict, writes of values that may differ are; warp barriers, masks."""

from __future__ import annotations

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.solver import convergence
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER, Verdict

HEAD = "@cuda.jit\ndef k(x, y, n):\n    i = cuda.grid(1)\n    t = cuda.threadIdx.x\n"


def disjoint(body: str) -> bool:
    k = kernel(HEAD + "".join(f"    {row}\n" for row in body.split("\n")))
    result = decide(k, analyse(k), (), Options())
    found = [v for v in result.verdicts if v.obligation.property == "disjoint"]
    return all(v.kind == PROVED or (v.kind == UNDER and clauses(v) == {"launched in 1-D"}) for v in found)


def clauses(v: Verdict) -> set[str]:
    return {c.text for c in v.clauses}


@pytest.mark.parametrize("value", ["1", "0.5", "n", "n * 2", "y[0]", "y[n] * 0.5", "7 if n > 3 else n"])
def test_one_value(value):
    assert disjoint(f"x[0] = {value}")


@pytest.mark.parametrize(
    "value", ["i", "t", "cuda.blockIdx.x", "y[i]", "y[t] * 0.5", "x[1]", "t // 64", "x[0] + 1"]
)
def test_values_that_may_differ(value):
    assert not disjoint(f"x[0] = {value}")


def test_the_value_of_the_place():
    assert disjoint("x[t] = t")
    assert not disjoint("x[t] = t + cuda.blockIdx.x")


def test_two_statements():
    assert disjoint("if t > 3:\n    x[0] = n\nelse:\n    x[0] = n")
    assert not disjoint("if t > 3:\n    x[0] = n\nelse:\n    x[0] = n + 1")


def test_a_reader_of_what_all_write_is_a_conflict():
    assert not disjoint("x[0] = 1\ny[i] = x[0]")


def convergent(body: str) -> bool:
    k = kernel(HEAD + "".join(f"    {row}\n" for row in body.split("\n")))
    s = Setting(k, analyse(k), Options())
    return all(convergence.again(s, o).kind == PROVED for o in convergence.obligations(s))


@pytest.mark.parametrize(
    ("condition", "mask", "met"),
    [
        ("t < 32", "", True), ("t // 32 == 1", "", True), ("t < 16", "", False), ("t < n", "", False),
        ("t < 16", "0xFFFF", True), ("t < 17", "0xFFFF", False), ("t < 8", "0xFFFF", False),
        ("n > 3", "0xFFFFFFFF", True), ("n > 3", "0xFFFF", False), ("t < 32", "0x00FF00FF", False),
    ],
)  # fmt: skip
def test_a_warps_barrier_is_met_by_the_lanes_of_its_mask(condition, mask, met):
    assert convergent(f"if {condition}:\n    cuda.syncwarp({mask})") is met
