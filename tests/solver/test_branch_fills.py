"""Shared tiles that both sides of a branch fill, in loops whose number of trips is no closed form."""

from __future__ import annotations

import itertools

import pytest
from kernels import kernel

from gpulint import pipeline
from gpulint.config import Config
from gpulint.dataflow import analyse
from gpulint.solver.inverse import definite
from gpulint.term import holds, symbols

MATMUL = """import numpy as np
from numba import cuda, float32
T = 16


@cuda.jit
def k(A, B, C):
    sA = cuda.shared.array((T, T), dtype=float32)
    sB = cuda.shared.array((T, T), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for k in range(0, A.shape[1], T):
        if x < C.shape[0] and k + ty < A.shape[1]:
            sA[tx, ty] = A[x, k + ty]
        else:
            sA[tx, ty] = 0.0
        if y < C.shape[1] and k + tx < A.shape[1]:
            sB[tx, ty] = B[k + tx, y]
        else:
            sB[tx, ty] = 0.0
        cuda.syncthreads()
        for j in range(T):
            acc += sA[tx, j] * sB[j, ty]
        cuda.syncthreads()
    if x < C.shape[0] and y < C.shape[1]:
        C[x, y] = acc


def run(m, n, p):
    A = cuda.to_device(np.ones((m, p), dtype=np.float32))
    B = cuda.to_device(np.ones((p, n), dtype=np.float32))
    C = cuda.device_array((m, n), dtype=np.float32)
    k[((m + T - 1) // T, (n + T - 1) // T), (T, T)](A, B, C)
"""


def status(text: str) -> str:
    (found,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    return found.status


def test_a_tile_that_both_sides_fill_is_initialised() -> None:
    assert status(MATMUL) == "verified"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("        else:\n            sA[tx, ty] = 0.0\n", ""),
        ("            sB[tx, ty] = 0.0\n", "            sB[ty, tx] = 0.0\n"),
        ("            sA[tx, ty] = 0.0\n", "            sA[tx, ty - 1] = 0.0\n"),
        (
            "        else:\n            sA[tx, ty] = 0.0\n",
            "        elif x > 5:\n            sA[tx, ty] = 0.0\n",
        ),
        ("            acc += sA[tx, j]", "            acc += sA[tx, (j + k) % 17]"),
        ("        cuda.syncthreads()\n        for j", "        for j"),
    ],
)
def test_mutants_are_not(right: str, wrong: str) -> None:
    assert right in MATMUL and status(MATMUL.replace(right, wrong)) != "verified"


STRIDED = (
    "@cuda.jit\ndef k(x, n):\n    for i in range(cuda.grid(1), n, {step}):\n"
    "        if i % 3 == 1:\n            x[i] = 1\n        else:\n            x[i] = 2\n"
)


@pytest.mark.parametrize("step", [2, 5])
def test_iterations_of_a_range_happen_wherever_its_condition_holds(step: int) -> None:
    """Every point that is admitted is one of an iteration of Python's range, in the right branch."""
    for access in (a for a in analyse(kernel(STRIDED.format(step=step))).accesses if a.mode == "write"):
        admitted = definite(access)
        assert admitted is not None
        value = access.value.value if access.value is not None else None
        for n, thread, k in itertools.product(range(9), range(2), range(9)):
            known = {"n": n, "threadIdx.x": thread, "blockIdx.x": 0, "block.x": 2, "i.k": k}
            happens = list(range(thread, n, step))[k : k + 1]
            side = [i for i in happens if (i % 3 == 1) == (value == 1)]
            assert holds(admitted, {x: known[x.name] for x in symbols(admitted)}) == bool(side)


def test_iterations_of_a_while_need_a_condition_that_only_turns_false() -> None:
    text = (
        "@cuda.jit\ndef k(x, n):\n    i = cuda.grid(1)\n    while i % 7 != n:\n"
        "        x[i] = 1\n        i += 2\n"
    )
    (write,) = [a for a in analyse(kernel(text)).accesses if a.mode == "write"]
    assert definite(write) is None


ONE = """import numpy as np
from numba import cuda

@cuda.jit
def k(x, sums):
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x
    if {guard}:
        sums[{at}] = x[b]

def run(n):
    x = cuda.to_device(np.ones(n))
    sums = cuda.device_array({size})
    k[n, 64](x, sums)
"""


@pytest.mark.parametrize(
    ("guard", "at", "size", "expected"),
    [
        ("t == 63", "b", "n", "verified"),
        ("t == 64", "b", "n", "refuted"),
        ("t >= 5 and t < 7", "b", "n", "verified"),
        ("t == cuda.blockDim.x - 1", "b", "n", "verified"),
        ("t == cuda.blockDim.x", "b", "n", "refuted"),
        ("t - 2 == b", "b", "n", "refuted"),
        ("t == b % 64", "b", "n", "verified"),
        ("t == 63", "b + 1", "n + 1", "refuted"),
    ],
)
def test_an_output_that_one_thread_of_each_block_writes(
    guard: str, at: str, size: str, expected: str
) -> None:
    assert status(ONE.format(guard=guard, at=at, size=size)) == expected
