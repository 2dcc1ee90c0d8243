"""Clause text: what it means, and how what it does not mean is reported."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpulint import term as t
from gpulint.contract.clause import Clause
from gpulint.contract.error import ClauseError
from gpulint.contract.parse import parse
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Param
from gpulint.ir.span import Span
from gpulint.ir.types import INT64
from tests.contract import kernels

SPAN = Span("f.py", 3, 4, 3, 20)
N, M = s.param("n"), s.param("m")
XS, OUT = s.extent("x", 0, 1), s.extent("out", 0, 1)
A0, A1 = s.extent("a", 0, 2), s.extent("a", 1, 2)
BX, BY, BZ = (s.block_size(i) for i in range(3))
GX, GY, GZ = (s.grid_size(i) for i in range(3))


def read(text, k=None):
    return parse(text, SPAN, k or kernels.kernel())


def condition(text):
    c = read(text)
    assert isinstance(c, Clause), c
    return c.condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n <= x.size", t.le(N, XS)),
        ("0 <= n < x.size", t.and_(t.ge(N, 0), t.lt(N, XS))),
        ("n == m or n > 3", t.or_(t.eq(N, M), t.gt(N, 3))),
        ("not n == m", t.ne(N, M)),
        ("x.shape[0] == n", t.eq(XS, N)),
        ("x.shape == out.shape", t.eq(XS, OUT)),
        ("x.shape != out.shape", t.ne(XS, OUT)),
        ("a.shape == (n, m)", t.and_(t.eq(A0, N), t.eq(A1, M))),
        ("a.shape[-1] >= 2", t.ge(A1, 2)),
        ("a.size <= n * m", t.le(t.mul(A0, A1), t.mul(N, M))),
        ("a.numel() > 1", t.gt(t.mul(A0, A1), 1)),
        ("a.ndim == 2", t.TRUE),
        ("len(a) == n", t.eq(A0, N)),
        ("len(a.shape) == 2", t.TRUE),
        ("len(block) == 3", t.TRUE),
        ("a.stride(0) >= m", t.ge(s.stride("a", 0, "element"), M)),
        ("a.stride(-1) == 1", t.eq(s.stride("a", 1, "element"), 1)),
        ("a.strides[1] == 4", t.eq(s.stride("a", 1), 4)),
        ("u.shape[1] == n", t.eq(s.extent("u", 1, None), N)),
        ("u.size == n", t.eq(s.size("u", None), N)),
        ("n % 4 == 0", t.eq(t.mod(N, 4), 0)),
        ("n // 2 + m <= 7", t.le(t.add(t.floordiv(N, 2), M), 7)),
        ("-n < +m", t.lt(t.neg(N), M)),
        ("min(n, m) > max(1, n - m)", t.gt(t.minimum(N, M), t.maximum(1, t.sub(N, M)))),
        ("abs(n) <= 3", t.le(t.absolute(N), 3)),
        ("grid.x >= cdiv(n, 256)", t.ge(GX, t.cdiv(N, 256))),
        ("(n if m > 0 else 1) > 0", t.gt(t.select(t.gt(M, 0), N, t.ONE), 0)),
        ("flag", t.bool_sym("flag")),
        ("flag or n > 0", t.or_(t.bool_sym("flag"), t.gt(N, 0))),
        ("True", t.TRUE),
        ("block == (256, 1, 1)", t.and_(t.eq(BX, 256), t.eq(BY, 1), t.eq(BZ, 1))),
        ("block == (16, 16)", t.and_(t.eq(BX, 16), t.eq(BY, 16), t.eq(BZ, 1))),
        ("block == 256", t.and_(t.eq(BX, 256), t.eq(BY, 1), t.eq(BZ, 1))),
        ("block=(256, 1, 1)", t.and_(t.eq(BX, 256), t.eq(BY, 1), t.eq(BZ, 1))),
        ("block.y == 1", t.eq(BY, 1)),
        ("blockDim.x * gridDim.x >= n", t.ge(t.mul(BX, GX), N)),
        ("grid[1] == 1", t.eq(GY, 1)),
    ],
)
def test_conditions(text, expected):
    assert condition(text) == expected


def test_a_divisor_that_may_be_zero_is_required_not_to_be():
    assert condition("n % m == 0") == t.and_(t.ne(M, 0), t.eq(t.mod(N, M), 0))
    assert condition("m == 0 or n % m == 0") == t.or_(t.eq(M, 0), t.and_(t.ne(M, 0), t.eq(t.mod(N, M), 0)))


@pytest.mark.parametrize(
    ("text", "predicate", "arrays", "bounds"),
    [
        ("noalias(out, x)", "noalias", ("out", "x"), ()),
        ("noalias(out, x, a)", "noalias", ("out", "x", "a"), ()),
        ("contiguous(a)", "contiguous", ("a",), ()),
        ("aligned(x, 16)", "aligned", ("x",), (t.const(16),)),
        ("injective(idx)", "injective", ("idx",), ()),
        ("sorted(idx)", "sorted", ("idx",), ()),
        ("within(idx, 0, x.size - 1)", "within", ("idx",), (t.ZERO, t.sub(XS, 1))),
        ("above(idx, n)", "above", ("idx",), (N,)),
        ("min_cc(80)", "min_cc", (), (t.const(80),)),
        ("min_blocks(2)", "min_blocks", (), (t.const(2),)),
        ("min_blocks >= 2", "min_blocks", (), (t.const(2),)),
        ("min_cc >= 80", "min_cc", (), (t.const(80),)),
        ("min_cc=(8, 6)", "min_cc", (), (t.const(86),)),
        ("max_shared <= 48 * 1024", None, (), ()),
        ("max_shared <= 49152", "max_shared", (), (t.const(49152),)),
        ("cluster == 2", "cluster", (), (t.const(2),)),
        ("cluster == (2, 2, 1)", "cluster", (), (t.const(4),)),
        ("cooperative", "cooperative", (), (t.ONE,)),
        ("cooperative()", "cooperative", (), (t.ONE,)),
        ("cooperative=True", "cooperative", (), (t.ONE,)),
    ],
)
def test_predicates_and_limits(text, predicate, arrays, bounds):
    c = read(text)
    if predicate is None:
        assert isinstance(c, ClauseError) and "whole number" in c.message
        return
    assert (c.predicate, c.arrays, c.bounds) == (predicate, arrays, bounds)


def test_a_clause_keeps_its_text_and_place():
    c = read("  n <= x.size ")
    assert (str(c), c.span, c.origin) == ("n <= x.size", SPAN, "declared")


@pytest.mark.parametrize(
    ("text", "pointed", "says", "suggestion"),
    [
        ("n <= y.size", "y", "no parameter", ""),
        ("n <= ouut.size", "ouut", "no parameter", "out"),
        ("n <= x.sise", "x.sise", "no .sise", "size"),
        ("n <= x", "x", "is an array", "x.size"),
        ("n / 2 <= m", "n / 2", "compute", "//"),
        ("n + 1", "n + 1", "no condition", ""),
        ("x.shape == a.shape", "x.shape == a.shape", "axes", ""),
        ("x.shape < out.shape", "x.shape < out.shape", "== or !=", ""),
        ("u.shape == x.shape", "u.shape", "rank of u", ""),
        ("u.ndim == 1", "u.ndim", "rank of u", ""),
        ("x.shape[n] == 1", "n", "plain number", ""),
        ("x.shape[1] == 1", "1", "axis 1", ""),
        ("x[0] == 1", "x[0]", "elements", ""),
        ("n % 0 == 1", "0", "division by zero", ""),
        ("n <= 2.5", "2.5", "no whole number", ""),
        ("noalias(x)", "noalias(x)", "two or more", ""),
        ("noalias(x, x)", "noalias(x, x)", "different", ""),
        ("noalias(x, n)", "n", "no array", ""),
        ("aligned(x, 12)", "12", "power of two", ""),
        ("within(idx, 0)", "within(idx, 0)", "3 arguments", ""),
        ("above(idx)", "above(idx)", "2 arguments", ""),
        ("n > 0 and noalias(x, out)", "noalias(x, out)", "of its own", ""),
        ("noalais(x, out)", "noalais", "no function", "noalias"),
        ("block.w == 1", "block.w", ".x, .y and .z", ""),
        ("x.stride == 1", "x.stride", "is called", "stride(0)"),
        ("x.stride(1) == 1", "1", "no axis 1", ""),
        ("[n for n in x] == 1", "[n for n in x]", "ListComp", ""),
        ("__import__('os')", "__import__", "no function", ""),
        ("n is m", "n is m", "compare in a clause", ""),
        ("min_cc < 80", "min_cc < 80", "one number", "min_cc(80)"),
        ("block=(n,x)", "x", "is an array", "x.size"),
        ("é <= n", "é", "no parameter", ""),
    ],
)  # fmt: skip
def test_errors_point_at_the_place(text, pointed, says, suggestion):
    e = read(text)
    assert isinstance(e, ClauseError)
    assert text[e.column : e.end_column] == pointed
    assert says in e.message
    assert e.suggestion == suggestion


def test_an_error_prints_carets():
    assert read("n <= y.size").pointed() == "n <= y.size\n     ^"


@pytest.mark.parametrize(
    "text",
    ["", "n <=", "n <= x.size extra", "(" * 1000, "-" * 1900 + "n", "n" * 3000, "n + " * 450 + "n > 0",
     "n\n<= m", "\x00", "lambda: n", "n := 3", "yield n", "f'{n}'", "x.shape[0:1] == 1", "*x", "**x",
     "n ** m > 0", "n << 3 > 0", "~n > 0", "max(n) > 0", "len(n) > 0", "x.size() > 0", "10**9999 > n",
     f"n < {2**80}", "not " * 100 + "flag", "x.shape[-5] > 0", "noalias(*x)", "noalias(x, out, z=1)",
     "min_cc", "min_cc('a')", "block.x.y > 0", "None", "...", "n.x > 0", "u.shape[99] > 0"],
)  # fmt: skip
def test_what_is_no_clause_is_an_error_and_no_traceback(text):
    e = read(text)
    assert isinstance(e, ClauseError) and e.message


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="nmxa.<=>!+-*/%()[],0123 sizeshapbckorntd'\"\\\n\t{}:@é", max_size=40))
def test_no_text_raises(text):
    assert isinstance(read(text), (Clause, ClauseError))


def test_a_parameter_named_like_a_launch_size_is_the_parameter():
    k = kernels.kernel(scalars=("block", "n"))
    assert read("block < n", k).condition == t.lt(s.param("block"), N)
    assert read("blockDim.x < n", k).condition == t.lt(BX, N)


def test_fields_of_a_record_parameter():
    k = kernels.kernel()
    k = type(k)(**{**k.__dict__, "params": (*k.params, Param("p.count", INT64))})
    assert read("p.count <= n", k).condition == t.le(s.param("p.count"), N)
    assert read("p.cuont <= n", k).suggestion == "p.count"


TERMS = st.recursive(
    st.sampled_from([N, M, XS, A0, A1, BX, GX, t.const(3), s.stride("a", 0, "element")]),
    lambda x: st.one_of(
        st.tuples(st.sampled_from([t.add, t.sub, t.mul, t.minimum, t.maximum]), x, x).map(
            lambda v: v[0](v[1], v[2])
        ),
        st.tuples(st.sampled_from([t.floordiv, t.mod]), x, st.integers(1, 9)).map(lambda v: v[0](v[1], v[2])),
    ),
    max_leaves=5,
)
RELATIONS = st.tuples(st.sampled_from([t.le, t.lt, t.eq, t.ne]), TERMS, TERMS).map(lambda v: v[0](v[1], v[2]))


@settings(max_examples=150, deadline=None)
@given(st.tuples(st.sampled_from([t.and_, t.or_]), RELATIONS, RELATIONS).map(lambda v: v[0](v[1], v[2])))
def test_printed_conditions_read_back_as_themselves(c):
    assert condition(t.show(c)) == c
