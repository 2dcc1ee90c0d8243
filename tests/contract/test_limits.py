"""What devices accept."""

from __future__ import annotations

import pytest

from gpulint import term as t
from gpulint.contract.clause import Clause
from gpulint.contract.limits import DEVICES, devices_for, launch_conditions

N = t.sym("n")


def limit(name, amount):
    return Clause(predicate=name, bounds=(t.const(amount),))


def test_sizes_within_the_limits_need_no_condition():
    assert launch_conditions((t.const(65535),), (t.const(32), t.const(32))) == []


@pytest.mark.parametrize(
    ("grid", "block", "names"),
    [
        ((1,), (1025,), ["block-axis"]),
        ((1,), (64, 32), ["threads-per-block"]),
        ((1,), (1, 1, 65), ["block-axis"]),
        ((0,), (1,), ["grid-axis"]),
        ((2**31,), (1,), ["grid-axis"]),
        ((1, 65536), (1,), ["grid-axis"]),
    ],
)
def test_sizes_beyond_the_limits_are_refused(grid, block, names):
    found = launch_conditions(tuple(map(t.const, grid)), tuple(map(t.const, block)))
    assert [(c.name, c.condition) for c in found] == [(n, t.FALSE) for n in names]


def test_a_symbolic_size_gives_the_condition_to_prove():
    (c,) = launch_conditions((t.cdiv(N, 256),), None)
    assert t.holds(c.condition, {N.atom: 1}) and not t.holds(c.condition, {N.atom: 0})
    assert c.message == "grid.x is (n + 255) // 256; the device takes 1 to 2147483647"


def test_shared_memory_beyond_every_device():
    assert launch_conditions(None, None, t.const(227 * 1024)) == []
    (c,) = launch_conditions(None, None, t.const(228 * 1024))
    assert (c.name, c.condition) == ("shared-memory", t.FALSE)


def test_limit_clauses_choose_devices():
    assert {d.arch for d in devices_for((limit("min_cc", 100),))} == {"sm_100", "sm_103", "sm_120", "sm_121"}
    assert "sm_86" not in {d.arch for d in devices_for((limit("max_shared", 100 * 1024),))}
    assert {d.cc for d in devices_for((limit("cluster", 8),))} == {90, 100, 103, 120, 121}
    assert len(devices_for((limit("cooperative", 1),))) == len(DEVICES)
    assert devices_for((limit("min_cc", 120), limit("max_shared", 200 * 1024))) == ()
