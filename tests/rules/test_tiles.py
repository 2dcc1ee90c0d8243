"""Findings in tile kernels speak of programs and lanes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpulint.dataflow.access import EXPONENTIALS, LeftOut
from gpulint.ir import nodes as n
from gpulint.ir import symbols as s
from gpulint.rules import words
from gpulint.solver.verdict import Witness
from gpulint.term import const, eq, lt, sym, symbols

OFFS = s.lane(0) + s.block(0) * sym("BLOCK")
BOTH = (((1, 0, 0), (36, 0, 0)), ((2, 0, 0), (5, 0, 0)))


def witness(points=BOTH[:1], tile=1, grid=(4, 1, 1), element=(100,), **values: int) -> Witness:
    given = {"BLOCK": 64, **values}
    return Witness({"x.shape[0]": 100}, grid, (1, 1, 1), points, "out", element, (100,), given, tile=tile)


def access(bench, mode="write", masked=True):
    lanes = ((next(iter(symbols(s.lane(0)))), const(64)),)
    mask = n.Compare("lt", n.Const(0), n.Const(1)) if masked else None
    stmt = n.Store("out", (n.Const(0),), n.Const(1), mask=mask)
    guard = lt(OFFS, sym("n")) if masked else eq(const(0), 0)
    made = bench.access(mode, OFFS, guard=guard, text="offs")
    bench.accesses[-1] = replace(made, lanes=lanes, stmt=stmt)
    return bench.accesses[-1]


@pytest.mark.parametrize(
    ("grid", "tile", "lane", "text"),
    [
        ((4, 1, 1), 0, (0, 0, 0), "program 3"),
        ((4, 2, 1), 0, (0, 0, 0), "program (3, 0)"),
        ((4, 1, 1), 1, (7, 0, 0), "lane 7 of program 3"),
        ((4, 2, 1), 2, (2, 5, 0), "lane (2, 5) of program (3, 0)"),
    ],
)
def test_a_point_is_a_program_and_a_lane(grid, tile, lane, text):
    p = ((3, 0, 0), lane)
    assert words.point(p, witness((p,), tile, grid)) == text


def test_two_programs_and_two_lanes_of_one():
    assert words.points(witness(BOTH)) == "programs 1 and 2"
    same = (BOTH[0], ((1, 0, 0), (37, 0, 0)))
    assert words.points(witness(same)) == "lanes 36 and 37 of program 1"


def test_an_access_outside_its_array(bench):
    site = bench.site()
    bench.refute("in-range", "write", witness(), access(bench), site=site)
    f = bench.one()
    assert f.message == "lane 36 of program 1 writes out[100], one past its end"
    assert f.label == "offs = lane_0 + BLOCK * pid_0 = 36 + 64 * 1"
    assert f.help == "narrow the mask of the store: `mask=offs < out.size`"
    launched = "launched with grid (4,), BLOCK = 64, x.shape[0] = 100, out.size = 100"
    assert f.related[0].message == launched


def test_an_access_without_a_mask_is_told_to_have_one(bench):
    bench.refute("in-range", "write", witness(), access(bench, masked=False), site=bench.site())
    f = bench.one()
    assert (f.code, f.help) == ("GL203", "mask the store: `mask=offs < out.size`")


def test_a_race_names_programs_without_lanes(bench):
    a, b = access(bench, "read"), access(bench, "write")
    bench.refute("disjoint", "read-write", witness(BOTH), a, b)
    f = bench.one()
    assert f.message == "program 1 reads out[100] while program 2 writes it"


def test_a_grid_of_fewer_axes_is_no_mismatch(bench):
    bench.rank = 2
    view = bench.view()
    from gpulint.rules.launches.launch_rank_mismatch import LaunchRankMismatch

    tile = replace(view, kernel=replace(view.kernel, dialect="triton"))
    assert list(LaunchRankMismatch().check(tile)) == []


def lanes(bench, what, wins=""):
    load = access(bench, "read")
    x = LeftOut(load, (), what, replace(load.span, row=11), wins)
    kind = "lanes" if not wins else "padding"
    bench.refute("initialised", kind, witness(element=()), load, site=bench.site())
    v = bench.verdicts[-1]
    bench.verdicts[-1] = replace(v, obligation=replace(v.obligation, lanes=x))
    return bench.one()


@pytest.mark.parametrize(
    ("what", "text", "help_"),
    [
        ("dot", "takes part in `tl.dot`", "`other=0.0`"),
        ("max", "takes part in `tl.max`", '`other=float("-inf")`'),
        ("stored value", "is stored", "under the same mask"),
        ("atomic add", "is the operand of an atomic", "`other=0.0`"),
    ],
)
def test_a_lane_without_a_value(bench, what, text, help_):
    f = lanes(bench, what)
    assert (f.code, f.severity) == ("GL902", "error")
    assert f.message == f"lane 36 of program 1 is masked off in this load and has no value, but {text}"
    assert f.related[0].span.row == 11 and help_ in f.help


@pytest.mark.parametrize(("wins", "severity"), [(EXPONENTIALS, "error"), ("max", "warning")])
def test_a_padding_that_counts(bench, wins, severity):
    f = lanes(bench, "sum" if wins == EXPONENTIALS else wins, wins)
    assert (f.code, f.severity) == ("GL903", severity)
    assert f.message.startswith("lane 36 of program 1 is padded with 0 by this load")
