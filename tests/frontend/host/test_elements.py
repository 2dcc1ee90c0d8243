"""What the host knows of the elements of an array holds until something writes to its memory."""

from __future__ import annotations

import ast
import textwrap

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.frontend.host.writes import stored

TRITON = """import torch
import triton
import triton.language as tl


@triton.jit
def scatter(x, idx, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    i = tl.load(idx + o, mask=o < n, other=0)
    tl.store(x + i, o, mask=o < n)


@triton.jit
def clear(idx, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(idx + o, 0, mask=o < n)


def run(n: int):
    x = torch.zeros(n, device="cuda")
    idx = torch.arange(n, device="cuda")
    grid = (triton.cdiv(n, 64),)
{}
    scatter[grid](x, idx, n, 64)
"""
NUMBA = """import numpy as np
from numba import cuda


@cuda.jit
def scatter(x, idx, y):
    i = cuda.grid(1)
    if i < idx.size:
        y[i] = x[idx[i]]


@cuda.jit
def clear(idx):
    i = cuda.grid(1)
    if i < idx.size:
        idx[i] = 0


def run(n):
    x, y = np.zeros(n), np.zeros(n)
    idx = np.arange(n, dtype=np.int32)
{}
    scatter[(n + 63) // 64, 64](x, idx, y)
"""


def status(text: str, change: str) -> str:
    module = text.format(textwrap.indent(change, "    "))
    kernels = pipeline.check_file(module, "kernel.py", Config()).kernels
    return next(k.status for k in kernels if k.name == "scatter")


@pytest.mark.parametrize("change", ["", "y = idx + 1", "clear[grid](torch.zeros_like(idx), n, 64)",
                                    "scatter[grid](x, idx, n, 64)", "idx = idx.clone()"])  # fmt: skip
def test_a_permutation_of_a_tensor_stands(change: str) -> None:
    assert status(TRITON, change) == "verified"


@pytest.mark.parametrize(
    "change",
    [
        "idx[0] = n + 5", "clear[grid](idx, n, 64)", "idx += 1", "view = idx[1:]\nview[0] = 0", "mess(idx)",
        "torch.remainder(x, 3, out=idx)", "idx.fill_(n)", "part = idx.contiguous()\npart[0] = 0",
        "other = idx.to(torch.int64)\nother[0] = 0", "idx[0] = 0\nidx = idx.clone()", "many([idx])",
        "for _ in range(3):\n    scatter[grid](x, idx, n, 64)\n    idx[0] = 1",
        "for _ in range(3):\n    scatter[grid](x, idx, n, 64)\n    idx = torch.zeros(n, dtype=torch.int64)",
        "try:\n    idx[0] = 1\nexcept ValueError:\n    pass", "if n > 5:\n    idx[0] = 1",
    ],
)  # fmt: skip
def test_a_tensor_that_was_written_is_no_permutation_any_more(change: str) -> None:
    assert status(TRITON, change) != "verified"


@pytest.mark.parametrize(
    "change", ["", "idx = cuda.to_device(idx)", "scatter[(n + 63) // 64, 64](x, idx, y)"]
)
def test_counted_indices_of_an_array_stand(change: str) -> None:
    assert status(NUMBA, change) == "verified"


@pytest.mark.parametrize(
    "change",
    ["idx[0] = n", "idx += 1", "clear[n, 64](idx)", "np.random.shuffle(idx)\nidx[0] = 7", "idx.fill(0)",
     "same = np.asarray(idx)\nsame[0] = 4", "np.copyto(idx, x)", "idx.sort()", "idx = idx.astype(np.int8)"],
)  # fmt: skip
def test_an_array_that_was_written_is_not_counted_any_more(change: str) -> None:
    assert status(NUMBA, change) != "verified"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("x[i] = y[i]", {"x"}),
        ("x[y[i]] += 1", {"x"}),
        ("cuda.atomic.add(x, y[i], 1)", {"x"}),
        ("row = x[i]\nrow[y[i]] = 1", {"x"}),
        ("p = x + tl.load(y + i)\ntl.store(p, tl.load(y))", {"x"}),
        ("p = tl.make_block_ptr(base=x, shape=(i,))\ntl.store(p, 1)", {"x"}),
        ("helper(x, i)", {"x", "i"}),
        ("d = tl.make_tensor_descriptor(x, [i], [1], [4])\nd.store([i], y)", {"x", "y"}),
        ("tl.store(pointer=x, value=y)", {"x"}),
        ("for p in (x, y):\n    p[i] = 0", {"x", "y"}),
    ],
)
def test_what_a_kernel_may_store_through(body: str, names: set[str]) -> None:
    (function,) = ast.parse(f"def k(x, y, i):\n{textwrap.indent(body, '    ')}").body
    assert isinstance(function, ast.FunctionDef)
    assert names <= stored(function) & {"x", "y", "i"} <= names | {"i"}


FILLED = """
import numpy as np
from numba import cuda

@cuda.jit
def put(keys, table):
    i = cuda.grid(1)
    if i < keys.size:
        if table[keys[i] % table.size] == {free}:
            table[keys[i] % table.size] = i

def run(n):
    keys = cuda.to_device(np.random.randint(0, 1000, n))
    table = cuda.to_device({made})
    put[(n + 127) // 128, 128](keys, table)
"""


@pytest.mark.parametrize(
    ("made", "free", "wrong"),
    [
        ("np.full(2 * n, -1, np.int32)", -1, True),
        ("np.full(2 * n, fill_value=-1, dtype=np.int32)", -1, True),
        ("np.full(2 * n, 7, np.int32)", -1, False),
        ("np.full(2 * n, -1, np.uint8)", 255, None),  # not the number that it is given
    ],
)
def test_an_array_filled_with_one_number(made: str, free: int, wrong: bool | None) -> None:
    found = pipeline.check_file(FILLED.format(made=made, free=free), "k.py", Config())
    errors = [f for f in found.findings if f.severity == "error"]
    assert wrong is None or bool(errors) == wrong
