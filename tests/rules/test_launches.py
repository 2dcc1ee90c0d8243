"""Launches against contracts and devices."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpulint.contract.clause import Clause
from gpulint.ir import symbols as s
from gpulint.solver.verdict import SiteVerdict, Witness
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
    ("kind", "code"),
    [
        ("threads-per-block", "GL504"), ("block-axis", "GL505"), ("grid-axis", "GL506"),
        ("shared-memory", "GL507"), ("clause", "GL501"),
    ],
)  # fmt: skip
def test_each_broken_limit_has_its_rule(bench, kind, code):
    reason = "threads a block is block.x; the device takes 1 to 1024"
    bench.refute("contract", kind, None, site=bench.site(), reason=reason)
    f = bench.one()
    assert (f.code, f.severity) == (code, "error")
    assert f.message.endswith("the device takes 1 to 1024")


def test_a_limit_that_hangs_on_a_size_shows_one(bench):
    w = Witness({"n": 3000}, (1, 1, 1), (3000, 1, 1), ())
    bench.refute("contract", "threads-per-block", w, site=bench.site(), reason="too many")
    assert bench.one().notes == ("for example with grid 1, block 3000, n = 3000",)


def test_two_faults_of_one_launch_are_both_told(bench):
    bench.refute("contract", "block-axis", None, site=bench.site(), reason="a")
    bench.refute("contract", "grid-axis", None, site=bench.site(), reason="b")
    assert codes(bench) == ["GL505", "GL506"]


def test_a_refuted_clause_names_the_clause_and_where_it_is_declared(bench, make):
    clause = Clause(le(sym("n"), s.extent("x", 0, 1)), span=make.place(5), origin="declared")
    bench.refute("contract", "clause", None, site=bench.site(), clauses=(clause,), reason="it does not hold")
    f = bench.one()
    assert f.message == "this launch of `scale` breaks what its contract requires: `n <= x.size`"
    assert f.related[0].message == "the contract requires `n <= x.size`"


def test_more_dimensions_than_the_kernel_indexes(bench):
    bench.refute("contract", "rank", None, site=bench.site(), reason="the kernel indexes 1 of the 2 axes")
    f = bench.one()
    assert (f.code, f.message) == ("GL503", "the kernel indexes 1 of the 2 axes")


def test_refuted_overlap_shows_both_accesses(bench, make):
    write, read = bench.access("write"), bench.access("read", row=8)
    reason = "x and out overlap"
    bench.refute("no-alias", "overlap", make.race(), write, read, site=bench.site(), reason=reason)
    f = bench.one()
    assert (f.code, f.severity) == ("GL701", "error")
    assert f.message == "x and out overlap, and threads 0 and 1 of block 0 meet in out[0]"
    assert [r.span.row for r in f.related[:2]] == [9, 8]


def test_fewer_dimensions_than_the_kernel_indexes(bench):
    bench.rank = 2
    bench.access("write", index=s.block(0) * s.block_size(0) + s.thread(1))
    bench.sites = [SiteVerdict(bench.site(), "meets")]
    f = bench.one()
    assert f.code == "GL503"
    assert f.message == "`scale` indexes 2 dimensions, but this launch has 1"


def test_a_missing_dimension_that_selects_no_element_is_fine(bench):
    bench.rank = 2
    bench.access("write", guard=eq(s.thread(1), 0))
    bench.sites = [SiteVerdict(bench.site(), "meets")]
    assert codes(bench) == []


def test_a_launch_of_unknown_dimensions_is_no_mismatch(bench):
    bench.rank = 2
    bench.access("write", index=s.block(0) * s.block_size(0) + s.thread(1))
    bench.sites = [SiteVerdict(replace(bench.site(), ranked=False), "meets")]
    assert codes(bench) == []


def test_a_block_with_enough_dimensions_is_enough(bench):
    bench.rank = 2
    bench.sites = [SiteVerdict(bench.site(block=(const(16), const(16))), "meets")]
    assert codes(bench) == []


def test_a_contract_that_no_launch_meets(bench):
    clause = Clause(eq(s.block_size(0), const(7)), origin="declared", text="block == (2048, 1, 1)")
    bench.declared = (clause,)
    bench.refute("contract", "unsatisfiable", None)
    f = bench.one()
    assert (f.code, f.severity) == ("GL502", "error")
    assert f.message == "no launch can meet the contract: `block == (2048, 1, 1)`"
