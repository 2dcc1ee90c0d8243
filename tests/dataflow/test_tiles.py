"""Access sets of tile kernels: lanes, masks, unknowns and the operations that must fit."""

from __future__ import annotations

from gpulint import term as t
from gpulint.dataflow import Access, analyse
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.types import BOOL, FLOAT32, INT32, INT64
from gpulint.term import show
from tests import tiles as b

B, N, K = b.v("BLOCK"), b.v("n"), b.v("K")
OFFS = b.pid() * B + b.arange(B)


def text(guard: t.Bool) -> str:
    """The conjuncts in alphabetical order."""
    return " and ".join(sorted(map(show, t.conjuncts(guard)))) or "True"


def line(a: Access) -> str:
    lanes = ", ".join(f"{lane.name} < {show(size)}" for lane, size in a.lanes)
    loops = "".join(f" for {lp.counter.name} < {show(lp.trips)}" for lp in a.loops)
    exact = "" if a.exact else " (inexact)"
    return f"{a.mode} {a.array.name}[{show(a.subscripts[0])}] if {text(a.guard)} over [{lanes}]{loops}{exact}"


def lines(*body, **how) -> list[str]:
    return [line(a) for a in analyse(b.kernel(*body, **how)).accesses]


def ops(*body, feeds: str, **how) -> list[tuple[str, str]]:
    found = analyse(b.kernel(*body, **how)).ops
    return [(show(o.term), text(o.guard)) for o in found if o.feeds == feeds]


def test_mask_and_lanes_of_a_store():
    assert lines(b.store("out", OFFS, B, OFFS < N)) == [
        "write out[lane0 + BLOCK * blockIdx.x] if lane0 + BLOCK * blockIdx.x < n over [lane0 < BLOCK]"
    ]


def test_the_domain_holds_the_range_of_each_lane():
    access = analyse(b.kernel(b.store("out", OFFS, B))).accesses[0]
    assert show(access.domain) == "lane0 < BLOCK"


def test_a_pointer_has_one_extent():
    access = analyse(b.kernel(b.store("out", OFFS, B))).accesses[0]
    assert access.checks == ((access.subscripts[0], symbols.extent("out", 0, 1)),)


def test_relane_exchanges_the_coordinates_of_both_operands():
    offs = b.let("o", b.arange(B))
    o = b.v("o")
    assert lines(offs, b.store("out", o.col(B) * K + o.row(B), (B, B), (o.row(B) < N) & (o.col(B) < K))) == [
        "write out[lane1 + K * lane0] if lane0 < K and lane1 < n over [lane0 < BLOCK, lane1 < BLOCK]"
    ]


def test_relane_is_simultaneous():
    tile = b.let("p", b.lane(0, B) * K + b.lane(1, B))
    assert lines(tile, b.store("out", b.v("p").move(b.lane(1, B), b.lane(0, B)), (B, B))) == [
        "write out[lane0 + K * lane1] if True over [lane0 < BLOCK, lane1 < BLOCK]"
    ]


