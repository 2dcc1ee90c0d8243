"""Lanes that a load leaves out: proved unused, refuted with a lane that is used, paddings that win."""

from __future__ import annotations

import pytest

from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import PROVED, REFUTED, UNDER, Verdict
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

HEAD = """import triton
import triton.language as tl

@triton.jit
def k(x, y, out, n, m, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + o
"""


def verdicts(*lines: str) -> list[Verdict]:
    """What is said of left-out lanes, with no launch in view."""
    module = load_text(HEAD + "".join(f"    {line}\n" for line in lines), "k.py")
    assert isinstance(module, Module)
    project = Project()
    kernel = lower(find(module, project)[0], project)
    found = decide(kernel, analyse(kernel), (), Options()).verdicts
    return [v for v in found if v.obligation.lanes is not None]


def answers(*lines: str) -> list[tuple[str, str]]:
    return [(v.kind, v.obligation.lanes.what) for v in verdicts(*lines)]


LOAD = "v = tl.load(x + offs, mask=offs < n)"
ZERO = "v = tl.load(x + offs, mask=offs < n, other=0.0)"


@pytest.mark.parametrize(
    "lines",
    [
        ["tl.store(out + offs, v * 2.0, mask=offs < n)"],
        ["tl.store(out + offs, tl.exp(v), mask=(offs < n) & (offs < m))"],
        ["tl.store(out + offs, tl.where(offs < n, v, 0.0))"],
        ["tl.store(out, tl.sum(tl.where(offs < n, v, 0.0)))"],
        ["w = tl.load(y + v, mask=offs < n)", "tl.store(out + offs, w, mask=offs < n)"],
        ["tl.store(out + offs, tl.cumsum(v), mask=offs < n)"],
        ["tl.atomic_add(out + v, 1, mask=offs < n)"],
        ["tl.store(out + offs, 1.0, mask=(offs < n) & (v > 0))"],
    ],
)
def test_lanes_that_reach_nothing_are_proved(lines):
    found = answers(LOAD, *lines)
    assert found and {kind for kind, _ in found} == {PROVED}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("tl.store(out, tl.sum(v))", "sum"),
        ("tl.store(out, tl.max(v * 2.0))", "max"),
        ("tl.store(out + offs, tl.sort(v), mask=offs < n)", "sort"),
        ("tl.store(out + offs, tl.cumsum(v, reverse=True), mask=offs < n)", "cumsum"),
        ("tl.store(out + offs, v, mask=offs < n + 1)", "stored value"),
        ("tl.atomic_add(out + o, v)", "atomic add"),
        ("tl.store(out + v, 1.0)", "subscript"),
        ("tl.store(out + offs, 1.0, mask=v > 0)", "mask"),
    ],
)
def test_lanes_that_are_used_are_refuted(line, what):
    assert (REFUTED, what) in answers(LOAD, line)


def test_a_witness_names_a_lane_outside_the_mask():
    (v,) = verdicts(LOAD, "tl.store(out, tl.sum(v))")
    (program, lane), w = v.witness.points[0], v.witness
    assert w.replayed and w.tile == 1 and w.array == "x"
    assert program[0] * w.params["BLOCK"] + lane[0] >= w.params["n"]


PRODUCT = [
    "at = o[:, None] * BLOCK + o[None, :]",
    "a = tl.load(x + at, mask=MASK)",
    "b = tl.load(y + at)",
    "tl.store(out + at, tl.dot(a, b), mask=o[:, None] < n)",
]


def test_rows_of_a_product_that_are_not_stored_do_not_matter():
    lines = [line.replace("MASK", "o[:, None] < n") for line in PRODUCT]
    assert answers(*lines) == [(PROVED, "dot")]


def test_the_contracted_axis_of_a_product_matters():
    lines = [line.replace("MASK", "o[None, :] < n") for line in PRODUCT]
    assert answers(*lines) == [(REFUTED, "dot")]


def test_a_sum_over_the_iterations_of_a_loop():
    loop = ["acc = tl.zeros((BLOCK,), dtype=tl.float32)", "for i in range(0, n, BLOCK):"]
    body = ["    acc += tl.load(x + i + o, mask=i + o < n{})"]
    after = ["tl.store(out, tl.sum(acc))"]
    assert answers(*loop, body[0].format(""), *after) == [(REFUTED, "sum")]
    assert answers(*loop, body[0].format(", other=0.0"), *after) == []


BLOCKS = [
    "p = tl.make_block_ptr(x, (n,), (1,), (0,), (BLOCK,), (0,))",
    "v = tl.load(p, boundary_check=(0,){})",
    "tl.store(out, tl.sum(v))",
]


def test_block_pointers_need_a_padding():
    assert answers(BLOCKS[0], BLOCKS[1].format(""), BLOCKS[2]) == [(REFUTED, "sum")]
    assert answers(BLOCKS[0], BLOCKS[1].format(', padding_option="zero"'), BLOCKS[2]) == []


@pytest.mark.parametrize(
    ("line", "wins"),
    [
        ("tl.store(out, tl.sum(tl.exp(v - tl.max(v))))", {"max", "exponentials"}),
        ("tl.store(out, tl.sum(tl.exp2(v * 1.44)))", {"exponentials"}),
        ("tl.store(out, tl.min(v.to(tl.float32)))", {"min"}),
        ("tl.store(out, tl.sum(v))", set()),
        ("tl.store(out, tl.max(tl.abs(v)))", set()),
        ("tl.store(out, tl.sum(tl.where(offs < n, tl.exp(v), 0.0)))", set()),
        ("tl.store(out, tl.max(tl.where(offs < n, v, -1.0)))", set()),
    ],
)
def test_a_zero_padding_that_counts(line, wins):
    assert {v.obligation.lanes.wins for v in verdicts(ZERO, line)} == wins


def test_an_integer_zero_may_be_meant():
    assert answers("v = tl.load(x + offs, mask=offs < n, other=0)", "tl.store(out, tl.max(v))") == []


def test_how_the_masks_of_a_load_and_a_store_fit_is_for_an_unseen_launch_to_keep():
    (v,) = verdicts(LOAD, "tl.store(out + offs, v, mask=offs < m)")
    assert v.kind == UNDER and any("m <= n" in str(c) for c in v.clauses)


def test_a_store_past_the_mask_of_its_load_is_no_matter_of_parameters_that_fit():
    assert answers("BLOCK = 16", LOAD, "tl.store(out + offs, v, mask=offs <= n)") == [
        (REFUTED, "stored value")
    ]


def test_lanes_past_a_block_are_no_matter_of_parameters_that_fit():
    assert answers(LOAD, "tl.store(out, tl.max(v))") == [(REFUTED, "max")]
