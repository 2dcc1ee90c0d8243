"""Which arguments share memory."""

from __future__ import annotations

import pytest

from gpulint.contract.alias import overlaps
from tests.contract.kernels import array, host, site


def pairs(*arguments, exact=True, arrays=None):
    given = dict(zip("abcd", arguments, strict=False))
    return [(o.a, o.b, o.certain, o.same) for o in overlaps(site(given, exact=exact), arrays)]


FRESH = {"fresh": True}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (host("x", ["n"]), host("x", ["n"]), [("a", "b", True, True)]),
        (host("x", ["n"], **FRESH), host("y", ["n"], **FRESH), []),
        (host("x", ["n"]), host("y", ["n"]), [("a", "b", False, False)]),
        (host("x", ["n"]), host("y", ["n"], **FRESH), []),
        (host("x", ["n"]), host("x[1:]", ["m"], buffer="x", whole=False), [("a", "b", True, False)]),
        (
            host("x[:k]", ["k"], buffer="x", whole=False),
            host("x[k:]", ["m"], buffer="x", whole=False),
            [("a", "b", False, False)],
        ),
        (
            host("x[1:]", ["m"], buffer="x", whole=False),
            host("x[1:]", ["m"], buffer="x", whole=False),
            [("a", "b", True, True)],
        ),
        (
            host("x", ["n", "n"], contiguous=True),
            host("x.T", ["n", "n"], buffer="x", contiguous=None),
            [("a", "b", True, False)],
        ),
        (host("x", [0]), host("x", [0]), []),
    ],
)
def test_pairs(first, second, expected):
    assert pairs(first, second) == expected


def test_a_fresh_array_may_hide_behind_a_value_that_is_not_understood():
    fresh, unknown = host("y", ["n"], fresh=True), host("f(y)", ["n"])
    assert pairs(fresh, unknown, exact=False) == [("a", "b", False, False)]


def test_arrays_that_are_only_read_do_not_matter():
    x = host("x", ["n"])
    arrays = {"a": array("a", 1), "b": array("b", 1), "c": array("c", 1, written=True)}
    assert [(o[0], o[1]) for o in pairs(x, x, x, arrays=arrays)] == [("a", "c"), ("b", "c")]


def test_arrays_of_another_element_type_do_not_meet_at_the_same_subscripts():
    x, y = host("x", ["n"], dtype="float32"), host("x", ["n"], dtype="int32")
    assert pairs(x, y) == [("a", "b", True, False)]
