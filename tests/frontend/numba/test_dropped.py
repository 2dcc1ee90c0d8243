"""Branches that Numba drops, since they do not fit what the parameters are."""

from __future__ import annotations

import pytest
from kernels import kernel

from gpulint import pipeline
from gpulint.config import Config
from gpulint.ir import nodes as n
from gpulint.ir.types import UNKNOWN, ArrayType
from gpulint.ir.walk import statements

CELLS = (
    "from numba import cuda\n\ndef make(d, flag):\n    @cuda.jit\n    def k(cells, out{more}):\n"
    "        i = cuda.grid(1)\n        if i < out.size:\n"
    "            if {test}:\n                at = (out[i], 0, 0)\n"
    "            else:\n                at = (out[i], 0)\n"
    "            {use}\n    return k\n"
)


def gaps(k: n.Kernel) -> list[str]:
    return [s.reason for s in statements(k.body) if isinstance(s, n.Unsupported)]


def dropped(k: n.Kernel) -> int:
    return sum(isinstance(s, n.Assume) and s.condition == n.Const(False, s.condition.type)
               for s in statements(k.body))  # fmt: skip


@pytest.mark.parametrize("use", ["out[i] = cells[at]", "cuda.atomic.exch(cells, at, i)"])
def test_the_tuple_that_fits_the_array_stays(use: str) -> None:
    k = kernel(CELLS.format(test="d == 3", use=use, more=""), "k")
    assert gaps(k) == [] and dropped(k) == 1
    assert k.params[0].type == ArrayType(UNKNOWN, 3)


@pytest.mark.parametrize(
    ("test", "use", "more"),
    [
        ("i == 3", "out[i] = cells[at]", ""),
        ("n == 3", "out[i] = cells[at]", ", n"),
        ("d == 3", "for v in at:\n                out[v] = 0", ""),
        ("d == 3", "out[i] = len(at)", ""),
    ],
)
def test_a_tuple_that_nothing_settles_is_a_gap(test: str, use: str, more: str) -> None:
    assert len(gaps(kernel(CELLS.format(test=test, use=use, more=more), "k"))) == 1


PARTS = (
    "from numba import cuda\n\ndef make(flag):\n    @cuda.jit\n    def k(parts):\n"
    "        i = cuda.grid(1)\n        if {test}:\n            a, b = parts\n"
    "            if i < b.size:\n                b[i] = 1\n"
    "        else:\n            a, = parts\n        {last}\n    return k\n"
)


def test_a_tuple_parameter_has_one_length() -> None:
    k = kernel(PARTS.format(test="flag", last="if i < a.size:\n            a[i] = 1"), "k")
    assert gaps(k) == [] and dropped(k) == 1
    k = kernel(PARTS.format(test="i > 3", last="a[i] = 1"), "k")
    assert len(gaps(k)) == 1 and dropped(k) == 0


@pytest.mark.parametrize(
    ("given", "status"), [("x,", "undecided"), ("x, y", "verified"), ("x, y, y", "unsupported")]
)
def test_nothing_is_said_of_launches_with_a_tuple_of_another_length(given: str, status: str) -> None:
    text = PARTS.format(test="flag", last="if i < a.size:\n            a[i] = 1")
    text += "\nimport numpy as np\n\ndef run(flag, n):\n    x = cuda.to_device(np.zeros(n))\n"
    text += "    y = cuda.to_device(np.zeros(n))\n"
    text += f"    make(flag)[(n + 31) // 32, 32](({given}))\n"
    (report,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert report.status == status


@pytest.mark.parametrize(("size", "status"), [("n", "verified"), ("n - 1", "refuted")])
def test_items_of_tuples_and_stars_are_bound(size: str, status: str) -> None:
    text = (
        "from numba import cuda\nimport numpy as np\n\n@cuda.jit\ndef k(parts, *more):\n"
        "    i = cuda.grid(1)\n    if i < parts[0].shape[0]:\n        parts[1][i] = more[0][i]\n\n"
        "def run(n):\n    x = cuda.to_device(np.zeros(n))\n    y = cuda.device_array(n)\n"
        f"    z = cuda.to_device(np.zeros({size}))\n    k[(n + 31) // 32, 32]((x, y), z)\n"
    )
    (report,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert report.status == status


ARRAYS = (
    "from numba import cuda\nimport numpy as np\n\n@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n"
    "    if i < len(x[0]):\n        x[0][i] = x[1][i] + x[2][1][i]\n\n"
    "def run(n):\n    a = cuda.to_device(np.zeros(n))\n    b = cuda.to_device(np.zeros(n))\n"
    "    c = cuda.to_device(np.zeros({size}))\n    k[(n + 31) // 32, 32]((a, b, (1, c)))\n{more}"
)


@pytest.mark.parametrize(
    ("size", "more", "status"),
    [
        ("n", "", "verified"),
        ("n - 1", "", "refuted"),
        ("n", "    k[(n + 31) // 32, 32]((a, b, (2, a)))\n", "verified"),
        ("n", "    k[(n + 31) // 32, 32]((a, b))\n", "unsupported"),
        ("n", "    k[(n + 31) // 32, 32](a)\n", "unsupported"),
    ],
)
def test_a_launch_tells_that_a_parameter_is_a_tuple(size: str, more: str, status: str) -> None:
    (report,) = pipeline.check_file(ARRAYS.format(size=size, more=more), "kernel.py", Config()).kernels
    assert report.status == status


def test_a_minimum_of_three_is_no_atomic_on_an_array() -> None:
    head = "@cuda.jit\ndef k(x, out):\n    i = cuda.grid(1)\n    v = x[i]\n"
    text = f"{head}    out[i] = min(v, 3, 4) + max(v, i, 7)\n"
    assert [p.type for p in kernel(text).params] == [ArrayType(UNKNOWN, 1)] * 2
    text = "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    cuda.atomic.min(x, (i, 3), 4)\n"
    assert [p.type for p in kernel(text).params] == [ArrayType(UNKNOWN, 2)]
