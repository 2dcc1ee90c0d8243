"""Grouped tiles, stores of one row in parts, and launch sizes: proved for any parameters, held to runs."""

from __future__ import annotations

import random
from functools import cache

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.interp import ConcreteArray, ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.ir.nodes import Kernel
from gpulint.solver import general
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER, KernelResult
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.resolve import Project
from tests.fuzz.check import admitted, contradictions

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
GROUPED = """def k(c, M, N, sm, sn, BM: tl.constexpr, BN: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    rows, cols = tl.cdiv(M, BM), tl.cdiv(N, BN)
    width = G * cols
    group = pid // width
    size = min(rows - group * G, G)
    m = group * G + (pid % width) % size
    n = (pid % width) // size
    rm = m * BM + tl.arange(0, BM)
    rn = n * BN + tl.arange(0, BN)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    tl.store(c + rm[:, None] * sm + rn[None, :] * sn, pid, mask=mask)
"""
TURNED = GROUPED.replace("(pid % width) % size", "pid % size")
HALVES = """def k(c, stride, n, B: tl.constexpr):
    row = c + tl.program_id(0) * stride
    i = tl.arange(0, B)
    tl.store(row + i, 1, mask=i < n)
    tl.store(row + n + i, 2, mask=i < n)
"""
ROUNDED = """def k(c, n):
    each = (n + tl.num_programs(0) - 1) // tl.num_programs(0)
    start = tl.program_id(0) * each
    for i in range(start, tl.minimum(start + each, n)):
        tl.store(c + i, start)
"""
KERNELS = [GROUPED, TURNED, HALVES, ROUNDED]
MUTANTS = [
    GROUPED.replace("% width) // size", "% width) // G"), GROUPED.replace("group * G + (", "("),
    TURNED.replace("pid % size", "(pid // 2) % size"),
    TURNED.replace("pid // width", "pid // (width + 1)"), HALVES.replace("row + n + i", "row + n // 2 + i"),
]  # fmt: skip


@cache
def decided(text: str) -> tuple[Kernel, KernelResult]:
    project, module = Project(), load_text(HEAD + text, "kernel.py")
    project.add(module)  # type: ignore[arg-type]
    (source,) = find(module, project)  # type: ignore[arg-type]
    kernel = lower(source, project)
    r = general.decide(Setting(kernel, analyse(kernel), Options()))
    return kernel, KernelResult(tuple(r.verdicts), (), "", (), r.inferred)


def contract(text: str) -> list[str]:
    return [str(c) for c in decided(text)[1].inferred]


@pytest.mark.parametrize("text", KERNELS, ids=["grouped", "turned", "halves", "rounded"])
def test_right_kernels_are_verified_for_any_parameters(text: str) -> None:
    assert all(v.kind in (PROVED, UNDER) for v in decided(text)[1].verdicts)


@pytest.mark.parametrize("text", [GROUPED, TURNED], ids=["grouped", "turned"])
def test_the_contract_asks_for_tiles_rows_and_no_more(text: str) -> None:
    assert "grid.x <= ((BM + M - 1) // BM) * ((BN + N - 1) // BN)" in contract(text)
    assert "N * sn < sm + sn" in contract(text)
    strides = [c for c in contract(text) if "sm" in c and "c.size" not in c and "2147483647" not in c]
    assert sorted(strides) == ["N * sn < sm + sn", "sm >= 0"]


def test_halves_of_a_row_need_rows_of_both() -> None:
    assert "2 * n <= stride" in contract(HALVES)


def drawn(kernel: Kernel, draw: random.Random) -> ConcreteLaunch:
    """A small launch: rows one after the other mostly, sometimes with gaps or over each other."""
    n, size = draw.randint(1, 5), {"BM": 2, "BN": draw.choice([1, 2]), "B": 4}
    scalars = {"M": draw.randint(1, 5), "N": n, "n": draw.randint(0, 5), "G": draw.choice([1, 2, 3]), **size}
    scalars |= {"sn": draw.choice([1, 1, 1, 2]), "sm": draw.choice([n, n, n + 1, 2 * n, 1])}
    scalars["stride"] = draw.choice([2, 1, 2, 3]) * max(1, scalars["n"])
    given = {p.name: scalars[p.name] for p in kernel.params if not p.is_array}
    tiles = -(-scalars["M"] // 2) * -(-n // size["BN"])
    programs = draw.choice([tiles, tiles, tiles + 1, max(1, tiles - 1)])
    c = ConcreteArray((60,), lambda i: 0, dtype="int32")
    return ConcreteLaunch((programs, 1, 1), (1, 1, 1), {"c": c}, given)


@pytest.mark.parametrize("text", [*KERNELS, *MUTANTS])
def test_no_launch_within_the_clauses_breaks_what_they_prove(text: str) -> None:
    kernel, result = decided(text)
    draw = random.Random(3)
    kept = 0
    for _ in range(30):
        launch = drawn(kernel, draw)
        assert not contradictions(result, kernel, [(launch, run(kernel, launch))])
        kept += all(admitted(v, result, kernel, launch) for v in result.verdicts)
    assert kept > 2 or text in MUTANTS


@pytest.mark.parametrize("text", MUTANTS)
def test_tiles_that_meet_are_not_proved_apart(text: str) -> None:
    apart = [v for v in decided(text)[1].verdicts if v.obligation.property == "disjoint"]
    assert any(v.kind not in (PROVED, UNDER) for v in apart)


SPLIT = """def k(x, out, n, PARTS: tl.constexpr, B: tl.constexpr):
    which = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    if {guard}:
        tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


def run(x, parts, pick):
    out = torch.zeros_like(x)
    k[(triton.cdiv(x.numel(), 64), pick(parts))](x, out, x.numel(), PARTS=parts, B=64)
    return out
"""


@pytest.mark.parametrize(
    ("guard", "clause"),
    [("which != 0", "grid.y <= 2"), ("PARTS == 1", "grid.y <= 1 or PARTS != 1"), ("n > 0", "grid.y <= 1")],
)
def test_a_launch_in_view_has_one_program_where_the_store_does_not_tell_them(guard: str, clause: str) -> None:
    text = "import torch\n" + HEAD + SPLIT.replace("{guard}", guard)
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert clause in kernel.inferred
    assert kernel.status == "undecided"  # the launch has that to show
    apart = [o for o in kernel.obligations if o.property == "disjoint"]
    assert all(o.verdict in (PROVED, UNDER) for o in apart)
