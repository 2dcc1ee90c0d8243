"""Accesses of one form in different loops, and the order of lanes of one program under clauses."""

from __future__ import annotations

import itertools

import pytest

from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import PROGRAM, PROVED, UNDER, Verdict
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project
from gpulint.term import holds, symbols

ROWS = """
import triton
import triton.language as tl

@triton.jit
def k(out, label, stride, n, rows, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        if tl.load(label + row) == 0:
            for i in range(0, n, BLOCK):
                c = i + tl.arange(0, BLOCK)
                tl.store(out + row * stride + c, 0.0, mask=c < n)
        else:
            for j in range(0, n, BLOCK):
                c = j + tl.arange(0, BLOCK)
                tl.store(out + row * stride + c{shift}, 1.0, mask=c < n{more})
"""
HALVES = """
import triton
import triton.language as tl

@triton.jit
def k(x, stride, head, heads, half, BLOCK: tl.constexpr):
    row = x + tl.program_id(0) * stride
    for h in range(0, heads):
        i = tl.arange(0, BLOCK)
        low = row + h * head + i
        high = row + h * head + i + {half}
        a = tl.load(low, mask=i < half)
        b = tl.load(high, mask=i < half)
        tl.store(low, a - b, mask=i < half)
        tl.store(high, a + b, mask=i < half)
"""


def races(text: str) -> list[Verdict]:
    module = load_text(text, "k.py")
    assert isinstance(module, Module)
    project = Project()
    kernel = lower(find(module, project)[0], project)
    found = decide(kernel, analyse(kernel), (), Options()).verdicts
    return [v for v in found if v.obligation.property == "disjoint"]


def decided(found: list[Verdict]) -> bool:
    return all(v.kind in (PROVED, UNDER) for v in found)


def test_a_row_that_either_of_two_loops_stores() -> None:
    found = races(ROWS.format(shift="", more=""))
    assert decided(found)
    assert "n <= stride" in {str(c) for v in found for c in v.clauses}
    assert any(v.obligation.scope == PROGRAM for v in found)  # rows of one program too


@pytest.mark.parametrize(("shift", "more"), [(" + 1", ""), ("", " + 1"), (" - 1", ""), (" + stride", "")])
def test_clauses_leave_no_room_for_a_loop_that_goes_further(shift: str, more: str) -> None:
    """Whatever is decided holds on small launches that meet the clauses, by trying them all."""
    found = races(ROWS.format(shift=shift, more=more))
    for v in found:
        if v.kind not in (PROVED, UNDER) or v.obligation.access is v.obligation.other:
            continue
        for stride, n, grid, trips in itertools.product(range(5), range(5), (1, 2, 3), (1, 2)):
            env = {"stride": stride, "n": n, "grid.x": grid, "rows": grid * trips, "BLOCK": 2}
            if meets(v, env):
                one = v.obligation.scope == PROGRAM
                assert apart(shift, more, env, one), ([str(c) for c in v.clauses], env)


def meets(v: Verdict, env: dict[str, int]) -> bool:
    """Whether a launch meets the clauses; sizes of arrays are large enough for any."""
    for c in v.clauses:
        if c.predicate:
            continue
        names = {x: name(str(x)) for x in symbols(c.condition)}
        if not holds(c.condition, {x: env.get(y, 1 if "grid" in y else 10_000) for x, y in names.items()}):
            return False
    return True


def name(text: str) -> str:
    return text.replace("gridDim", "grid")


def apart(shift: str, more: str, env: dict[str, int], one: bool) -> bool:
    """Whether no two rows, one of each loop, share an element: rows of one program, or of two."""
    n, stride, programs = env["n"], env["stride"], env["grid.x"]
    by = {"": 0, " + 1": 1, " - 1": -1, " + stride": stride}[shift]
    first = [{r * stride + c for c in range(n)} for r in range(env["rows"])]
    second = [{r * stride + c + by for c in range(n + bool(more))} for r in range(env["rows"])]
    pairs = ((i, j) for i in range(env["rows"]) for j in range(env["rows"]) if i != j)
    return not any(first[i] & second[j] for i, j in pairs if (i % programs == j % programs) == one)


def test_halves_of_rows_that_a_program_changes_in_place() -> None:
    found = races(HALVES.format(half="half"))
    assert decided(found)
    assert "2 * half <= head" in {str(c) for v in found for c in v.clauses}


@pytest.mark.parametrize("half", ["half - 1", "1"])
def test_halves_that_overlap_are_not_excused(half: str) -> None:
    assert not decided(races(HALVES.format(half=half)))
