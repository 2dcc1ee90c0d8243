"""Clauses on the elements of index arrays together, held against brute force over random contents."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.contract.clause import QUANTIFIED
from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.interp import ConcreteArray, ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.ir.nodes import Kernel
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import KernelResult
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.resolve import Project
from tests.fuzz.check import admitted, contradictions

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"

GATHER = """def k(x, y, rows, stride, n, B: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.load(rows + 2 * pid) * stride + tl.load(rows + 2 * pid + 1)
    c = tl.arange(0, B)
    tl.store(y + pid * B + c, tl.load(x + at + c, mask=c < n, other=0), mask=c < n)
"""
RAGGED = """def k(x, y, cu, ci, T, H, K: tl.constexpr, BT: tl.constexpr, VAR: tl.constexpr):
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    if VAR:
        n = tl.load(ci + 2 * i_t)
        i_t = tl.load(ci + 2 * i_t + 1)
        bos = tl.load(cu + n)
        T = tl.load(cu + n + 1) - bos
    else:
        bos = i_b * T
    t = i_t * BT + tl.arange(0, BT)
    k = tl.arange(0, K)
    at = ((bos + t) * H + i_h)[:, None] * K + k[None, :]
    m = ((t >= 0) & (t < T))[:, None]
    tl.store(y + at, tl.load(x + at, mask=m, other=0.0), mask=m)
"""
PACKED = """def k(x, y, start, count, stride, B: tl.constexpr):
    seq, page = tl.program_id(0), tl.program_id(1)
    n = tl.load(count + seq)
    t = page * B + tl.arange(0, B)
    at = tl.load(start + seq) + t
    tl.store(y + at * stride, tl.load(x + seq * 16 + t, mask=t < n, other=0), mask=t < n)
"""
ROWS = """def k(x, y, start, stride, n, lead, B: tl.constexpr):
    seq = tl.program_id(0)
    t = tl.arange(0, B)
    c = tl.arange(0, 4) - lead
    at = (tl.load(start + seq) + t)[:, None] * stride + c[None, :]
    inside = t < tl.load(start + seq + 1) - tl.load(start + seq)
    tl.store(y + at, seq, mask=inside[:, None] & (c < n)[None, :])
"""
PLAIN = ROWS.replace(" - lead", "")
POOLED = """def k(x, y, cu, ci, T, H, G, C: tl.constexpr, BT: tl.constexpr, VAR: tl.constexpr):
    pid, i_bh = tl.program_id(0), tl.program_id(1)
    i_c, i_t = pid % C, pid // C
    i_b, i_h = i_bh // H, i_bh % H
    if VAR:
        i_tg = i_t
        n = tl.load(ci + 2 * i_t)
        i_t = tl.load(ci + 2 * i_t + 1)
        bos = tl.load(cu + n)
        T = tl.load(cu + n + 1) - bos
    else:
        i_tg = i_b * tl.cdiv(T, BT) + i_t
        bos = i_b * T
    last = tl.minimum(i_t * BT + BT, T) - 1
    group = i_h // (H // G)
    tl.store(y + (i_tg * H + i_h) * C + i_c, tl.load(x + (bos + last) * G + group))
"""
STATES = """def k(x, y, z, cu, T, H, K, V, BK: tl.constexpr, BV: tl.constexpr, VAR: tl.constexpr):
    pid = tl.program_id(0)
    NV, NK = tl.cdiv(V, BV), tl.cdiv(K, BK)
    i_v, i_k, i_nh = pid % NV, (pid // NV) % NK, pid // (NV * NK)
    i_n, i_h = i_nh // H, i_nh % H
    if VAR:
        bos = tl.load(cu + i_n)
        T = tl.load(cu + i_n + 1) - bos
    else:
        bos = i_n * T
    v, k = i_v * BV + tl.arange(0, BV), i_k * BK + tl.arange(0, BK)
    for t in range(0, T):
        at = ((bos + t) * H + i_h) * V + v
        tl.store(y + at, tl.load(x + at, mask=v < V, other=0), mask=v < V)
    tl.store(z + (i_nh * K + k[:, None]) * V + v[None, :], pid, mask=(k < K)[:, None] & (v < V)[None, :])
"""
PAGED = """def k(x, y, rows, size, page, entry, B: tl.constexpr):
    pid = tl.program_id(0)
    slot = tl.load(rows + pid)
    if slot < 0:
        return
    c = tl.arange(0, B)
    at = (slot // size) * page + (slot % size) * entry + c
    tl.store(y + pid * B + c, tl.load(x + at))
"""
ROUTED = """def k(x, y, rows, tokens, top, stride, B: tl.constexpr):
    pid = tl.program_id(0)
    token = tl.load(rows + pid)
    c = tl.arange(0, B)
    at = token // top * stride + c
    tl.store(y + pid * B + c, tl.load(x + at, mask=(token < tokens) & (c < 4), other=0))
"""
RING = """def k(x, y, cu, count, ratio, stride, B: tl.constexpr):
    pid, t = tl.program_id(0), tl.program_id(1)
    n = min(tl.load(cu + pid + 1) - tl.load(cu + pid), ratio)
    if t >= n:
        return
    at = (tl.load(count + pid) - n + t) % ratio
    c = tl.arange(0, B)
    tl.store(y + (pid * 4 + t) * B + c, tl.load(x + at * stride + c))
"""
MIDDLE = """def k(x, y, cu, ci, K, BT: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    i_t = tl.load(ci + 2 * pid + 1)
    bos = tl.load(cu + tl.load(ci + 2 * pid))
    T = tl.load(cu + tl.load(ci + 2 * pid) + 1) - bos
    if i_t * BT >= T:
        return
    row = bos + i_t * BT + min(T - i_t * BT, BT) // 2
    c = tl.arange(0, B)
    tl.store(y + pid * B + c, tl.load(x + row * K + c, mask=c < K, other=0))
"""


STACK = """def k(x, y, row0, row1, row2, n0, n1, n2, B: tl.constexpr):
    which = tl.program_id(1)
    row = tl.where(which == 0, row0, tl.where(which == 2, row2, row1))
    n = tl.where(which == 0, n0, tl.where(which == 2, n2, n1))
    c = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + row + c, tl.load(x + c, mask=c < n, other=0), mask=c < n)
"""


@cache
def decided(text: str) -> tuple[Kernel, KernelResult]:
    project, module = Project(), load_text(HEAD + text, "kernel.py")
    project.add(module)  # type: ignore[arg-type]
    (source,) = find(module, project)  # type: ignore[arg-type]
    kernel = lower(source, project)
    return kernel, decide(kernel, analyse(kernel), (), Options())


def asked(text: str) -> list[str]:
    return [str(c) for c in decided(text)[1].inferred if c.predicate in QUANTIFIED]


def test_what_two_elements_ask_together() -> None:
    (clause,) = asked(GATHER)
    assert clause.startswith("all(") and clause.endswith(" <= x.size for pid_0 in range(grid.x))")
    assert decided(GATHER)[1].status == "verified"


def test_where_segments_of_programs_lie() -> None:
    (clause,) = asked(RAGGED)
    assert clause.startswith("apart((range(max(")
    assert clause.endswith("pid_1 % H,) for pid_0 in range(grid.x) for pid_1 in range(grid.y) if VAR)")
    assert decided(RAGGED)[1].status == "verified"


def test_programs_that_no_contents_tell_apart_are_not_asked_to_be() -> None:
    _, result = decided(RAGGED.replace("i_bh % H", "0"))
    assert result.status == "undecided"
    assert not any(c.predicate == "apart" for v in result.verdicts for c in v.clauses)


def test_one_row_for_each_chunk() -> None:
    result = decided(POOLED)[1]
    clauses = [str(c) for c in result.inferred]
    assert result.status == "verified"
    assert "not VAR or grid.y <= H" in clauses and "G <= H" in clauses
    last = "all(G <= G * cu[ci[2 * (pid_0 // C)] + 1] for pid_0 in range(grid.x) if VAR"
    assert any(c.startswith(last) for c in clauses)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(i_tg * H + i_h) * C + i_c", "(i_tg * H + i_h) * C"),
        ("(i_tg * H + i_h) * C + i_c", "(i_tg * H + i_h) + i_c"),
        ("i_tg * H + i_h", "i_tg * H"),
        ("i_tg = i_t\n", "i_tg = i_t // 2\n"),
    ],
)
def test_rows_that_chunks_share(right: str, wrong: str) -> None:
    assert right in POOLED
    _, result = decided(POOLED.replace(right, wrong, 1))
    races = [v.kind for v in result.verdicts if v.obligation.property == "disjoint"]
    assert result.status in ("undecided", "refuted") and set(races) <= {"undecided", "refuted"}


def test_a_digit_of_the_program_that_no_subscript_names() -> None:
    result = decided(STATES)[1]
    assert result.status == "verified"
    assert "VAR or K <= BK" in [str(c) for c in result.inferred]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(pid // NV) % NK", "pid % NK"),
        ("(i_nh * K + k", "(i_h * K + k"),
    ],
)
def test_states_that_programs_share(right: str, wrong: str) -> None:
    assert right in STATES
    _, result = decided(STATES.replace(right, wrong, 1))
    races = [v.kind for v in result.verdicts if v.obligation.property == "disjoint"]
    assert result.status in ("undecided", "refuted") and {"undecided", "refuted"} & set(races)


def test_rows_of_several_arrays_that_programs_copy_into_one() -> None:
    row = "(row0 if pid_1 == 0 else (row2 if pid_1 == 2 else row1))"
    n = "(n0 if pid_1 == 0 else (n2 if pid_1 == 2 else n1))"
    first, whole = f"{row} + B * pid_0", f"{n} + {row}"
    assert asked(STACK) == [
        f"apart((range({first}, min(B + {first}, {whole})),) "
        "for pid_0 in range(grid.x) for pid_1 in range(grid.y))"
    ]


@pytest.mark.parametrize(("programs", "second", "races"), [(3, "n", 0), (4, "n", 1), (3, "n - 1", 1)])
def test_launches_that_copy_into_the_same_rows(
    tmp_path: Path, programs: int, second: str, races: int
) -> None:
    host = f"""

import torch


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    y = torch.empty(4 * n, device=x.device)
    k[(triton.cdiv(n, 64), {programs})](x, y, 0, {second}, 2 * n, n, n, n, B=64)
"""
    path = tmp_path / "kernel.py"
    path.write_text(HEAD + STACK + host)
    found = pipeline.check_file(path, "kernel.py", Config()).findings
    assert ("GL301" in {f.code for f in found}) == bool(races)


def test_what_pages_and_entries_of_slots_ask() -> None:
    assert decided(PAGED)[1].status == "verified"
    clauses = asked(PAGED)
    assert all(c.endswith(" for pid_0 in range(grid.x) if rows[pid_0] >= 0)") for c in clauses)
    assert any("entry * (rows[pid_0] % size) + (rows[pid_0] // size) * page <= x.size" in c for c in clauses)


def test_a_quotient_of_an_element_asks_that_it_is_not_negative() -> None:
    clauses = [str(c) for c in decided(ROUTED)[1].inferred]
    assert decided(ROUTED)[1].status == "verified"
    assert "above(rows, 0)" in clauses


def test_a_remainder_of_elements_asks_that_their_difference_is_not_negative() -> None:
    assert decided(RING)[1].status == "verified"
    (within,) = [c for c in decided(RING)[1].inferred if c.arrays == ("count",)]
    assert str(within) == "above(count, ratio)"


def test_half_of_what_is_left_is_not_negative() -> None:
    assert decided(MIDDLE)[1].status == "verified"


HOST = """

def run():
    rows = torch.randint({low}, {high}, (8,))
    x, y = torch.zeros(64), torch.empty(32)
    k[(8,)](x, y, rows, {sizes}, B=4)
"""


@pytest.mark.parametrize(
    ("text", "low", "high", "sizes", "expected"),
    [
        (PAGED, 0, 16, "4, 16, 4", "meets"),
        (PAGED, 0, 17, "4, 16, 4", "violates"),
        (PAGED.replace("slot % size", "slot"), 0, 16, "4, 16, 4", "violates"),
        (ROUTED, 0, 32, "32, 2, 4", "meets"),
        (ROUTED, 0, 34, "34, 2, 4", "violates"),
        (ROUTED, -1, 32, "32, 1, 2", "violates"),
        (ROUTED, -1, 32, "32, 2, 4", "meets"),  # -1 // 2 is row 0
    ],
)
def test_launches_with_elements_that_are_divided(
    text: str, low: int, high: int, sizes: str, expected: str
) -> None:
    head = HEAD.replace("import triton\n", "import torch\nimport triton\n", 1)
    host = HOST.format(low=low, high=high, sizes=sizes)
    (kernel,) = pipeline.check_file(head + text + host, "kernel.py", Config()).kernels
    assert kernel.sites[0].status == expected


def test_a_launch_that_keeps_what_is_asked_of_each_program() -> None:
    text = (
        HEAD.replace("import triton\n", "import torch\nimport triton\n", 1)
        + GATHER
        + """

def run(x):
    rows = torch.randint(0, {high}, (16,))
    x, y = torch.zeros(64), torch.empty(32)
    k[(8,)](x, y, rows, 10, 4, B=4)
"""
    )
    for high, expected in ((6, "meets"), (7, "violates")):
        (kernel,) = pipeline.check_file(text.replace("{high}", str(high)), "kernel.py", Config()).kernels
        assert kernel.sites[0].status == expected, high


SIZES: Mapping[str, dict[str, list[int]]] = {
    GATHER: {"stride": [0, 1, 4], "n": [1, 3, 4], "B": [4]},
    RAGGED: {"T": [2, 5], "H": [1, 2], "K": [2], "BT": [2, 4], "VAR": [0, 1, 1]},
    PACKED: {"stride": [1, 2], "B": [2, 4]},
    ROWS: {"stride": [1, 2, 3, 4], "n": [1, 2, 4], "lead": [0, 1, 2], "B": [2, 4]},
    PLAIN: {"stride": [1, 2, 3, 4], "n": [1, 2, 4], "lead": [0], "B": [2, 4]},
    POOLED: {"T": [2, 5], "H": [1, 2, 3], "G": [1, 2], "C": [1, 2], "BT": [2, 4], "VAR": [0, 1, 1]},
    STATES: {
        "T": [1, 3],
        "H": [1, 2],
        "K": [1, 2, 3],
        "V": [1, 3],
        "BK": [1, 2, 4],
        "BV": [2, 4],
        "VAR": [0, 1],
    },
    STACK: {
        "row0": [0, 4],
        "row1": [4, 6],
        "row2": [9, 12],
        "n0": [1, 4, 6],
        "n1": [2, 3, 7],
        "n2": [1, 4],
        "B": [2, 4],
    },
    PAGED: {"size": [1, 2, 4], "page": [0, 4, 8], "entry": [1, 4], "B": [2, 4]},
    ROUTED: {"tokens": [1, 4, 9], "top": [1, 2, 3], "stride": [1, 4], "B": [4, 8]},
    RING: {"ratio": [1, 2], "stride": [1, 2, 4], "B": [2]},
    MIDDLE: {"K": [1, 2, 4], "BT": [1, 2, 4], "B": [2, 4]},
}
ONE_AXIS = (GATHER, ROWS, PLAIN, STATES, PAGED, ROUTED, MIDDLE)
INDEX = ("rows", "cu", "ci", "start", "count")


def drawn(text: str, kernel: Kernel, draw: random.Random) -> ConcreteLaunch:
    """A small launch with random contents, some of them as the kernel means them."""
    scalars = {name: draw.choice(values) for name, values in SIZES[text].items()}
    arrays = {}
    for p in kernel.params:
        if not p.is_array:
            continue
        size = draw.choice([4, 6, 12]) if p.name in INDEX else draw.choice([16, 32, 64])
        values = [draw.randint(-1 if draw.random() < 0.1 else 0, draw.choice([1, 3, 8])) for _ in range(size)]
        if text in (PAGED, ROUTED):
            values = [draw.randint(-2, draw.choice([3, 40])) for _ in range(size)]
        if p.name in ("cu", "start") and draw.random() < 0.7:
            values = list(itertools.accumulate((draw.randint(0, 3) for _ in range(size)), initial=1))[:size]
        if p.name == "ci":
            values = [v for n in range(size // 2) for v in (n % 3, n // 3 if draw.random() < 0.7 else n % 2)]
        arrays[p.name] = ConcreteArray((size,), lambda i, v=values: v[i[0]], dtype="int32")  # type: ignore[misc]
    grid = (draw.choice([1, 2, 3, 4]), 1 if text in ONE_AXIS else draw.choice([1, 2, 3]), 1)
    return ConcreteLaunch(grid, (1, 1, 1), arrays, scalars)


@pytest.mark.parametrize(
    "text",
    list(SIZES),
    ids=[
        "gather",
        "ragged",
        "packed",
        "rows",
        "plain",
        "pooled",
        "states",
        "stack",
        "paged",
        "routed",
        "ring",
        "middle",
    ],
)
def test_no_launch_within_the_clauses_breaks_what_they_prove(text: str) -> None:
    kernel, result = decided(text)
    draw = random.Random(7)
    kept = broken = 0
    for _ in range(120):
        launch = drawn(text, kernel, draw)
        outcome = run(kernel, launch)
        assert not contradictions(result, kernel, [(launch, outcome)])
        kept += all(admitted(v, result, kernel, launch) for v in result.verdicts)
        broken += bool(outcome.violations)
    assert kept > 3 and broken > 8
