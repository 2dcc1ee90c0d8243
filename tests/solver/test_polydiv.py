"""Quotients by a sum, as of a convolution's output width `w - k + 1`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpulint import pipeline
from gpulint.config import Config
from gpulint.solver.polydiv import bounds, divided
from gpulint.term import ONE, Int, add, const, evaluate, floordiv, mul, sub, sym

NAMES = [sym(name) for name in "abc"]
NUMBERS = st.integers(-3, 3)


@st.composite
def polynomials(draw: st.DrawFn) -> Int:
    parts = draw(st.lists(st.tuples(NUMBERS, st.lists(st.sampled_from(NAMES), max_size=2)), max_size=4))
    out = const(0)
    for c, factors in parts:
        term = const(c)
        for f in factors:
            term = mul(term, f)
        out = add(out, term)
    return out


@given(polynomials(), polynomials())
def test_a_product_is_divided_by_either_factor(p: Int, q: Int) -> None:
    if q.terms:
        assert divided(mul(p, q), q) == p


@given(polynomials(), polynomials())
def test_what_is_found_is_a_quotient(p: Int, d: Int) -> None:
    if d.terms:
        q = divided(p, d)
        assert q is None or mul(q, d) == p


@given(st.integers(0, 40), st.integers(1, 6), st.integers(-6, 6), st.integers(0, 30))
def test_a_bound_holds_for_all_numbers(x: int, a: int, b: int, h: int) -> None:
    i, left, right, height = sym("i"), sym("left"), sym("right"), sym("height")
    width = sub(left, right)
    if a - b < 1:
        return
    limit = add(sub(i, mul(height, width)), ONE)  # i < height * width
    at = {i.atom: x, left.atom: a, right.atom: b, height.atom: h}
    if evaluate(limit, at) <= 0:
        found = bounds(floordiv(i, width), i, width, [limit])
        assert len(found) == 1 and evaluate(found[0], at) <= 0


COLUMNS = """
import numpy as np
from numba import cuda

@cuda.jit
def k(x, cols, kh, kw):
    r = cuda.grid(1)
    oh = x.shape[0] - kh + 1
    ow = x.shape[1] - kw + 1
    if r < oh * ow:
        i = r // ow
        j = r % ow
        for a in range(kh):
            for b in range(kw):
                cols[r, a * kw + b] = x[i + a, j + b]

def run(x, kh, kw):
    oh = x.shape[0] - kh + 1
    ow = x.shape[1] - kw + 1
    assert oh > 0 and ow > 0 and kh > 0 and kw > 0
    cols = cuda.device_array((oh * ow, kh * kw))
    k[(oh * ow + 127) // 128, 128](cuda.to_device(x), cols, kh, kw)
"""


def status(text: str) -> str:
    (found,) = pipeline.check_file(text, "k.py", Config()).kernels
    return found.status


def test_the_columns_of_a_convolution_are_verified() -> None:
    assert status(COLUMNS) == "verified"


def test_a_width_that_is_one_too_large_is_not() -> None:
    assert status(COLUMNS.replace("ow = x.shape[1] - kw + 1", "ow = x.shape[1] - kw + 2")) != "verified"


def test_rows_by_the_height_are_not() -> None:
    assert status(COLUMNS.replace("i = r // ow", "i = r // oh")) != "verified"


def test_a_width_that_may_be_nothing_is_not() -> None:
    assert status(COLUMNS.replace(" and ow > 0", "").replace("oh * ow:", "oh * ow + 1:")) != "verified"
