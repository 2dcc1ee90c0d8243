"""Accesses outside their array."""

from __future__ import annotations

from gpulint.contract.clause import Clause
from gpulint.ir import symbols as s
from gpulint.solver.verdict import Witness
from gpulint.term import lt, mod, sym


def test_an_unguarded_tail_at_a_launch_site_reads_as_in_the_design(bench, make):
    access, site = bench.access("write"), bench.site()
    bench.refute("in-range", "write", make.tail(), access, site=site)
    f = bench.one()
    assert (f.code, f.name, f.property, f.severity) == (
        "GL203", "unguarded-launch-tail", "in-range", "error"
    )  # fmt: skip
    assert f.message == "thread 232 of block 3 writes out[1000], one past its end"
    assert f.label == "i = blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + 232"
    assert f.help == "guard the store: `if i < out.size:`"
    (launch,) = f.related
    assert launch.message == "launched with grid 4, block 256, out.size = 1000"
    assert launch.span == site.span


def test_without_a_site_it_is_a_warning_with_an_example(bench, make):
    bench.refute("in-range", "write", make.tail(), bench.access("write"), geometry=True)
    f = bench.one()
    assert f.severity == "warning"
    assert f.notes[0] == "for example with grid 4, block 256, out.size = 1000"


def test_under_a_declared_contract_it_is_an_error(bench, make):
    guard = lt(make.grid, sym("n"))
    bench.declared = (Clause(text="n <= 10", origin="declared"),)
    bench.refute("in-range", "write", make.tail(), bench.access("write", guard=guard))
    f = bench.one()
    assert (f.code, f.severity) == ("GL102", "error")


def test_a_geometry_refutation_stays_a_warning_under_a_contract(bench, make):
    bench.declared = (Clause(text="n <= 10", origin="declared"),)
    bench.refute("in-range", "write", make.tail(), bench.access("write"), geometry=True)
    assert bench.one().severity == "warning"


def test_a_guarded_read_is_no_tail(bench, make):
    index = make.grid + 1
    access = bench.access("read", index, guard=lt(make.grid, s.extent("out", 0, 1)), text="i + 1")
    bench.refute("in-range", "read", make.tail(1002), access)
    f = bench.one()
    assert (f.code, f.name) == ("GL101", "out-of-range-read")
    assert f.message == "thread 232 of block 3 reads out[1002], 3 past its end"
    assert f.help == "guard the load: `if i + 1 < out.size:`"


def test_an_atomic_out_of_range_counts_as_a_write(bench, make):
    guard = lt(make.grid, sym("n"))
    bench.refute("in-range", "atomic", make.tail(), bench.access("atomic", guard=guard))
    f = bench.one()
    assert f.code == "GL102"
    assert "updates out[1000]" in f.message


def test_a_negative_element(bench, make):
    access = bench.access("read", make.grid - sym("k"), text="i - k")
    w = Witness({"k": 5, "out.size": 4}, (1, 1, 1), (4, 1, 1), (make.point(0, 0),), "out", (-5,), (4,))
    bench.refute("in-range", "read", w, access)
    f = bench.one()
    assert (f.code, f.message) == ("GL103", "thread 0 of block 0 reads out[-5], 5 before its start")
    assert f.help == "guard the load: `if 0 <= i - k < out.size:`"


def test_counting_from_the_end_is_a_warning_even_at_a_site(bench, make):
    access = bench.access("read", make.grid - 1, text="i - 1")
    w = Witness({"out.size": 4}, (1, 1, 1), (4, 1, 1), (make.point(0, 0),), "out", (-1,), (4,))
    bench.refute("in-range", "negative", w, access, site=bench.site())
    f = bench.one()
    assert (f.code, f.severity) == ("GL103", "warning")
    assert f.message == "thread 0 of block 0 reads out[-1], which counts from the end: out[3]"


