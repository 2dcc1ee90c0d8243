"""Launches drawn within a contract, and what is compared after them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from compile.compiled import PRELUDE
from runtime.fake import FakeDriver

from gpulint._compiling import prove
from gpulint.compile.artifact import Proved
from gpulint.compile.signature import ArraySpec, parse
from gpulint.conform.case import cases, interpreted, read
from gpulint.conform.device import Memory, agree, different
from gpulint.interp.environment import environment
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.ir.types import FLOAT32, INT32
from gpulint.runtime.plan import Argument, Plan
from gpulint.term import holds

TILED = """
@gpulint.contract(
    block=(8, 8, 1), requires=["a.shape[0] == grid.y * 8", "a.shape[1] == grid.x * 8", "n <= a.size"]
)
@cuda.jit("void(float32[:, ::1], float32[:, ::1], int64)")
def k(a, out, n):
    i, j = cuda.grid(2)
    if i < n and i < a.shape[0] and j < a.shape[1] and i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j]
"""
PERMUTED = """
@gpulint.contract(requires=["injective(at)", "within(at, 2, out.size)", "x.size == at.size"])
@cuda.jit("void(float32[::1], int32[::1], float32[::1])")
def k(x, at, out):
    i = cuda.grid(1)
    if i < at.size:
        out[at[i]] = x[i]
"""
TAKEN = """
@gpulint.contract(requires=["count.size == 1", "above(count, 0)", "out.size == x.size"])
@cuda.jit("void(int32[::1], int32[::1], int32[::1])")
def k(x, out, count):
    i = cuda.grid(1)
    if i < x.size:
        place = cuda.atomic.add(count, 0, 1)
        if place < out.size:
            out[place] = i
"""


def proved(folder: Path, text: str) -> Proved:
    path = folder / "k.py"
    path.write_text(PRELUDE + text)
    return prove(path, "")


FIRST = """
@gpulint.contract(requires=["slot.size == 1"])
@cuda.jit("void(int32[::1], int32[::1])")
def k(x, slot):
    i = cuda.grid(1)
    if i < x.size:
        held = cuda.atomic.cas(slot, 0, -1, x[i])
        if held == -1:
            x[i] = 0
"""


@pytest.mark.parametrize("text", [TILED, PERMUTED, TAKEN])
def test_launches_meet_the_contract(tmp_path: Path, text: str) -> None:
    p = proved(tmp_path, text)
    found = list(cases(p, 12))
    assert len(found) >= 6
    for c in found:
        arrays = {name: ConcreteArray(shape) for name, shape in c.shapes.items()}
        env = environment(p.kernel, ConcreteLaunch(c.grid, c.block, arrays, c.numbers))
        assert all(holds(x.condition, env) for x in p.clauses if not x.predicate), str(c)
        at = c.given.get("at", [2])
        assert len(set(at)) == len(at) and min(at) >= 2
        assert min(c.given.get("count", [0])) >= 0


def test_some_launches_lie_at_the_edge(tmp_path: Path) -> None:
    found = list(cases(proved(tmp_path, TILED), 20))
    assert any(c.numbers["n"] == c.shapes["a"][0] * c.shapes["a"][1] for c in found)
    assert any(c.numbers["n"] < 3 for c in found)


def test_the_same_seed_gives_the_same_launches(tmp_path: Path) -> None:
    p = proved(tmp_path, PERMUTED)
    assert [c.given for c in cases(p, 3)] == [c.given for c in cases(p, 3)]
    assert [c.given for c in cases(p, 3)] != [c.given for c in cases(p, 3, 1)]


def test_a_case_travels_as_json(tmp_path: Path) -> None:
    p = proved(tmp_path, TILED)
    case, wrong = interpreted(p, next(cases(p, 1)))
    assert not wrong
    assert read(json.loads(json.dumps(case.plain()))) == case


def test_what_atomics_hand_out_is_compared_by_its_sum(tmp_path: Path) -> None:
    p = proved(tmp_path, TAKEN)
    for drawn in cases(p, 8):
        case, wrong = interpreted(p, drawn)
        assert not wrong
        assert set(case.wanted["out"]) == set(case.wanted["count"]) == {None}
        assert None not in case.wanted["x"]
        assert case.sums["count"] == case.given["count"][0] + min(
            case.shapes["x"][0], case.grid[0] * case.block[0]
        )


def test_a_sum_that_two_orders_agree_on_by_chance_is_not_compared(tmp_path: Path) -> None:
    p = proved(tmp_path, FIRST)
    drawn = next(c for c in cases(p, 8) if c.grid[0] * c.block[0] >= 6)
    sizes = {"x": (6,), "slot": (1,)}
    case, wrong = interpreted(p, replace(drawn, shapes=sizes, given={"x": [5, 1, 2, 3, 4, 5], "slot": [-1]}))
    assert not wrong and set(case.wanted["slot"]) == {None} and "slot" not in case.sums


(SPEC,) = parse("int32[::1]")
PLAN = Plan("", "k", 90, (Argument("out", SPEC, True),), (), (), frozenset(), None, 0, None)


def test_differences_are_told(tmp_path: Path) -> None:
    p = proved(tmp_path, TAKEN)
    case = replace(next(cases(p, 1)), wanted={"out": [1, None, 3]})
    assert different(PLAN, case, {"out": [1, 7, 3]}) == []
    assert different(PLAN, case, {"out": [1, 7, 4]}) == ["out[2] is 4, not 3"]
    loose = replace(case, wanted={"out": [None, None, None]}, sums={"out": 6.0})
    assert different(PLAN, loose, {"out": [3, 1, 2]}) == []
    assert different(PLAN, loose, {"out": [3, 1, 1]}) == ["the elements of out add up to 5.0, not 6.0"]


def test_numbers_agree_within_what_their_type_can_hold() -> None:
    assert agree(FLOAT32, 1.0, 1.00001) and not agree(FLOAT32, 1.0, 1.001)
    assert agree(FLOAT32, float("nan"), float("nan")) and not agree(FLOAT32, float("nan"), 1.0)
    assert agree(INT32, 3, 3) and not agree(INT32, 3, 4)


@pytest.mark.parametrize(("more", "size"), [("", 6), (", align=True", 8)])
def test_records_are_packed_and_read_back(more: str, size: int) -> None:
    (spec,) = parse(f"record(x=float32, n=int16{more})[::1]")
    assert isinstance(spec, ArraySpec)
    m = Memory(FakeDriver(), spec, (3,))  # type: ignore[arg-type]
    m.fill([0.5, 1.5, 2.5, 7, 8, 9])
    assert m.spec.size == size and m.elements() == [0.5, 1.5, 2.5, 7, 8, 9]
