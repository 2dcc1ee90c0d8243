"""A launch site seen from the kernel."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpulint import term as t
from gpulint.contract.bind import bind
from gpulint.frontend.host.site import HostArray, Other, Scalar
from gpulint.ir import symbols as s
from gpulint.ir.types import FLOAT64
from tests.contract.kernels import array, host, kernel, number, site

ROWS, COLS, H = t.sym("rows"), t.sym("cols"), t.sym("n")
K = kernel(arrays=(("x", 1), ("a", 2), ("u", None)), scalars=("n", "m"))
ARRAYS = {"x": array("x", 1), "a": array("a", 2)}


def bound(arguments, **more):
    return bind(K, ARRAYS, site(arguments, **more))


def test_scalars_and_extents_become_host_terms():
    b = bound({"x": host("v", ["rows"]), "n": number(t.add(H, 1)), "m": number(t.const(3))})
    assert b.apply(t.sub(s.extent("x", 0, 1), s.param("n"))) == t.sub(ROWS, t.add(H, 1))
    assert b.apply(s.param("m")) == t.const(3)


def test_substitution_is_simultaneous_between_the_two_name_spaces():
    b = bound({"n": number(t.sym("m")), "m": number(t.sym("n"))})
    assert b.apply(t.sub(s.param("n"), s.param("m"))) == t.sub(t.sym("m"), t.sym("n"))


def test_missing_axes_of_block_and_grid_are_one():
    b = bound({}, grid=(H, t.const(2)), block=(t.const(256),))
    got = [b.apply(f(axis)) for f in (s.grid_size, s.block_size) for axis in range(3)]
    assert got == [H, t.const(2), t.ONE, t.const(256), t.ONE, t.ONE]


def test_what_the_device_accepts_is_apart_from_the_facts():
    b = bound({}, grid=(H,), block=(ROWS, COLS), facts=(t.gt(H, 5),))
    assert b.facts == (t.gt(H, 5),)
    assert t.le(t.mul(ROWS, COLS), 1024) in b.device_facts
    assert t.le(H, 2**31 - 1) in b.device_facts and t.ge(ROWS, 1) in b.device_facts


def test_extents_are_not_negative():
    assert t.ge(ROWS, 0) in bound({"x": host("v", ["rows"])}).facts


def test_the_size_of_an_array_is_the_product_of_its_extents():
    b = bound({"a": host("v", ["rows", "cols"])})
    assert b.apply(s.size("a", 2)) == t.mul(ROWS, COLS)
    assert b.apply(s.extent("a", 1, 2)) == COLS


def test_names_of_a_one_dimensional_array_of_unknown_rank_become_one():
    facts = (t.ge(s.extent("v", 0, None), 7), t.le(s.size("v", None), H), t.le(s.extent("v", -1, None), 99))
    b = bound({"x": HostArray("v", None, "v"), "n": number(s.extent("v", 0, None))}, facts=facts)
    size = s.size("v", None)
    assert b.apply(s.extent("x", 0, 1)) == size
    assert b.apply(s.param("n")) == size
    assert b.facts == (t.ge(size, 7), t.le(size, H), t.le(size, 99))
    assert b.host(s.extent("v", 0, None)) == size


def test_the_size_of_a_matrix_of_unknown_rank_becomes_a_product():
    b = bound({"a": HostArray("v", None, "v"), "n": number(s.size("v", None))})
    assert b.apply(s.param("n")) == b.apply(s.size("a", 2))
    assert not b.problems


def test_the_grid_speaks_of_the_same_names():
    b = bound({"x": HostArray("v", None, "v")}, grid=(t.cdiv(s.extent("v", 0, None), 32),))
    assert b.apply(s.grid_size(0)) == t.cdiv(s.size("v", None), 32)


def test_a_rank_that_does_not_fit_is_a_problem_and_no_binding():
    b = bound({"x": host("v", ["rows", "cols"])})
    (p,) = b.problems
    assert (p.kind, p.param, p.kernel_rank, p.host_rank) == ("rank", "x", 1, 2)
    assert "1 axis" in p.message and "has 2" in p.message
    assert b.unbound(s.extent("x", 0, 1))


def test_a_rank_that_the_host_code_asserts_is_heard():
    rank_two = t.eq(t.sym("v.ndim", lo=0, hi=32), 2)
    b = bound({"x": HostArray("v", None, "v")}, facts=(rank_two,))
    assert [(p.kernel_rank, p.host_rank) for p in b.problems] == [(1, 2)]
    assert t.FALSE not in b.facts  # a contradiction would prove everything


def test_one_host_array_for_two_ranks_is_a_problem():
    b = bound({"x": HostArray("v", None, "v"), "a": HostArray("v", None, "v")})
    assert [p.param for p in b.problems] == ["a"]


def test_a_number_for_an_array_is_a_problem():
    assert [p.kind for p in bound({"x": number(H)}).problems] == ["not-array"]


def test_what_the_site_does_not_tell_is_a_free_unknown_with_its_own_name():
    b = bound({"n": Other("f(n)"), "m": number(H)})
    assert b.apply(s.param("n")) not in (H, s.param("n"))  # the host has another n
    assert "n" in b.missing and not b.exact
    assert any("f(n)" in note for note in b.notes)
    assert b.apply(s.block_size(0)) == s.block_size(0)  # a name that is not taken stays readable


def test_a_complete_site_is_exact():
    every = {"x": host("v", [8]), "a": host("w", [8, 8]), "u": host("z", [8]), "n": number(H),
             "m": number(H), "flag": number(t.ONE), "scale": Scalar(None, FLOAT64)}  # fmt: skip
    assert bound(every, grid=(H,), block=(H,)).exact
    assert not bound(every, grid=(H,), block=(H,), exact=False).exact
    assert not bound(every, grid=None, block=(H,)).exact


def test_points_are_left_alone():
    b = bound({"n": number(H)})
    assert b.apply(t.lt(s.thread(0), s.param("n"))) == t.lt(s.thread(0), H)


def test_strides_of_a_contiguous_array():
    b = bound({"a": host("v", ["rows", "cols"], contiguous=True, dtype="float32")})
    assert b.apply(s.stride("a", 0, "element")) == COLS
    assert b.apply(s.stride("a", 0)) == t.mul(COLS, 4)
    assert b.apply(s.stride("a", 1)) == t.const(4)


def test_strides_of_another_array_are_free():
    b = bound({"a": host("v", ["rows", "cols"], dtype="float32")})
    assert b.unbound(s.stride("a", 0)) == [s.stride("a", 0).atom]


def test_an_argument_of_unknown_kind_is_the_scalar_that_the_kernel_takes():
    b = bound({"n": HostArray("v", None, "v", scalar=t.sym("v"))})
    assert b.apply(s.param("n")) == t.sym("v")


def test_a_boolean_parameter_takes_the_condition_that_the_host_gives():
    b = bound({"flag": number(t.select(t.gt(H, 3), t.ONE, t.ZERO))})
    assert b.apply(t.bool_sym("flag")) == t.gt(H, 3)
    assert bound({"flag": number(H)}).apply(t.not_(t.bool_sym("flag"))) == t.eq(H, 0)
    assert bound({"flag": number(t.ONE)}).apply(t.bool_sym("flag")) == t.TRUE


NAMES = st.sampled_from(["n", "m"])
MAKERS = st.sampled_from([t.add, t.sub, t.mul, t.minimum])
NUMBERS = st.recursive(
    st.one_of(st.integers(-4, 4).map(t.const), NAMES.map(t.sym), st.just(s.extent("x", 0, 1))),
    lambda x: st.tuples(MAKERS, x, x).map(lambda v: v[0](v[1], v[2])),
    max_leaves=6,
)
SMALL = st.integers(0, 5)


@settings(max_examples=150, deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS, st.fixed_dictionaries({"n": SMALL, "m": SMALL, "v": SMALL}))
def test_a_bound_term_has_the_value_that_the_kernel_sees(term, for_n, for_m, env):
    v = s.size("v", None)
    to_host = {s.extent("x", 0, 1).atom: v}
    arguments = {"x": HostArray("v", None, "v"), "n": number(t.subst(for_n, to_host)),
                 "m": number(t.subst(for_m, to_host))}  # fmt: skip
    host_env = {t.sym("n").atom: env["n"], t.sym("m").atom: env["m"], v.atom: env["v"]}
    seen = {s.param(k).atom: t.evaluate(arguments[k].term, host_env) for k in ("n", "m")}
    seen[s.extent("x", 0, 1).atom] = env["v"]
    assert t.evaluate(bound(arguments).apply(term), host_env) == t.evaluate(term, seen)
