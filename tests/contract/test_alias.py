"""Which arguments share memory."""

from __future__ import annotations

import pytest

from gpulint.contract.alias import linked, overlaps
from gpulint.contract.clause import Clause
from gpulint.contract.predicates import at_site
from gpulint.term import const
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


def clause(predicate, *arrays, bounds=()):
    return Clause(predicate=predicate, arrays=arrays, bounds=bounds)


X, Y = host("x", ["n"], fresh=True, contiguous=True), host("y", ["n"], fresh=True, contiguous=False)


@pytest.mark.parametrize(
    ("c", "arguments", "answer"),
    [
        (clause("noalias", "a", "b"), (X, Y), True),
        (clause("noalias", "a", "b"), (X, X), False),
        (clause("noalias", "a", "b"), (host("v", ["n"]), host("w", ["n"])), None),
        (clause("noalias", "a", "b", "c"), (X, Y, X), False),
        (clause("noalias", "a", "z"), (X, Y), None),
        (clause("contiguous", "a"), (X,), True),
        (clause("contiguous", "a"), (Y,), False),
        (clause("contiguous", "a"), (host("v", ["n"]),), None),
        (clause("aligned", "a", bounds=(const(16),)), (X,), True),
        (clause("aligned", "a", bounds=(const(512),)), (X,), None),
        (clause("aligned", "a", bounds=(const(16),)), (host("v", ["n"]),), None),
        (clause("injective", "a"), (X,), None),
    ],
)
def test_predicates_at_a_site(c, arguments, answer):
    assert at_site(c, site(dict(zip("abc", arguments, strict=False)))) is answer


def test_an_overlap_at_a_site_that_is_not_understood_is_no_violation():
    c = clause("noalias", "a", "b")
    assert at_site(c, site({"a": X, "b": X}, exact=False)) is None


def test_another_arrangement_may_be_the_same_memory():
    x, copied = host("x", ["n"], fresh=True), host("b", ["n"], fresh=True)
    either = host("x.reshape(-1)", ["n"], sharing=("x",))
    assert pairs(x, either) == [("a", "b", False, False)] and pairs(copied, either) == []
    assert linked(x, either) and not linked(copied, either)
