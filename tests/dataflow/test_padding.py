"""Where lanes that a load leaves out are used: conditions, coordinates, iterations, operations."""

from __future__ import annotations

import pytest

from gpulint.dataflow import analyse, padding
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT32
from tests import tiles as b

B, N = b.v("BLOCK"), b.v("n")
OFFS = b.pid() * B + b.arange(B)
V = b.v("v")


def uses(*body):
    """The uses of left-out lanes: operation, padding that wins, and conditions of the first case."""
    found = analyse(b.kernel(*body)).left_out
    return [(x.what, x.wins, str(x.cases[0].domain), str(x.cases[0].inside)) for x in found]


def load(other=None, target="v"):
    return b.load(target, "x", OFFS, B, OFFS < N, other, row=2)


def total(value, name="sum", follows=((n.EVERY,),)):
    return b.let("s", b.unknown(name, value, follows=follows, row=4))


def extreme(a, c):
    return b.X(n.Binary("max", a.e, b.x(c).e, FLOAT32, b.at(3)))


STORED = b.store("out", 0, value=b.v("s"))


def test_a_load_without_a_mask_leaves_nothing_out():
    assert uses(b.load("v", "x", OFFS, B), total(V), STORED) == []


def test_a_padded_load_is_of_interest_where_the_zero_wins():
    assert uses(load(other=0.0), total(V), STORED) == []
    assert [u[:2] for u in uses(load(other=0.0), total(V, "max"), STORED)] == [("max", "max")]
    assert uses(load(other=0), total(V, "max"), STORED) == []
    assert uses(load(other=1.0), total(V, "max"), STORED) == []


def test_a_sum_asks_for_any_lane_of_the_tile():
    ((what, _, domain, inside),) = uses(load(), total(V), STORED)
    assert what == "sum"
    assert domain == "some.1 < BLOCK" and inside == "some.1 + BLOCK * blockIdx.x < n"


def test_a_prefix_sum_asks_for_the_lanes_before():
    scan = b.let("s", b.unknown("cumsum", V, rank=1, follows=((n.upto(0),),)))
    ((_, _, domain, _),) = uses(load(), scan, b.store("out", OFFS, B, OFFS < N, value=b.v("s")))
    assert "some.1 <= lane0" in domain


def test_a_store_asks_for_its_own_lanes():
    ((what, _, domain, inside),) = uses(load(), b.store("out", OFFS, B, OFFS < N + 1, value=V))
    assert what == "stored value" and inside == "lane0 + BLOCK * blockIdx.x < n"
    assert domain == "lane0 < BLOCK and lane0 + BLOCK * blockIdx.x <= n"


def test_a_choice_adds_its_condition():
    chosen = b.where(b.lane(0, B) < 3, V, 0.0)
    ((_, _, domain, _),) = uses(load(), total(chosen), STORED)
    assert "some.1 <= 2" in domain


def test_other_coordinates_move_the_lane():
    flipped = V.move(B - 1 - b.arange(B))
    ((_, _, _, inside),) = uses(load(), b.store("out", OFFS, B, value=flipped))
    assert inside == "BLOCK + BLOCK * blockIdx.x <= lane0 + n"


def test_the_first_operation_that_combines_lanes_is_named():
    twice = b.let("t", b.unknown("max", b.v("s"), row=5))
    (found,) = analyse(b.kernel(load(), total(V), twice, b.store("out", 0, value=b.v("t")))).left_out
    assert (found.what, found.span.row, found.load.span.row) == ("sum", 4, 2)


def test_what_a_loop_carries_may_stem_from_any_iteration():
    offs = b.v("k") + b.arange(B)
    step = b.load("v", "x", offs, B, offs < N, row=3)
    body = [b.let("acc", 0.0), b.loop("k", 0, N, B, step, b.let("acc", b.v("acc") + V)), total(b.v("acc"))]
    ((what, _, domain, inside),) = uses(*body, STORED)
    assert what == "sum" and "BLOCK * some." in domain and "BLOCK * some." in inside


def test_a_value_used_in_many_ways_is_used_everywhere():
    rows = range(10, 11 + padding.MAX_WAYS)
    stores = [b.store("out", OFFS, B, N - row > OFFS, value=V, row=row) for row in rows]
    found = analyse(b.kernel(load(), *stores)).left_out
    assert any("some." in str(case.inside) for x in found for case in x.cases)


def test_an_integer_zero_wins_a_minimum_and_a_maximum_of_floats():
    assert [u[1] for u in uses(load(other=0), total(V, "min"), STORED)] == ["min"]
    real = b.let("f", b.X(n.Cast(V.e, FLOAT32)))
    assert [u[1] for u in uses(load(other=0), real, total(b.v("f"), "max"), STORED)] == ["max"]


@pytest.mark.parametrize(("start", "wins"), [(float("-inf"), ["max"]), (0.0, [])])
def test_what_a_loop_gathers_is_as_good_as_its_parts(start, wins):
    gathered = b.let("m", extreme(b.v("m"), V))
    body = b.let("m", start), b.loop("k", 0, N, 1, load(other=0.0), gathered), total(b.v("m"), "max"), STORED
    assert [u[1] for u in uses(*body)] == wins


def test_a_floor_that_beats_the_padding():
    floored = b.let("m", extreme(V, 1e-12))
    assert uses(load(other=0.0), floored, total(b.v("m"), "max"), STORED) == []