def test_flattening_divides_the_lane():
    tile = b.let("p", b.lane(0, 4) * K + b.lane(1, 8))
    flat = b.v("p").move(b.lane(0, 32) // 8, b.lane(0, 32) % 8)
    assert lines(tile, b.store("out", flat, 32)) == [
        "write out[(lane0 % 8) + K * (lane0 // 8)] if True over [lane0 < 32]"
    ]


def test_a_pointer_advanced_in_a_loop_is_closed():
    body = [
        b.let("p", b.arange(B)),
        b.loop("k", 0, b.cdiv(K, B), 1, b.load("x", "x", b.v("p"), B), b.let("p", b.v("p") + B)),
    ]
    trips = show(t.cdiv(symbols.param("K"), t.sym("BLOCK", t.Scope.LAUNCH, 1)))
    (access,) = analyse(b.kernel(*body)).accesses
    assert [show(x) for x in access.subscripts] == ["lane0 + BLOCK * k"]
    assert [show(lp.trips) for lp in access.loops] == [trips]


def test_a_tile_carried_round_a_loop_is_relaned_in_closed_form():
    q, k = b.v("q"), b.v("k")
    body = [
        b.let("q", b.arange(B)),
        b.loop("k", 0, K, 1, b.load("x", "x", q.row(B) + k, (1, B), q.row(B) < N), b.let("q", q + B)),
    ]
    assert lines(*body)[0].startswith("read x[k + lane1 + BLOCK * k] if k < K and lane1 + BLOCK * k < n")


def test_a_tile_permuted_in_a_loop_is_a_function_of_iteration_and_lane():
    turned = b.v("q").move(b.lane(0, B) + 1)
    body = [b.let("q", b.arange(B)), b.loop("k", 0, K, 1, b.load("x", "x", b.v("q"), B), b.let("q", turned))]
    assert lines(*body) == [
        "read x[q(blockIdx.x, k, lane0)] if k < K over [lane0 < BLOCK] for k < K (inexact)"
    ]


def test_loads_of_written_arrays_are_functions_of_program_and_lane():
    both = b.v("i").col(B) + b.v("i").row(B)
    body = [
        b.load("i", "idx", OFFS, B, type_=INT32),
        b.store("out", both, (B, B)),
        b.store("idx", OFFS, B),
    ]
    found = analyse(b.kernel(*body, elements={"idx": INT32})).accesses[1].subscripts[0]
    args = sorted([show(x) for x in a.args] for a in t.apps(found, op="fn"))
    assert args == [["blockIdx.x", "lane0"], ["blockIdx.x", "lane1"]]


def test_loads_of_unwritten_arrays_keep_their_place():
    body = [b.load("i", "idx", OFFS, B, OFFS < N, type_=INT32), b.store("out", b.v("i"), B, OFFS < N)]
    assert lines(*body, elements={"idx": INT32})[1] == (
        "write out[idx[lane0 + BLOCK * blockIdx.x]] if lane0 + BLOCK * blockIdx.x < n over [lane0 < BLOCK]"
    )


def test_masked_lanes_have_the_value_other():
    offs = b.arange(B)
    body = [b.load("i", "idx", offs, B, offs < N, other=7, type_=INT32), b.store("out", b.v("i"), B)]
    assert lines(*body, elements={"idx": INT32})[1] == (
        "write out[idx[lane0] if lane0 < n else 7] if True over [lane0 < BLOCK]"
    )


def test_masked_lanes_without_other_may_be_anything():
    offs = b.arange(B)
    body = [b.load("i", "idx", offs, B, offs < N, type_=INT32), b.store("out", b.v("i"), B)]
    found = analyse(b.kernel(*body, elements={"idx": INT32})).accesses[1].subscripts[0]
    choice = found.atom
    assert isinstance(choice, t.App) and choice.op == "select"
    assert t.apps(choice.args[2], op="fn") and show(choice.args[0]) == "lane0 < n"


def test_a_scalar_result_differs_between_programs_that_name_no_coordinate():
    body = [b.atomic("count", 0, target="s"), b.store("out", b.v("s"))]
    found = analyse(b.kernel(*body, element=INT32))
    assert symbols.block(0).atom in t.symbols(found.accesses[1].subscripts[0])
    assert t.lt(symbols.block(0), symbols.grid_size(0)) in found.facts


def test_a_reduction_depends_on_the_lanes_of_its_rank():
    row = b.unknown("max", b.lane(0, B) * K + b.lane(1, B), rank=1)
    found = analyse(b.kernel(b.store("out", row.row(B), (1, B)))).accesses[0].subscripts[0]
    assert [[show(x) for x in a.args] for a in t.apps(found, op="fn")] == [["blockIdx.x", "lane1"]]


def test_a_condition_on_opaque_values_is_one_for_each_lane():
    body = [b.load("w", "x", OFFS, B), b.let("m", b.x(n.Opaque("random", (), BOOL, True, 1))),
            b.store("out", b.v("m", BOOL).row(B).col(B), (B, B), b.v("m", BOOL).row(B))]  # fmt: skip
    guard = analyse(b.kernel(*body)).accesses[1].guard
    assert [[show(x) for x in a.args] for a in t.apps(guard, op="fn")] == [["blockIdx.x", "lane1"]]


def test_tile_sizes_are_at_least_one():
    found = analyse(b.kernel(b.store("out", OFFS, B)))
    size = found.accesses[0].lanes[0][1]
    assert size.lo == 1
    assert t.le(size, symbols.MAX_TILE) in found.facts


def test_a_size_under_a_branch_at_compile_time_may_be_anything():
    k = b.kernel(b.when(b.v("FLAG").same(1), b.store("out", OFFS, B)))
    assert [p.lo for p in k.params if p.name == "BLOCK"] == [None]


def test_an_operation_of_a_mask_must_fit_on_every_lane():
    assert ops(b.store("out", b.arange(B), B, OFFS < N), feeds="guard") == [
        ("BLOCK * blockIdx.x", "True"), ("lane0 + BLOCK * blockIdx.x", "lane0 < BLOCK"),
    ]  # fmt: skip


def test_an_operation_of_an_address_must_fit_where_the_mask_holds():
    found = ops(b.store("out", b.arange(B) * K, B, b.arange(B) < N), feeds="address")
    assert found == [("K * lane0", "lane0 < BLOCK and lane0 < n")]


def test_an_operation_is_asked_for_at_the_lanes_that_use_it():
    body = [
        b.let("o", b.arange(B) * K),
        b.store("out", b.v("o").row(B) + b.lane(0, 4), (4, B), b.lane(1, B) < N),
    ]
    assert ("K * lane1", "lane0 <= 3 and lane1 < BLOCK and lane1 < n") in ops(*body, feeds="address")


def test_an_operation_of_a_reduction_must_fit_on_its_own_lanes():
    body = [b.store("out", b.unknown("max", b.arange(B) * K) + b.lane(0, 4), 4, b.lane(0, 4) < N)]
    assert ("K * lane0", "lane0 < BLOCK") in ops(*body, feeds="address")


def test_the_last_advance_of_a_pointer_need_not_fit():
    body = [b.let("p", b.pid()), b.loop("k", 0, K, 1, b.load("x", "x", b.v("p")), b.let("p", b.v("p") + N))]
    guards = dict(ops(*body, feeds="address"))
    assert "k >= 1" in guards["blockIdx.x + k * n"]


def test_int64_operations_keep_their_width():
    found = analyse(b.kernel(b.store("out", b.pid().wide() * K * N, ()))).ops
    assert {o.type for o in found} == {INT64}


def test_c_division_is_floor_division_where_the_guard_shows_it():
    body = [b.when(N >= 0, b.store("out", N // 4))]
    assert lines(*body) == ["write out[n // 4] if n >= 0 over []"]


def test_c_division_of_either_sign_stays():
    assert lines(b.store("out", N // 4)) == ["write out[trunc_div(n, 4)] if True over []"]


def test_aranges_are_recorded():
    effect = n.Effect("arange", (b.x(0).e, (B * 2).e), b.at(7))
    ((start, end, span),) = analyse(b.kernel(effect, b.store("out", b.arange(B * 2), B * 2))).aranges
    assert (show(start), show(end), span.row) == ("0", "2 * BLOCK", 7)


def test_a_masked_float_load_says_nothing_of_its_value():
    body = [b.load("w", "x", OFFS, B, OFFS < N), b.store("out", OFFS, B, b.v("w", FLOAT32) > 0.5)]
    guard = analyse(b.kernel(*body)).accesses[1].guard
    assert [[show(x) for x in a.args] for a in t.apps(guard, op="fn")] == [["blockIdx.x", "lane0"]]


def test_operations_of_other_must_fit_where_the_load_is_used():
    offs = b.arange(B)
    body = [
        b.load("i", "idx", offs, B, offs < N, other=K * 2, type_=INT32),
        b.store("out", b.v("i"), B, offs < 3),
    ]
    found = ops(*body, elements={"idx": INT32}, feeds="address")
    assert ("2 * K", "lane0 < BLOCK and lane0 <= 2") in found


def test_a_wide_sum_of_narrow_operands_fits_where_they_do():
    k = b.kernel(b.store("out", (b.pid() * K).wide() + N, ()))
    assert [o.type for o in analyse(k).ops] == [INT32]


def test_a_wide_product_of_wide_operands_may_leave():
    k = b.kernel(b.store("out", b.pid().wide() * K * N, ()))
    assert [o.term for o in analyse(k).ops] == [
        t.mul(symbols.block(0), symbols.param("K") * symbols.param("n"))
    ]
