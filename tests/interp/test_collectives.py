"""Shuffles and votes of a warp: what each lane gets, and lanes that take no part."""

from __future__ import annotations

from typing import Any

import pytest
from interp.build import TX, c, cmp, kernel, kinds, let, loop, op, run, store, sync, values, when

from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, INT32, INT64

FULL = c(0xFFFFFFFF)


def collective(target: str, name: str, *given: Any, mask: Any = FULL, type_: Any = INT64) -> tuple[Any, ...]:
    """The barrier of a collective and the value that it gives, as the frontend writes them."""
    meeting = sync(row=7, kind="warp", mask=mask, orders=False, collective=name, given=given)
    return meeting, n.Assign(target, n.Opaque(name, (mask, *given), type_, True))


def got(*body: Any, block: int = 32) -> dict[int, Any]:
    return values(kernel(*body, store("x", TX, value=n.Var("v")), x=1), block=block, x=block)


@pytest.mark.parametrize(
    ("name", "by", "want"),
    [
        ("shfl_sync", 3, {0: 3, 5: 3, 31: 3}), ("shfl_sync", 35, {0: 3, 31: 3}),
        ("shfl_up_sync", 2, {0: 0, 1: 1, 2: 0, 31: 29}), ("shfl_down_sync", 2, {0: 2, 29: 31, 30: 30}),
        ("shfl_xor_sync", 5, {0: 5, 5: 0, 31: 26}),
    ],
)  # fmt: skip
def test_a_shuffle_gives_the_value_of_another_lane(name: str, by: int, want: dict[int, int]) -> None:
    found = got(*collective("v", name, TX, c(by)))
    assert {k: found[k] for k in want} == want


@pytest.mark.parametrize(
    ("name", "type_", "want"),
    [
        ("ballot_sync", INT32, 7), ("any_sync", BOOL, 1), ("all_sync", BOOL, 0), ("eq_sync", BOOL, 0),
    ],
)  # fmt: skip
def test_votes(name: str, type_: Any, want: int) -> None:
    found = got(*collective("v", name, cmp("lt", TX, 3), type_=type_), block=8)
    assert set(map(int, found.values())) == {want}


def test_a_ballot_of_all_lanes_is_negative_as_in_numba() -> None:
    assert got(*collective("v", "ballot_sync", c(1), type_=INT32))[0] == -1


def test_lanes_that_bring_the_same() -> None:
    found = got(*collective("v", "match_any_sync", op("mod", TX, c(2)), type_=INT32), block=4)
    assert found == {0: 0b0101, 1: 0b1010, 2: 0b0101, 3: 0b1010}


def outcome(*body: Any, block: int = 32, used: Any = None) -> list[str]:
    use = store("x", TX, value=n.Var("v"))
    return kinds(run(kernel(*body, when(used, use) if used is not None else use, x=1), block=block, x=64))


def test_a_lane_outside_the_mask() -> None:
    low = cmp("lt", TX, 16)
    by_eight = collective("v", "shfl_down_sync", TX, c(8), mask=c(0xFFFF))
    assert outcome(when(low, *by_eight, store("x", TX, value=n.Var("v"))), used=c(0)) == ["missing-lane"]
    only_low = when(cmp("lt", TX, 8), store("x", TX, value=n.Var("v")))
    assert outcome(when(low, *by_eight, only_low), used=c(0)) == []


def test_a_lane_that_the_last_warp_does_not_have() -> None:
    shift = collective("v", "shfl_down_sync", TX, c(8))
    assert outcome(*shift, block=40) == ["missing-lane"]
    assert outcome(*shift, block=64) == []
    assert outcome(*collective("v", "shfl_up_sync", TX, c(8)), block=40) == []


def test_a_lane_that_has_returned() -> None:
    gone = when(cmp("ge", TX, 20), n.Leave())
    assert outcome(gone, *collective("v", "shfl_sync", TX, c(25))) == ["missing-lane"]
    assert outcome(gone, *collective("v", "shfl_sync", TX, c(19))) == []


@pytest.mark.parametrize(
    "made",
    [
        op("add", n.Var("v"), c(1)), op("mul", n.Var("v"), TX), op("max", n.Var("v"), c(0)),
        n.Cast(n.Var("v"), INT32), n.Unary("neg", n.Var("v"), INT64),
    ],
)  # fmt: skip
def test_what_is_made_of_it_is_missing_too(made: Any) -> None:
    shift = collective("v", "shfl_xor_sync", TX, c(16))
    assert outcome(*shift, let("v", made), block=16) == ["missing-lane"]


def test_what_a_zero_wipes_out_or_nobody_uses_is_not_reported() -> None:
    shift = collective("v", "shfl_xor_sync", TX, c(16))
    assert outcome(*shift, let("v", op("mul", n.Var("v"), c(0))), block=16) == []
    assert outcome(*shift, let("v", c(1)), block=16) == []


def test_a_branch_on_it_is_a_use() -> None:
    shift = collective("v", "shfl_xor_sync", TX, c(16))
    found = outcome(*shift, when(cmp("gt", n.Var("v"), 0), let("v", c(1))), used=c(0), block=16)
    assert found == ["missing-lane"]


def test_lanes_that_wait_elsewhere_are_told_as_that_alone() -> None:
    half = when(cmp("lt", TX, 16), *collective("v", "shfl_down_sync", TX, c(8)))
    assert outcome(let("v", c(0)), half, sync()) == ["divergence"]


def test_a_reduction_in_a_loop() -> None:
    add = (
        *collective("w", "shfl_down_sync", n.Var("v"), n.Var("k")),
        let("v", op("add", n.Var("v"), n.Var("w"))),
    )
    body = (
        let("v", TX),
        let("k", c(16)),
        loop("i", 0, 5, 1, *add, let("k", op("floordiv", n.Var("k"), c(2)))),
    )
    assert got(*body)[0] == sum(range(32))


def test_lanes_that_all_bring_one_value() -> None:
    same = got(*collective("v", "match_all_sync", c(7), type_=INT32), block=4)
    assert same == dict.fromkeys(range(4), 0b1111)
    other = got(*collective("v", "match_all_sync", op("mod", TX, c(2)), type_=INT32), block=4)
    assert other == dict.fromkeys(range(4), 0)
