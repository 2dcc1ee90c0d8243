"""Whole kernels from source text: what a reader expects of them is what the run says."""

from __future__ import annotations

from typing import Any

from interp.build import launch
from kernels import kernel

from gpulint import interp
from gpulint.interp.launch import ConcreteArray, Outcome
from gpulint.interp.replay import replay


def run(text: str, **how: Any) -> Outcome:
    return interp.run(kernel(text), launch(**how))


def said(outcome: Outcome) -> list[tuple[str, int]]:
    return [(v.kind, v.span.row) for v in outcome.violations]


def counting(*shape: int) -> ConcreteArray:
    return ConcreteArray(shape, lambda i: i[0] + 1)


SCALE = """import numba
from numba import cuda
@cuda.jit
def scale(x, out, a, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = a * x[i]
"""


def test_scale_is_clean_with_its_guard() -> None:
    outcome = run(SCALE, grid=2, block=4, x=counting(7), out=7, scalars={"a": 2.0, "n": 7})
    assert outcome.violations == [] and outcome.complete
    assert outcome.written["out"] == {(i,): 2.0 * (i + 1) for i in range(7)}


def test_scale_with_a_bound_too_large() -> None:
    outcome = run(SCALE, grid=2, block=4, x=7, out=7, scalars={"a": 2.0, "n": 8})
    assert said(outcome) == [("out-of-range", 7), ("out-of-range", 7)]
    assert {(v.array, v.modes) for v in outcome.violations} == {("x", ("read",)), ("out", ("write",))}


def test_witness_over_a_huge_grid_is_replayed_by_its_point() -> None:
    k, point = kernel(SCALE), ((3, 0, 0), (232, 0, 0))
    how = launch(grid=2**20, block=256, x=2**40, out=1000, scalars={"a": 1.0, "n": 2**40}, points=(point,))
    found = replay(k, how, "out-of-range", None, "out")
    assert found is not None and found.element == (1000,) and found.point == point


def test_grid_stride_loop_covers_each_element_once() -> None:
    text = """
@cuda.jit
def fill(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] = i
"""
    outcome = run(text, grid=2, block=3, x=20)
    assert outcome.violations == [] and len(outcome.written["x"]) == 20


def test_matrix_product() -> None:
    text = """
@cuda.jit
def matmul(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
"""
    ones = ConcreteArray((3, 5), lambda _: 1.0)
    outcome = run(
        text, grid=(2, 2, 1), block=(2, 2, 1), a=ones, b=ConcreteArray((5, 4), lambda _: 2.0), c=(3, 4)
    )
    assert outcome.violations == [] and set(outcome.written["c"].values()) == {10.0}


REDUCE = """import numba
from numba import cuda
@cuda.jit
def reduce(x, out):
    part = cuda.shared.array(8, numba.float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[0] = part[0]
"""


def test_tree_reduction() -> None:
    outcome = run(REDUCE, block=8, x=counting(8), out=1)
    assert outcome.violations == [] and outcome.written["out"] == {(0,): 36.0}


def test_tree_reduction_without_its_inner_barrier_races() -> None:
    text = REDUCE.replace("        cuda.syncthreads()\n        s", "        s")
    assert ("race", 12) in said(run(text, block=8, x=8, out=1))


def test_barrier_under_a_guard_diverges() -> None:
    text = """import numba
from numba import cuda
@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < x.size:
        cuda.syncthreads()
        x[i] = 1
"""
    assert said(run(text, block=4, x=3)) == [("divergence", 7)]
    assert said(run(text, block=4, x=4)) == []


def test_histogram_with_and_without_atomics() -> None:
    text = """
@cuda.jit
def hist(x, h):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(h, x[i], 1)
"""
    values = ConcreteArray((6,), lambda i: i[0] % 2, dtype="int32")
    right = run(text, block=8, x=values, h=ConcreteArray((2,), dtype="int32"))
    assert right.violations == [] and right.written["h"] == {(0,): 3, (1,): 3}
    wrong = run(text.replace("cuda.atomic.add(h, x[i], 1)", "h[x[i]] += 1"), block=8, x=values, h=2)
    assert {v.kind for v in wrong.violations} == {"race"}


def test_short_circuit_keeps_a_read_in_range() -> None:
    text = """
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        out[i] = 1
"""
    assert run(text, block=8, x=counting(5), out=5).violations == []


def test_negative_index_of_a_neighbour_wraps() -> None:
    text = """import numba
from numba import cuda
@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i - 1]
"""
    outcome = run(text, block=4, x=counting(4), y=4)
    assert said(outcome) == [("negative-index", 7)]
    assert outcome.written["y"] == {(0,): 4, (1,): 1, (2,): 2, (3,): 3}


def test_index_in_32_bits_wraps() -> None:
    text = """
@cuda.jit("void(float32[:], int32)")
def k(x, n):
    j = numba.int32(cuda.threadIdx.x + n)
    if 0 <= j < x.size:
        x[j] = 1
"""
    assert "wrap" in {v.kind for v in run(text, block=3, x=9, scalars={"n": 2**31 - 1}).violations}


def test_device_function_is_inlined_with_its_calls() -> None:
    text = """import numba
from numba import cuda
@cuda.jit(device=True)
def put(a, i):
    a[i] = 1
@cuda.jit
def k(x):
    put(x, cuda.grid(1))
"""
    (v,) = run(text, block=3, x=2).violations
    assert (v.kind, v.span.row, v.span.outermost.row) == ("out-of-range", 5, 8)


def test_views_of_rows() -> None:
    text = """
@cuda.jit
def k(a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        row = a[i]
        for j in range(row.size):
            row[j] = i
"""
    outcome = run(text, block=4, a=(3, 2))
    assert outcome.violations == [] and len(outcome.written["a"]) == 6
    assert outcome.written["a"][(2, 1)] == 2


def test_square_roots_decide_branches() -> None:
    text = """
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if math.sqrt(x[i]) > 1.5:
            out[i] = 1
"""
    outcome = run(text, block=4, x=counting(4), out=4)
    assert outcome.complete and set(outcome.written["out"]) == {(2,), (3,)}
