"""No-wrap, coverage, barriers, initialisation, and what the tool says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpulint.dataflow.access import IntOp
from gpulint.ir.types import INT32
from gpulint.solver.verdict import UNDECIDED, Witness
from gpulint.term import TRUE, sym


def test_overflow_shows_the_product_and_its_type(bench, make):
    term = sym("row") * sym("width")
    op = IntOp(term, INT32, TRUE, (), make.place(8), "address", "row * width")
    params = {"row": 65536, "width": 32768}
    w = Witness(params, (1, 1, 1), (1, 1, 1), (make.point(0, 0),), values={"row * width": 2**31})
    bench.refute("no-wrap", "", w, op=op)
    f = bench.one()
    assert (f.code, f.property) == ("GL401", "no-wrap")
    assert f.message == (
        "`row * width` comes to 2147483648 and does not fit int32 in thread 0 of block 0; it feeds an index"
    )
    assert f.label == "row * width = 65536 * 32768"


@pytest.mark.parametrize(("kind", "code"), [("grid", "GL601"), ("output", "GL602")])
def test_uncovered_elements(bench, make, kind, code):
    w = Witness({"n": 300}, (1, 1, 1), (256, 1, 1), (), "out", (256,), (300,))
    bench.refute("covered", kind, w, site=bench.site())
    f = bench.one()
    assert (f.code, f.severity) == (code, "error")
    assert "out[256]" in f.message


def test_a_barrier_that_some_threads_miss(bench, make):
    w = Witness({}, (1, 1, 1), (2, 1, 1), (make.point(0, 0), make.point(0, 1)))
    bench.refute("convergent", "block", w)
    f = bench.one()
    assert f.message == "thread 0 of block 0 reaches this barrier and thread 1 of block 0 does not"


def test_a_read_of_nothing(bench, make):
    bench.refute("initialised", "read", make.tail(3), bench.access("read"))
    assert bench.one().message == "thread 232 of block 3 reads out[3], which nothing has written"


def test_undecided_is_info_with_reason_property_and_clause(bench):
    bench.refute("disjoint", "write-write", None, bench.access("write"), verdict=UNDECIDED,
                 reason="indirect index", settle="injective(idx)")  # fmt: skip
    f = bench.one()
    assert (f.code, f.severity, f.property) == ("GL011", "info", "disjoint")
    assert f.message == "`out[i]` is not shown to be free of races: indirect index"
    assert f.help == "this clause would settle it: `injective(idx)`"


def test_an_undecided_launch_is_told_at_the_launch(bench):
    from gpulint.solver.verdict import SiteVerdict

    bench.sites = [SiteVerdict(bench.site(), "undecided", reason="the grid is not understood")] * 2
    f = bench.one()
    assert (f.code, f.property, f.span.row) == ("GL011", "contract", 15)
    assert f.message == "this launch is not shown to meet the contract: the grid is not understood"


def test_an_undecided_launch_does_not_repeat_an_obligation(bench):
    from gpulint.solver.verdict import SiteVerdict

    bench.refute("disjoint", "write-write", None, bench.access("write"), verdict=UNDECIDED, reason="why")
    bench.sites = [SiteVerdict(bench.site(), "undecided", reason="why")]
    assert bench.one().property == "disjoint"


def test_denied_undecided_is_a_warning_and_hides_nothing(bench, make):
    bench.deny = True
    access = bench.access("write")
    bench.refute("in-range", "write", None, access, verdict=UNDECIDED)
    bench.refute("in-range", "write", make.tail(), access)
    assert {(f.code, f.severity) for f in bench.found()} == {("GL011", "warning"), ("GL203", "warning")}


def test_an_unsupported_construct_is_named_once(bench, make):
    bench.unsupported = (("a generator", make.place(8)),) * 2
    f = bench.one()
    assert (f.code, f.severity, f.message) == ("GL010", "info", "not understood: a generator")


def test_a_refutation_without_a_rule_is_not_dropped(bench):
    bench.refute("in-range", "write", None)
    f = bench.one()
    assert f.code == "GL002"
    assert "has no rule" in f.message


def test_an_output_that_a_small_grid_leaves_unwritten_is_told_once(bench, make):
    bench.refute("covered", "write", make.tail(), bench.access("store"), site=bench.site())
    bench.refute("covered", "output", make.tail(), bench.access("store", row=12), site=bench.site())
    assert bench.one().code == "GL601"


def test_an_output_that_another_launch_leaves_unwritten_is_told_too(bench, make):
    other = replace(bench.site(), span=make.place(20))
    bench.refute("covered", "write", make.tail(), bench.access("store"), site=bench.site())
    bench.refute("covered", "output", make.tail(), bench.access("store", row=12), site=other)
    assert sorted(f.code for f in bench.found()) == ["GL601", "GL602"]
