"""The clauses by which a mask leaves no lane out, held against brute force over small launches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import pytest

from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.interp import ConcreteArray, ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.ir.nodes import Kernel
from gpulint.solver import general
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import UNDECIDED, UNDER, KernelResult, Verdict
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.resolve import Project
from tests.fuzz.check import admitted

HEAD = """import triton
import triton.language as tl


@triton.jit
def k(x, y, out, n, m, B: tl.constexpr):
    pid = tl.program_id(0)
    o = tl.arange(0, B)
"""
GRID = """    v = tl.load(x + pid * B + o, mask=pid * B + o < n)
    tl.store(out + pid, tl.sum(v))
"""
LOOP = """    acc = tl.zeros((B,), dtype=tl.int32)
    for i in range(0, n, B):
        acc += tl.load(x + i + o, mask=i + o < n)
    tl.store(out + pid, tl.sum(acc))
"""
FROM = LOOP.replace("range(0, n, B)", "range(m, n, B)").replace(
    "    acc = ", "    tl.assume(m >= 0)\n    acc = "
)
COUNT = LOOP.replace("range(0, n, B)", "range(tl.cdiv(n, B))").replace("i + o", "i * B + o")
AHEAD = LOOP.replace("i + o", "i + o + 1")
WIDE = LOOP.replace("range(0, n, B)", "range(0, n, B // 2)")
SHORT = """    v = tl.load(x + o, mask=o < n)
    tl.store(out + pid, tl.max(v))
"""
ROWS = """    acc = tl.zeros((B, 4), dtype=tl.int32)
    c = tl.arange(0, 4)
    for i in range(0, n, B):
        at = (i + o)[:, None] * 4 + c[None, :]
        acc += tl.load(x + at, mask=((i + o) < n)[:, None] & (c < m)[None, :])
    tl.store(out + pid * 4 + c, tl.sum(acc, axis=0), mask=c < m)
"""


@cache
def decided(body: str) -> tuple[Kernel, tuple[Verdict, ...], KernelResult]:
    """The kernel, what is said for any parameters, and what is said in all."""
    project, module = Project(), load_text(HEAD + body, "kernel.py")
    project.add(module)  # type: ignore[arg-type]
    (source,) = find(module, project)  # type: ignore[arg-type]
    kernel = lower(source, project)
    accesses = analyse(kernel)
    first = general.decide(Setting(kernel, accesses, Options(), ()))
    return kernel, tuple(first.verdicts), decide(kernel, accesses, (), Options())


def about_lanes(body: str) -> list[Verdict]:
    return [v for v in decided(body)[1] if v.obligation.lanes is not None]


@pytest.mark.parametrize(
    ("body", "clause"),
    [
        (GRID, "B * grid.x <= n"),
        (LOOP, "n % B == 0"),
        (FROM, "(n - m) % B == 0"),
        (COUNT, "n % B == 0"),
        (SHORT, "B <= n"),
        (ROWS, "n % B == 0"),
    ],
    ids=["grid", "loop", "from", "count", "short", "rows"],
)
def test_what_leaves_no_lane_out_is_a_clause(body: str, clause: str) -> None:
    (v,) = about_lanes(body)
    assert v.kind == UNDER and clause in map(str, v.clauses)


@pytest.mark.parametrize("body", [AHEAD, WIDE], ids=["ahead", "wide"])
def test_steps_that_never_end_with_the_mask_have_no_such_clause(body: str) -> None:
    assert [v.kind for v in about_lanes(body)] == [UNDECIDED]


@pytest.mark.parametrize("body", [GRID, LOOP, COUNT], ids=["grid", "loop", "count"])
def test_a_usual_launch_that_breaks_it_is_told_all_the_same(body: str) -> None:
    assert decided(body)[2].status == "refuted"


def launches() -> Iterator[ConcreteLaunch]:
    for grid, n, m, b in itertools.product((1, 2, 3), (1, 2, 3, 4, 6, 8), (0, 1, 2, 4), (1, 2, 4)):
        arrays = {a: ConcreteArray((64,), lambda i: i[0], dtype="int32") for a in ("x", "y", "out")}
        yield ConcreteLaunch((grid, 1, 1), (1, 1, 1), arrays, {"n": n, "m": m, "B": b})


@pytest.mark.parametrize(
    "body", [GRID, LOOP, FROM, COUNT, SHORT, ROWS], ids=["grid", "loop", "from", "count", "short", "rows"]
)
def test_no_launch_within_the_clauses_uses_a_lane_that_is_left_out(body: str) -> None:
    kernel, _, result = decided(body)
    (v,) = about_lanes(body)
    kept = broken = 0
    for launch in launches():
        used = bool(run(kernel, launch).of("undefined-lane"))
        within = admitted(v, result, kernel, launch)
        assert not (used and within), launch.scalars
        kept, broken = kept + within, broken + used
    assert kept > 3 and broken > 3
