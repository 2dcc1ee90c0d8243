"""A launch of a tile kernel seen from the kernel: pointers, constants, what is None, elements."""

from __future__ import annotations

from gpulint import term as t
from gpulint.contract.bind import bind
from gpulint.contract.hostarray import Elements
from gpulint.frontend.host.site import HostArray, Other, Scalar
from gpulint.ir import symbols as s
from gpulint.ir.types import BOOL
from tests.contract.kernels import array, host, kernel, number, site

ROWS, COLS, STEP = t.sym("rows"), t.sym("cols"), t.sym("x.stride(0)")
SPAN = t.add(t.mul(t.sub(ROWS, 1), STEP), COLS)
K = kernel(arrays=(("x", 1), ("idx", 1)), scalars=("n", "stride", "BLOCK"))
ARRAYS = {"x": array("x", 1), "idx": array("idx", 1)}
X = HostArray("x", (ROWS, COLS), "x", strides=(STEP, t.ONE), span=SPAN)


def bound(arguments, **more):
    return bind(K, ARRAYS, site(arguments, **more))


def test_a_pointer_reaches_as_far_as_the_tensor_spans():
    b = bound({"x": X, "stride": number(STEP)})
    assert b.apply(t.sub(s.extent("x", 0, 1), s.param("stride"))) == t.sub(SPAN, STEP)
    assert not b.problems
    assert t.ge(STEP, 0) in b.facts and t.ge(ROWS, 0) in b.facts


def test_the_rank_of_the_tensor_is_nothing_to_the_pointer():
    assert not bound({"x": HostArray("x", (ROWS,) * 4, "x", span=ROWS)}).problems


def test_none_answers_the_question_of_the_kernel():
    question = t.bool_app("x is None")
    assert bound({"x": Other("None", t.TRUE, True)}).apply(question) == t.TRUE
    assert bound({"x": X}).apply(question) == t.FALSE
    maybe = t.bool_sym("bias is None")
    assert bound({"x": HostArray("bias", None, "bias", none=maybe, span=SPAN)}).apply(question) == maybe
    assert bound({"x": Other("f(x)")}).apply(question) == question


def test_numbers_are_never_none():
    assert bound({"n": number(ROWS)}).apply(t.bool_app("n is None")) == t.FALSE


def test_what_is_known_to_be_no_number_leaves_nothing_open():
    b = bound({
        "x": X, "idx": Other("None", t.TRUE, True), "n": number(ROWS), "stride": number(STEP),
        "BLOCK": number(t.const(64)),
        "flag": Scalar(t.select(t.eq(ROWS, 3), 1, 0), BOOL), "scale": Other("'relu'", t.FALSE, True),
    }, grid=(ROWS,), block=(t.ONE,) * 3)  # fmt: skip
    assert b.exact, b.notes
    assert b.apply(t.bool_sym("flag")) == t.eq(ROWS, 3)
    assert b.apply(s.param("BLOCK")) == t.const(64)


def test_elements_lie_within_their_bounds():
    idx = host("idx", ["rows"], span=ROWS, low=t.ZERO, high=t.sub(ROWS, 1), injective=True)
    b = bound({"x": X, "idx": idx})
    assert b.elements == {"idx": Elements(t.ZERO, t.sub(ROWS, 1), True)}
    element = t.load("idx", [s.block(0)])
    assert set(b.element_facts(t.mul(element, 4))) == {t.ge(element, 0), t.ge(t.sub(ROWS, 1), element)}
    assert b.element_facts(t.load("x", [s.block(0)])) == ()
