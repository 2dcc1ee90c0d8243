"""Contracts made small and readable, without a solver."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpulint import term as t
from gpulint.contract.clause import Clause
from gpulint.contract.declared import MAX_CLAUSES, declared
from gpulint.contract.implied import condition_implies
from gpulint.contract.satisfy import contradicts, simplify, trivially
from gpulint.contract.wording import texts
from gpulint.ir import symbols as s
from gpulint.ir.span import NOWHERE
from tests.contract.kernels import kernel

N, M, X, Y = s.param("n"), s.param("m"), s.size("x", 1), s.size("y", 1)
A0, B0 = s.extent("a", 0, 2), s.extent("b", 0, 2)


def inferred(*conditions):
    return [Clause(condition=c) for c in conditions]


def simplified(*conditions):
    return [str(c) for c in simplify(inferred(*conditions))]


@pytest.mark.parametrize(
    ("conditions", "answer"),
    [
        ([t.TRUE], True),
        ([t.ge(X, 0)], True),
        ([t.FALSE], False),
        ([t.le(N, 3), t.ge(N, 5)], False),
        ([t.eq(N, 3), t.ge(N, 5)], False),
        ([t.eq(t.sub(M, N), 3), t.lt(M, N)], False),
        ([t.eq(N, 3), t.eq(N, 4)], False),
        ([t.eq(N, 3), t.ne(N, 3)], False),
        ([t.le(X, -1)], False),
        ([t.le(N, 3), t.ge(N, 3)], None),
        ([t.le(N, X)], None),
    ],
)
def test_trivial_answers(conditions, answer):
    assert trivially(*conditions) is answer


def test_a_predicate_is_never_trivial():
    assert trivially(Clause(predicate="noalias", arrays=("x", "y"))) is None


def test_weaker_bounds_of_the_same_shape_are_dropped():
    assert simplified(t.le(N, X), t.le(t.sub(N, 1), X), t.lt(t.sub(N, 3), X)) == ["n <= x.size"]


def test_bounds_that_follow_from_signs_are_dropped():
    assert simplified(t.le(t.add(N, Y), X), t.le(N, X)) == ["n + y.size <= x.size"]


def test_opposite_bounds_become_an_equality():
    assert simplified(t.le(A0, B0), t.le(B0, A0)) == ["a.shape[0] == b.shape[0]"]


def test_bounds_within_an_equality_are_dropped():
    assert simplified(t.eq(N, X), t.le(N, X), t.ge(t.add(N, 2), X)) == ["n == x.size"]


def test_conjunctions_are_split_and_tautologies_dropped():
    assert simplified(t.and_(t.le(N, X), t.le(M, X)), t.TRUE) == ["m <= x.size", "n <= x.size"]


def test_a_disjunction_with_a_part_that_holds_is_dropped():
    assert simplified(t.or_(t.le(N, X), t.eq(M, 0)), t.le(N, X)) == ["n <= x.size"]


def test_a_declared_clause_stays_and_makes_the_inferred_one_superfluous():
    own = Clause(condition=t.le(N, X), text="x.size >= n", origin="declared")
    assert simplify([*inferred(t.le(N, X), t.lt(t.sub(N, 5), X)), own]) == (own,)
    weaker = Clause(condition=t.le(t.sub(N, 5), X), text="n - 5 <= x.size", origin="declared")
    assert [str(c) for c in simplify([*inferred(t.le(N, X)), weaker])] == ["n - 5 <= x.size", "n <= x.size"]


def test_predicates_that_another_covers_are_dropped():
    wide, narrow = (Clause(predicate="noalias", arrays=a) for a in (("x", "y", "z"), ("z", "x")))
    assert simplify([narrow, wide]) == (wide,)
    loose = Clause(predicate="within", arrays=("i",), bounds=(t.ZERO, t.add(N, 1)))
    tight = Clause(predicate="within", arrays=("i",), bounds=(t.ZERO, N))
    assert simplify([loose, tight]) == (tight,)
    low, high = (Clause(predicate="min_cc", bounds=(t.const(c),)) for c in (75, 90))
    assert simplify([low, high]) == (high,)


def test_the_order_is_that_of_reading():
    geometry = t.le(t.mul(s.grid_size(0), s.block_size(0)), X)
    clauses = [Clause(predicate="noalias", arrays=("x", "y")), *inferred(geometry, t.le(N, X), t.eq(X, Y))]
    assert [str(c) for c in simplify(clauses)] == [
        "x.size == y.size", "n <= x.size", "block.x * grid.x <= x.size", "noalias(x, y)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (t.le(N, X), "n <= x.size"),
        (t.lt(N, X), "n < x.size"),
        (t.ge(N, 1), "n >= 1"),
        (t.le(t.add(N, 2), X), "n + 2 <= x.size"),
        (t.eq(t.mod(N, 4), 0), "n % 4 == 0"),
        (t.eq(A0, B0), "a.shape[0] == b.shape[0]"),
        (t.eq(s.grid_size(0), 1), "grid.x == 1"),
        (t.le(t.sub(X, N), 5), "x.size <= n + 5"),
        (t.ne(N, 0), "n != 0"),
        (t.ge(t.sub(5, N), M), "m + n <= 5"),
        (t.ge(t.minimum(N, M), 1), "min(m, n) >= 1"),
    ],
)
def test_clauses_print_as_a_user_writes_them(condition, text):
    assert str(Clause(condition=condition)) == text


def test_a_block_fixed_on_all_axes_prints_as_a_tuple():
    block = [t.eq(s.block_size(i), v) for i, v in enumerate((256, 1, 1))]
    assert texts(inferred(*block, t.le(N, X))) == ["block == (256, 1, 1)", "n <= x.size"]
    assert texts(inferred(*block[:2])) == ["block.x == 256", "block.y == 1"]


ATOMS = [N, M, X]
LINEAR = st.tuples(*(st.integers(-2, 2) for _ in ATOMS), st.integers(-4, 4)).map(
    lambda v: t.add(*(t.mul(c, a) for c, a in zip(v, ATOMS, strict=False)), v[3])
)
SIMPLE = st.tuples(st.sampled_from([t.le, t.eq, t.ne]), LINEAR).map(lambda v: v[0](v[1], 0))
CONDITIONS = st.recursive(
    SIMPLE,
    lambda c: st.tuples(st.sampled_from([t.and_, t.or_]), c, c).map(lambda v: v[0](v[1], v[2])),
    max_leaves=4,
)
VALUES = st.fixed_dictionaries(
    {N.atom: st.integers(-5, 5), M.atom: st.integers(-5, 5), X.atom: st.integers(0, 5)}
)


@settings(max_examples=200, deadline=None)
@given(st.lists(CONDITIONS, max_size=5), VALUES)
def test_a_simplified_contract_means_the_same(conditions, env):
    before = all(t.holds(c, env) for c in conditions)
    after = all(t.holds(c.condition, env) for c in simplify(inferred(*conditions)))
    assert before == after


@settings(max_examples=300, deadline=None)
@given(SIMPLE, CONDITIONS, VALUES)
def test_implication_and_contradiction_are_certain(a, b, env):
    if condition_implies(a, b) and t.holds(a, env):
        assert t.holds(b, env)
    if contradicts(*inferred(a, b)):
        assert not (t.holds(a, env) and t.holds(b, env))


@settings(max_examples=200, deadline=None)
@given(st.lists(CONDITIONS, max_size=4), VALUES)
def test_trivial_answers_are_certain(conditions, env):
    answer = trivially(*conditions)
    if answer is not None:
        assert all(t.holds(c, env) for c in conditions) or not answer
        assert not (answer is False and all(t.holds(c, env) for c in conditions))


def test_declared_clauses_are_read_and_errors_kept_apart():
    k = kernel(declared=(("n <= x.size", NOWHERE), ("n <= y.size", NOWHERE), ("noalias(x, out)", NOWHERE)))
    d = declared(k)
    assert [str(c) for c in d.clauses] == ["n <= x.size", "noalias(x, out)"]
    assert [e.text for e in d.errors] == ["n <= y.size"]


def test_a_flood_of_declared_clauses_is_refused():
    d = declared(kernel(declared=(("n > 0", NOWHERE),) * (MAX_CLAUSES + 3)))
    assert (len(d.clauses), len(d.errors)) == (MAX_CLAUSES, 3)


@pytest.mark.parametrize(
    ("condition", "geometry"),
    [
        (t.le(N, X), False),
        (t.le(s.grid_size(0), X), False),
        (t.eq(s.grid_size(0), 1), True),
        (t.le(s.grid_size(0), 4), True),
        (t.eq(s.grid_size(0), X), True),
        (t.le(s.block_size(0), X), True),
        (t.le(t.mul(s.grid_size(0), s.block_size(0)), X), True),
        (t.le(t.mul(s.grid_size(0), 2), X), True),
        (t.le(t.mul(s.grid_size(0), N), X), True),
        (t.ge(s.grid_size(0), X), True),
    ],
)
def test_geometry_clauses_tie_the_size_of_the_launch(condition, geometry):
    assert Clause(condition=condition).geometry is geometry
