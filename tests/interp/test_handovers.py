"""Order that atomics hand from one program of a tile kernel to another."""

from __future__ import annotations

import pytest

from gpulint import interp
from gpulint.interp import ConcreteArray
from gpulint.ir import nodes as n
from tests import tiles as b

BARRIER = n.Barrier("block", b.at(1))


def races(*body, grid=2):
    zeros = {name: ConcreteArray((4,), lambda index: 0, dtype="int32") for name in ("x", "out")}
    return interp.run(b.kernel(*body), b.launch(grid, arrays=zeros)).of("race")


def taken(name="old", place=0):
    """The lock is taken: an atomic whose result is used."""
    return b.atomic("x", place, op="xchg", value=1, target=name)


def update():
    return b.load("v", "out", b.arange(4), 4), b.store("out", b.arange(4), 4, value=b.v("v") + 1)


def freed(place=0):
    return b.atomic("x", place, op="xchg", value=0)


def test_a_lock_orders_what_is_done_under_it():
    assert races(taken(), *update(), BARRIER, freed(), grid=3) == []


@pytest.mark.parametrize("end", [(), (BARRIER,)])
def test_a_lock_freed_before_all_lanes_are_done_orders_nothing(end):
    assert races(taken(), *update(), freed(), *end)


def test_an_update_after_the_lock_was_freed():
    assert races(taken(), BARRIER, freed(), *update())


def test_an_update_before_the_lock_is_taken():
    assert races(*update(), taken(), BARRIER, freed())


def test_each_program_frees_another_lock():
    assert races(taken(place=b.pid()), *update(), BARRIER, freed(b.pid()))


def test_an_atomic_whose_result_is_not_used_waits_for_nothing():
    assert races(freed(), *update(), BARRIER, freed())


def test_the_last_to_arrive_reads_what_the_others_wrote():
    last = b.when(b.v("old").same(2), b.load("v", "out", b.arange(3), 3))
    first = b.when(b.v("old").same(0), b.load("v", "out", b.arange(3), 3))
    arrive = b.store("out", b.pid()), BARRIER, b.atomic("x", 0, value=1, target="old")
    assert races(*arrive, last, grid=3) == []
    assert races(*arrive, first, grid=3)
