"""Warp barriers that not all lanes of their masks reach, or others do."""

from __future__ import annotations

import pytest
from interp.build import TX, c, cmp, kernel, kinds, run, store, sync, when

from gpulint.ir import nodes as n

FULL, HALF = c(0xFFFFFFFF), c(0x0000FFFF)
LOW = cmp("lt", TX, 16)


def meet(*body: n.Stmt, block: int = 32) -> list[str]:
    return kinds(run(kernel(*body, x=1), block=block, x=64))


@pytest.mark.parametrize("orders", [True, False])
def test_lanes_of_the_mask_that_wait_elsewhere(orders: bool) -> None:
    low = when(LOW, sync(kind="warp", mask=FULL, orders=orders))
    assert meet(low, sync()) == ["divergence"]
    assert meet(when(LOW, sync(kind="warp", mask=HALF, orders=orders)), sync()) == []


def test_without_a_mask_the_whole_warp_is_meant() -> None:
    assert meet(when(LOW, sync(kind="warp")), sync()) == ["divergence"]
    assert meet(sync(kind="warp"), sync()) == []


def test_a_lane_that_the_mask_does_not_name() -> None:
    assert meet(sync(kind="warp", mask=HALF)) == ["divergence"]


def test_lanes_that_have_ended_are_not_waited_for() -> None:
    assert meet(when(cmp("ge", TX, 16), n.Leave()), sync(kind="warp", mask=FULL)) == []


def test_a_warp_that_the_block_does_not_fill() -> None:
    assert meet(sync(kind="warp", mask=FULL), sync(), block=40) == []


def test_other_warps_are_not_concerned() -> None:
    first = when(cmp("lt", TX, 32), sync(kind="warp", mask=FULL))
    assert meet(first, sync(), block=64) == []


def test_what_lanes_wait_at_must_be_of_one_kind() -> None:
    shuffle = sync(kind="warp", mask=FULL, orders=False, collective="any_sync", given=(c(1),))
    assert meet(when(LOW, shuffle, other=(sync(kind="warp", mask=FULL),))) == ["divergence"]
    assert meet(when(LOW, sync(kind="warp"), other=(sync(kind="warp", mask=FULL),))) == []
    assert meet(when(LOW, sync(kind="warp", mask=c(-1)), other=(sync(kind="warp", mask=FULL),))) == []


def test_a_mask_that_is_not_known_is_not_judged() -> None:
    unknown = n.Opaque("activemask", (), n.Coord("thread", 0, c(0).type).type)
    assert meet(when(LOW, sync(kind="warp", mask=unknown)), sync(), store("x", TX)) == []
