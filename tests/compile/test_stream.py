"""The version of a streaming kernel that does several elements a thread, run on the host."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from kernels import kernel

from gpulint.compile import stream
from gpulint.compile.context import Options
from gpulint.compile.function import Function, Target
from gpulint.compile.geometry import Geometry
from gpulint.compile.module import Module
from gpulint.compile.proofs import licences
from gpulint.compile.signature import parse
from gpulint.compile.typing import typed
from gpulint.dataflow import analyse
from gpulint.solver.decide import decide
from gpulint.solver.options import Options as Solving

pytest.importorskip("llvmlite")
from compile import host

F = "float32[::1]"
MANY = """
@cuda.jit
def k(x, y, out, n):
    i = cuda.grid(1)
    if i < n and i < x.size and i < y.size and i < out.size:
        v = x[i]
        if v > 2:
            v = -v
        total = v
        for j in range(3):
            total += y[i] * j
        out[i] = total + i
"""
EARLY = """
@cuda.jit
def k(x, y, out, n):
    i = cuda.grid(1)
    if i >= n or i >= x.size or i >= y.size or i >= out.size:
        return
    out[i] = x[i] + y[i]
"""


def build(text: str, signature: str, vectors: int) -> tuple[stream.Stream | None, Module]:
    k = typed(kernel(text.replace("@cuda.jit", f'@cuda.jit("void({signature})")')))
    accesses = analyse(k)
    result = decide(k, accesses, (), Solving())
    assert result.status == "verified", result
    proofs = licences(k, accesses, result, Solving())
    options = Options(contract=False, lines=False, library="", vectors=vectors)
    module = Module(triple="", layout="")
    target = Target("", host._coordinate)
    found = stream.build(k, accesses, parse(signature), proofs, Geometry(), options, module, target)
    return found, module


def filled(n: int, start: int) -> Any:
    return (ctypes.c_float * (n + 4))(*(float((start + 3 * k) % 7) for k in range(n + 4)))


@pytest.mark.parametrize("text", [MANY, EARLY], ids=["many", "early"])
@pytest.mark.parametrize("vectors", [1, 2])
def test_every_length_gives_what_single_elements_give(text: str, vectors: int) -> None:
    found, module = build(text, f"{F}, {F}, {F}, int64", vectors)
    assert found is not None
    code = host.Host(Function(module, found.entry, found.parameters, 0))
    block = 3
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 23, 24, 25, 40):
        for points in (n - 1, n, n + 5):
            x, y, out = filled(n, 1), filled(n, 2), filled(n, 3)
            before = list(out)
            threads = -(-points // block) * block
            grid = -(-threads // (found.points * block))
            arguments = [v for a in (x, y, out) for v in (ctypes.addressof(a), n)]
            code.run((max(grid, 1), 1, 1), (block, 1, 1), [*arguments, n, threads])
            done = min(n, threads)
            assert list(out)[:done] == pytest.approx([one(text, x[i], y[i], i) for i in range(done)])
            assert list(out)[done:] == before[done:]


def one(text: str, x: float, y: float, i: int) -> float:
    if text == EARLY:
        return x + y
    return (-x if x > 2 else x) + 3 * y + i


@pytest.mark.parametrize(
    "body",
    [
        "t = cuda.threadIdx.x\n    if i < out.size and t < 8:\n        out[i] = 1",  # another coordinate
        "if i < out.size:\n        out[out.size - 1 - i] = 1",  # not neighbours
        "if i < out.size:\n        if i > 3:\n            return\n        out[i] = 1",  # leaves for good
        "if i < out.size:\n        out[i] = 1\n    cuda.syncthreads()",
        "a = cuda.local.array(2, numba.float32)\n    a[0] = 1\n    if i < out.size:\n        out[i] = a[0]",
        "if i < out.size:\n        out[i] = 1\n    else:\n        i = 0",
    ],
)
def test_other_kernels_have_no_such_version(body: str) -> None:
    text = f"@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    {body}\n"
    assert build(text, F, 1)[0] is None


def test_strided_arrays_have_no_such_version() -> None:
    text = "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = 1\n"
    assert build(text, F, 1)[0] is not None
    assert build(text, "float32[:]", 1)[0] is None


@pytest.mark.parametrize(("element", "width"), [("float64", 2), ("float32", 4), ("int16", 8), ("uint8", 8)])
def test_a_vector_is_sixteen_bytes_at_most(element: str, width: int) -> None:
    text = "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = 1\n"
    found = build(text, f"{element}[::1]", 1)[0]
    assert found is not None
    assert found.width == width
