"""Outputs that are written in full if the caller keeps a relation of its inputs: what is said suffices."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.report.model import FileReport, ObligationReport

TEXT = """import torch
import triton
import triton.language as tl


@triton.jit
def k(x, out, n, s, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    tl.store(out + r * s + c, 0.0, mask={mask})


def run(x, y):
    _, n = x.shape
    rows, columns = y.shape
    out = torch.empty({shape}, device=x.device)
    k[{grid}](x, out, n, out.stride(0), B=4)
    return out
"""
INSIDE = "c < n"


def check(shape: str, grid: str, mask: str = INSIDE) -> FileReport:
    return pipeline.check_file(TEXT.format(shape=shape, grid=grid, mask=mask), "kernel.py", Config())


def covered(shape: str, grid: str, mask: str = INSIDE) -> ObligationReport:
    (found,) = [o for k in check(shape, grid, mask).kernels for o in k.obligations if o.property == "covered"]
    return found


def written(shape: tuple[int, int], grid: tuple[int, int], n: int) -> bool:
    return shape[0] <= grid[0] and shape[1] <= min(n, grid[1] * 4)


@pytest.mark.parametrize(
    ("shape", "grid"),
    [
        ("(y.shape[0], n)", "(x.shape[0], triton.cdiv(n, 4))"),
        ("(x.shape[0], y.shape[1])", "(x.shape[0], triton.cdiv(n, 4))"),
        ("(x.shape[0], n)", "(x.shape[0], triton.cdiv(y.shape[1], 4))"),
        ("(y.shape[0] // n, n)", "(x.shape[0], triton.cdiv(n, 4))"),
        ("(2 * y.shape[0], y.shape[1])", "(x.shape[0], triton.cdiv(n, 4))"),
    ],
)
def test_the_clauses_of_a_launch_suffice(shape: str, grid: str) -> None:
    found = covered(shape, grid)
    own = [c for c in found.clauses if ".shape" in c]
    assert found.verdict == "proved-under" and own
    met = 0
    for sizes in itertools.product(range(1, 6), repeat=4):
        x, y = SimpleNamespace(shape=sizes[:2]), SimpleNamespace(shape=sizes[2:])
        names = {"x": x, "y": y, "n": sizes[1], "triton": SimpleNamespace(cdiv=lambda a, b: -(-a // b))}
        if all(eval(c, {}, {**names, "max": max, "min": min}) for c in own):
            met += 1
            assert written(eval(shape, {}, names), eval(grid, {}, names), sizes[1]), (sizes, own)
    assert met > 20


def test_a_clause_of_one_launch_is_no_clause_of_the_kernel() -> None:
    (kernel,) = check("(y.shape[0], n)", "(x.shape[0], triton.cdiv(n, 4))").kernels
    assert not any("y.shape" in c for c in kernel.inferred)
    assert [s.status for s in kernel.sites] == ["undecided"] and kernel.status == "undecided"


def test_what_one_input_leaves_out_is_still_a_gap() -> None:
    report = check("(x.shape[0], n)", "(x.shape[0] - 1, triton.cdiv(n, 4))")
    assert "GL602" in {f.code for f in report.findings}


def test_a_relation_of_two_inputs_is_no_fault_of_the_launch() -> None:
    """The smallest launch breaks `2 * y.shape[0] <= x.shape[0]`, which callers keep all the same."""
    report = check("(2 * y.shape[0], n)", "(x.shape[0], triton.cdiv(n, 4))")
    assert "GL602" not in {f.code for f in report.findings}


@pytest.mark.parametrize("mask", ["c + 1 < n", "c < 8", "(c < n) & (r > 0)"])
def test_no_relation_makes_up_for_a_mask_that_leaves_elements_out(mask: str) -> None:
    """Not `n <= 8` either: a number caps a size, which is nothing that callers keep."""
    assert covered("(y.shape[0], n)", "(x.shape[0], triton.cdiv(n, 4))", mask).verdict != "proved-under"


HEADS = """import torch
import triton
import triton.language as tl

@triton.jit
def k(x, out, T, C, H, N, B: tl.constexpr, ROW: tl.constexpr):
    at = tl.program_id(0) * ROW
    for i in range(0, H):
        offs = at + i * N + tl.arange(0, B)
        v = tl.load(x + offs, mask=offs < T * C, other=0.0)
        tl.store(out + offs, v, mask=(offs < T * C) & (offs >= FIRST))

def f(x: torch.Tensor, H: int, N: int):
    if x.dim() == 1:
        T = 1
        C = x.shape[0]
    else:
        T, C = x.shape
    out = torch.empty_like(x)
    row = 1 * C
    grid = lambda meta: (triton.cdiv(T * C, row),)
    k[grid](x, out, T, C, H, N, triton.next_power_of_2(N), row)
    return out
"""


@pytest.mark.parametrize(("first", "fault"), [("0", False), ("1", True)])
def test_no_rounds_at_all_are_no_launch_that_leaves_elements_out(first: str, fault: bool) -> None:
    """`H` of zero fills nothing; that `H` heads of `N` fill a row is for callers to see to."""
    text = HEADS.replace("FIRST", first)
    codes = {f.code for f in pipeline.check_file(text, "kernel.py", Config()).findings}
    assert ("GL602" in codes) == fault
