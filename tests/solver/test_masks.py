"""Masks of warp operations against what they say of each two lanes."""

from __future__ import annotations

import random
from itertools import product

import pytest
from interp.build import launch
from kernels import kernel

from gpulint import interp
from gpulint.dataflow import analyse
from gpulint.dataflow.shuffles import of_lane
from gpulint.interp.launch import ConcreteArray
from gpulint.ir import symbols
from gpulint.ir.nodes import Kernel
from gpulint.solver import convergence, disjoint, general, masks, presumed
from gpulint.solver.options import Options
from gpulint.solver.pairs import Pairing
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER
from gpulint.term import FALSE, TRUE, Bool, Scope, const, eq, ge, mod, select, subst, sym

LANE = mod(symbols.thread(0), 32)
HALVES = select(ge(LANE, 16), const(0xFFFF0000), const(0xFFFF))
A, B = (sym(name, Scope.POINT, 0, 31) for name in ("a", "b"))


def at(c: Bool, a: int, b: int = 0) -> bool:
    found = subst(c, {x.atom: const(v) for x, v in ((A, a), (B, b))})
    assert found in (TRUE, FALSE)
    return found == TRUE


@pytest.mark.parametrize("lanes", [0, 1, 0x55555555, 0xAAAAAAAA, 0xFFFF, 0x0F0F0F0F, 0x80000001, masks.FULL])
def test_a_lane_is_among_those_whose_bit_is_set(lanes: int) -> None:
    assert [at(masks.among(A, lanes), k) for k in range(32)] == [bool(lanes >> k & 1) for k in range(32)]


def test_any_lanes() -> None:
    chosen = random.Random(5)
    for _ in range(20):
        test_a_lane_is_among_those_whose_bit_is_set(chosen.getrandbits(32))


def tables() -> list[masks.Table]:
    given = [None, const(0xFFFF), const(-1), HALVES, select(eq(LANE, 5), const(1), const(0xF0))]
    return [t for t in map(masks.table, given) if t is not None]


def test_what_a_table_says_of_two_lanes() -> None:
    for t in tables():
        names, meet = masks.names(t, A, B), masks.meet(t, A, B)
        for a, b in product(range(0, 32, 3), range(32)):
            assert at(names, a, b) == bool(t[a] >> b & 1)
            together = t[a] == t[b] and bool(t[a] >> a & t[a] >> b & 1)
            assert at(meet, a, b) == together == masks.together(t, a, b)


def test_lanes_that_fit_their_masks() -> None:
    assert masks.fitting(masks.table(HALVES) or ()) == masks.FULL
    assert masks.fitting((0xFFFF,) * 32) == 0xFFFF
    own = tuple(1 << k for k in range(32))
    assert masks.fitting(own) == masks.FULL and not masks.sets([own])


def test_a_mask_that_hangs_on_more_than_the_lane_is_no_table() -> None:
    assert masks.table(symbols.thread(0)) is None
    assert masks.table(symbols.param("m")) is None
    assert subst(HALVES, of_lane(20)).value == 0xFFFF0000


KERNEL = """@cuda.jit
def k(x, out):
    s = cuda.shared.array(64, numba.int32)
    t = cuda.threadIdx.x
    lane = t % 32
    {before}
    s[t] = x[t] if t < x.shape[0] else 0
    {barrier}
    v = s[{place}]
    if t < out.shape[0]:
        out[t] = v
"""
BARRIERS = [
    "cuda.syncwarp()", "cuda.syncwarp(0xFFFF if lane < 16 else 0xFFFF0000)",
    "cuda.syncwarp(0xFF << (lane & 24))", "cuda.syncwarp(3 << (lane & 30))",
    "cuda.syncwarp(0x55555555 << (lane & 1))", "cuda.syncwarp(1 << lane)",
]  # fmt: skip
PLACES = ["t ^ 1", "t ^ 2", "t ^ 16", "t ^ 8", "t ^ 32", "t"]


def apart(k: Kernel, array: str) -> bool:
    """Whether the accesses of an array are proved to be ordered or apart."""
    s = Setting(k, analyse(k), Options()).with_premises((presumed.along_x(),))
    named, pairing = general.nameable(k, s.accesses), Pairing(k, s.accesses)
    pairs = [p for a, b in pairing.candidates() if a.array.name == array for p in pairing.scopes(a, b)]
    return all(disjoint.decide(s, p, named).kind in (PROVED, UNDER) for p in pairs)


@pytest.mark.parametrize("barrier", BARRIERS)
def test_only_lanes_that_a_barrier_orders_may_share(barrier: str) -> None:
    for place in PLACES:
        k = kernel(KERNEL.format(before="pass", barrier=barrier, place=place))
        arrays = {name: ConcreteArray((64,), dtype="int32") for name in ("x", "out")}
        raced = bool(interp.run(k, launch(block=64, **arrays)).of("race"))
        assert apart(k, "s") == (not raced), (barrier, place)


@pytest.mark.parametrize("before", ["if lane > 20:\n        return", "if t == 3:\n        return"])
def test_a_part_of_which_a_lane_has_left_is_not_proved(before: str) -> None:
    k = kernel(KERNEL.format(before=before, barrier="cuda.syncwarp(0xFF << (lane & 24))", place="t ^ 1"))
    s = Setting(k, analyse(k), Options())
    (o,) = convergence.obligations(s)
    assert convergence.again(s, o).kind == "undecided"
