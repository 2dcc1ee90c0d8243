"""Launches against contracts and devices."""

from __future__ import annotations

import pytest

from gpulint.contract.clause import Clause
from gpulint.ir import symbols as s
from gpulint.solver.verdict import SiteVerdict
from gpulint.term import const, eq, le, sym


def codes(bench):
    return [f.code for f in bench.found()]


def test_a_broken_declared_clause_names_the_contract(bench, make):
    clause = Clause(le(sym("n"), s.extent("x", 0, 1)), span=make.place(5), origin="declared")
    bench.sites = [SiteVerdict(bench.site(), "violates", clause)]
    f = bench.one()
    assert (f.code, f.severity) == ("GL501", "error")
    assert f.message == "this launch of `scale` breaks what its contract requires: `n <= x.size`"
    assert f.related[0].span == make.place(5)


def test_a_broken_inferred_clause_is_told_once_where_the_access_fails(bench, make):
    site = bench.site()
    clause = Clause(le(sym("n"), s.extent("out", 0, 1)))
    bench.sites = [SiteVerdict(site, "violates", clause)]
    assert codes(bench) == ["GL501"]
    bench.refute("in-range", "write", make.tail(), bench.access("write"), site=site)
    assert codes(bench) == ["GL203"]


def test_a_launch_that_meets_the_contract_is_quiet(bench):
    bench.sites = [SiteVerdict(bench.site(), "meets")]
    assert codes(bench) == []


def test_overlapping_arguments(bench):
    clause = Clause(predicate="noalias", arrays=("out", "x"))
    bench.sites = [SiteVerdict(bench.site(), "violates", clause)]
    f = bench.one()
    assert (f.code, f.property) == ("GL701", "no-alias")
    assert "`out` and `x`" in f.message


@pytest.mark.parametrize(
    ("grid", "block", "code", "words"),
    [
        ((1,), (64, 32), "GL504", "2048 threads is over the limit of 1024"),
        ((1,), (1, 1, 128), "GL505", "block.z is 128; devices allow 1 to 64"),
        ((1,), (0,), "GL505", "block.x is 0; devices allow 1 to 1024"),
        ((1, 70_000), (32,), "GL506", "grid.y is 70000; devices allow 1 to 65535"),
        ((0,), (32,), "GL506", "grid.x is 0"),
    ],
)
def test_device_limits(bench, grid, block, code, words):
    site = bench.site(tuple(map(const, grid)), tuple(map(const, block)))
    bench.sites = [SiteVerdict(site, "meets")]
    f = bench.one()
    assert (f.code, f.severity) == (code, "error")
    assert words in f.message


@pytest.mark.parametrize(("grid", "block"), [((1,), (1024,)), ((2**31 - 1, 65535), (1, 16, 64))])
def test_sizes_at_the_limit_are_allowed(bench, grid, block):
    site = bench.site(tuple(map(const, grid)), tuple(map(const, block)))
    bench.sites = [SiteVerdict(site, "meets")]
    assert codes(bench) == []


def test_an_unknown_size_breaks_no_limit(bench):
    bench.sites = [SiteVerdict(bench.site((sym("n"),), (sym("t"),)), "undecided")]
    assert codes(bench) == []


def test_a_broken_limit_hides_the_clause_that_says_the_same(bench):
    clause = Clause(le(s.block_size(0), const(512)))
    bench.sites = [SiteVerdict(bench.site(block=(const(2048),)), "violates", clause)]
    assert codes(bench) == ["GL504"]


def test_fewer_dimensions_than_the_kernel_indexes(bench):
    bench.rank = 2
    bench.sites = [SiteVerdict(bench.site(), "meets")]
    f = bench.one()
    assert f.code == "GL503"
    assert f.message == "`scale` indexes 2 dimensions, but this launch has 1"


def test_a_block_with_enough_dimensions_is_enough(bench):
    bench.rank = 2
    bench.sites = [SiteVerdict(bench.site(block=(const(16), const(16))), "meets")]
    assert codes(bench) == []


def test_a_contract_that_no_launch_meets(bench):
    clause = Clause(eq(s.block_size(0), const(7)), origin="declared", text="block == (2048, 1, 1)")
    bench.declared = (clause,)
    bench.refute("contract", "satisfiable", None)
    f = bench.one()
    assert (f.code, f.severity) == ("GL502", "error")
    assert f.message == "no launch can meet the contract: `block == (2048, 1, 1)`"