def test_loop_counters_are_not_shown_as_the_users_loop_variable(bench, make):
    from gpulint.term import Scope

    guard = lt(make.grid, sym("n"))
    access = bench.access("write", make.grid + sym("k", Scope.LOOP), guard=guard, text="i + k")
    bench.refute("in-range", "write", make.tail(trips=({"k": 3},)), access)
    assert bench.one().label == "i + k = 1000"


def test_an_empty_array_is_said_to_be_empty(bench, make):
    w = Witness({"out.size": 0}, (1, 1, 1), (1, 1, 1), (make.point(0, 0),), "out", (0,), (0,))
    bench.refute("in-range", "write", w, bench.access("write"))
    assert bench.one().message == "thread 0 of block 0 writes out[0], but out is empty"


def test_more_axes_name_the_axis_and_show_points_as_tuples(bench, make):
    point = ((0, 2, 0), (3, 1, 0))
    w = Witness({}, (1, 4, 1), (8, 8, 1), (point,), "m", (3, 9), (5, 9))
    bench.refute("in-range", "write", w)
    expected = "thread (3, 1) of block (0, 2) touches m[3, 9], one past its end along axis 1"
    assert bench.one().message == expected


def test_a_loaded_subscript_shows_no_made_up_numbers(bench, make):
    from gpulint.term import load

    access = bench.access("write", load("idx", [make.grid]), guard=lt(make.grid, sym("n")), text="idx[i]")
    bench.refute("in-range", "write", make.tail(), access)
    assert bench.one().label == "idx[i] = idx[blockIdx.x * blockDim.x + threadIdx.x] = 1000"


def test_brackets_of_a_modulo_survive_filling_in_numbers(bench, make):
    access = bench.access("write", mod(make.grid, sym("w", lo=1)), guard=lt(make.grid, sym("n")), text="j")
    w = Witness({"w": 7}, (4, 1, 1), (256, 1, 1), (make.point(3, 232),), "out", (6,), (6,))
    bench.refute("in-range", "write", w, access)
    assert bench.one().label.endswith("= (3 * 256 + 232) % 7")


def test_one_finding_for_a_place_that_fails_at_two_sites(bench, make):
    access = bench.access("write")
    bench.refute("in-range", "write", make.tail(), access, site=bench.site())
    bench.refute("in-range", "write", make.tail(1001), access, site=bench.site())
    assert len(bench.found()) == 1


def test_one_line_with_one_missing_guard_is_told_once_at_the_store(bench, make):
    from dataclasses import replace

    read, write = bench.access("read"), bench.access("write")
    read = replace(read, span=make.place(9, 20))
    bench.refute("in-range", "read", make.tail(), read, site=bench.site())
    bench.refute("in-range", "write", make.tail(), write, site=bench.site())
    f = bench.one()
    assert f.span == write.span
    assert (f.related[0].message, f.related[0].span) == ("so does this load", read.span)


def test_another_line_is_told_on_its_own(bench, make):
    bench.refute("in-range", "read", make.tail(), bench.access("read", row=8), site=bench.site())
    bench.refute("in-range", "write", make.tail(), bench.access("write"), site=bench.site())
    assert [f.span.row for f in bench.found()] == [8, 9]


def test_a_constant_subscript_is_not_to_be_guarded(bench):
    from gpulint.term import const

    w = Witness({}, (1, 1, 1), (1, 1, 1), (), "out", (2,), (2,))
    bench.refute("in-range", "read", w, bench.access("read", const(2), text="2"))
    assert bench.one().help == "correct the subscript, or launch only with `out.size > 2`"


def test_a_place_reached_through_calls_names_them(bench, make):
    from dataclasses import replace

    access = bench.access("write")
    inlined = replace(access, span=access.span.within(make.place(20)))
    bench.refute("in-range", "write", make.tail(), inlined, site=bench.site())
    assert bench.one().related[-1].message == "called from here"
    assert bench.one().related[-1].span == make.place(20)
