"""Clauses on lanes that a load leaves out: where flags are so they are asked, and of lengths sensibly."""

from __future__ import annotations

import itertools
import random

import pytest

from gpulint.dataflow import analyse
from gpulint.frontend.triton import lower
from gpulint.solver import general
from gpulint.solver.lanes import _merged
from gpulint.solver.options import Options
from gpulint.solver.quantified import lengths
from gpulint.solver.residual import special
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import UNDER
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project
from gpulint.term import Bool, Scope, add, and_, const, holds, lt, mul, neg, not_, or_, sub, sym
from gpulint.term.build import load

SCAN = """
import triton
import triton.language as tl

@triton.jit
def k(x, y, cu, T, BT: tl.constexpr, REV: tl.constexpr, SCALED: tl.constexpr, VAR: tl.constexpr):
    if VAR:
        n = tl.program_id(1)
        bos = tl.load(cu + n)
        T = tl.load(cu + n + 1) - bos
    else:
        bos = tl.program_id(1) * T
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    v = tl.load(x + bos + t, mask=t < T)
    if {flag}:
        v = tl.cumsum(v, reverse=True)
    else:
        v = tl.cumsum(v)
    if SCALED:
        v *= 2.0
    tl.store(y + bos + t, v, mask=t < T)
"""
FLAGS = [sym(f"f{k}", Scope.LAUNCH, 0, 1) for k in range(3)]


def asked(flag: str) -> tuple[str, list[str]]:
    """What the reversed scan asks of the lanes that the load leaves out."""
    module = load_text(SCAN.format(flag=flag), "k.py")
    assert isinstance(module, Module)
    project = Project()
    kernel = lower(find(module, project)[0], project)
    r = general.decide(Setting(kernel, analyse(kernel), Options()))
    found = [v for v in r.verdicts if v.obligation.lanes is not None]
    v = min(found, key=lambda v: v.obligation.lanes.span.row)  # type: ignore[union-attr]
    return v.kind, [str(c) for c in v.clauses]


def test_what_one_way_of_a_flag_needs_is_asked_under_it() -> None:
    kind, clauses = asked("REV")
    assert kind == UNDER
    assert "not REV or VAR or BT * grid.x <= T" in clauses
    every = "all(cu[pid_1] + BT * grid.x <= cu[pid_1 + 1] for pid_1 in range(grid.y) if "
    told = [c.removeprefix(every) for c in clauses if c.startswith(every)]
    assert told
    assert all("REV" in flags and "VAR" in flags for flags in told)


def test_what_every_way_needs_is_asked_of_all() -> None:
    kind, clauses = asked("BT > 0")
    assert kind == UNDER
    assert "VAR or BT * grid.x <= T" in clauses
    assert not any("REV" in c for c in clauses)


def cells(text: str, *at: int) -> list:
    return [load(text, [const(k)]) for k in at]


def test_lengths_of_segments_are_no_numbers() -> None:
    block = sym("BT", Scope.LAUNCH, 1)
    first, last = cells("cu", 3, 4)
    tiny = sub(add(block, sub(last, first)), 2)  # block + length <= 2
    whole = sub(block, sub(last, first))  # block <= length
    assert special(lengths(tiny))
    assert not special(lengths(whole))
    assert lengths(add(first, last)) == add(first, last)
    other = load("ci", [const(4)])
    assert lengths(sub(other, first)) == sub(other, first)


@pytest.mark.parametrize("k", [1, 3, -2])
def test_a_length_stands_for_the_difference(k: int) -> None:
    first, last = cells("cu", 3, 5)
    t = sym("T", Scope.LAUNCH, 0)
    p = add(mul(sub(last, first), k), neg(t))
    found = lengths(p)
    (length,) = [m[0] for m, _ in found.terms if m and str(m[0]).startswith("length")]
    assert found == add(mul(sym(length.name, Scope.LAUNCH, 0), k), neg(t))


@pytest.mark.parametrize("seed", range(60))
def test_merged_flags_say_the_same(seed: int) -> None:
    rng = random.Random(seed)
    literals: list[Bool] = [c for f in FLAGS for c in (lt(0, f), not_(lt(0, f)))]
    ways = []
    for _ in range(rng.randint(1, 5)):
        picked = {f: rng.choice((0, 1, None)) for f in range(3)}
        ways.append(frozenset(literals[2 * f + way] for f, way in picked.items() if way is not None))
    found = _merged(ways)
    assert len(found) <= len(ways)
    for values in itertools.product((0, 1), repeat=3):
        env = dict(zip((f.atom for f in FLAGS), values, strict=True))
        before, after = (or_(*(and_(*w) for w in x)) for x in (ways, found))
        assert holds(before, env) == holds(after, env)
