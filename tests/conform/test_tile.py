"""Launches of Triton kernels within a contract, without Triton and without a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from compile.test_tile import proved
from runtime.fake import FakeDriver
from runtime.test_tile import planned

from gpulint.conform.case import Case, cases, interpreted
from gpulint.conform.device import code_of, different, launched, untold
from gpulint.conform.refusal import refused
from gpulint.interp.environment import environment
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.term import holds

CASE = Case(
    (2, 1, 1), (1, 1, 1), 0, {"x": (40,), "out": (36,)}, {"n": 33},
    {"x": [0.5] * 40, "out": [0.0] * 36}, {"x": [0.5] * 40, "out": [0.0] * 36},
)  # fmt: skip
COUNTED = """
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_{}(out_ptr + 0 * at, x, mask=at < n)
"""


def test_launches_meet_the_contract_and_fill_programs(tmp_path: Path) -> None:
    p = proved(tmp_path)
    found = list(cases(p, 12))
    assert len(found) >= 8
    for c in found:
        arrays = {name: ConcreteArray(shape) for name, shape in c.shapes.items()}
        env = environment(p.kernel, ConcreteLaunch(c.grid, c.block, arrays, c.numbers))
        assert all(holds(x.condition, env) for x in p.clauses if not x.predicate), str(c)
        assert c.block == (1, 1, 1)
    assert any(c.numbers["n"] > 64 for c in found)  # more than one program has work
    assert any(c.numbers["n"] == c.shapes["x_ptr"][0] for c in found)


def test_the_interpreter_gives_what_programs_store(tmp_path: Path) -> None:
    p = proved(tmp_path)
    for drawn in cases(p, 6):
        case, wrong = interpreted(p, drawn)
        assert not wrong and not case.open
        done = min(case.numbers["n"], case.grid[0] * 64)
        for k, value in enumerate(case.wanted["out_ptr"]):
            assert value == (8 * case.given["x_ptr"][k] if k < done else case.given["out_ptr"][k])


@pytest.mark.parametrize(("kind", "known"), [("add", True), ("xchg", False)])
def test_what_hangs_on_the_order_of_programs_is_not_compared(tmp_path: Path, kind: str, known: bool) -> None:
    p = proved(tmp_path, COUNTED.format(kind), signature="*i32, *i32, i32")
    several = [c for c in cases(p, 12) if c.grid[0] > 1 and c.numbers["n"] > 64]
    firsts = [interpreted(p, c)[0].wanted["out_ptr"][0] for c in several]
    assert firsts and all((x is not None) == known for x in firsts)


def test_a_case_is_launched_through_the_checks() -> None:
    driver = FakeDriver()
    p = planned(clauses=("n <= x.size", "n <= out.size"))
    assert different(p, CASE, launched(p, driver, CASE)) == []  # type: ignore[arg-type]
    assert driver.launches == [("k", (2, 1, 1), (128, 1, 1), 1024, 0)]


def test_launches_outside_are_refused() -> None:
    p = planned(
        "*fp32:16, *fp32, i32", clauses=("aligned(x, 16)", "n <= x.size", "n <= out.size", "grid.y == 1")
    )
    found = refused(p, FakeDriver(), [CASE])  # type: ignore[arg-type]
    assert (found.wrong, found.unbreakable, found.broken, found.alone) == ((), (), 4, 4)
    assert found.launches > 30


def test_elements_without_a_name_in_the_interface_are_said() -> None:
    assert "bfloat16" in untold(planned("*bf16, *fp32, i32"))
    assert untold(planned()) == ""
    assert code_of(planned("*fp16, *u8, i32").arguments[1].spec) == "<u1"  # type: ignore[arg-type]
