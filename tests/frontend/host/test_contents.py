"""Where a counter starts: told of arrays that are new, and not of those that anything may have filled."""

from __future__ import annotations

import pytest

from gpulint.config import Config
from gpulint.pipeline import check_file

KERNEL = """import numpy as np
from numba import cuda

@cuda.jit
def gather(data, count, out):
    v = cuda.grid(1)
    if v < data.size:
        place = cuda.atomic.add(count, 0, 1)
        if place < out.size:
            out[place] = v

COUNT = cuda.to_device(np.zeros(1, np.int32))

def run(n, f, data, out):
"""
LAUNCH = "gather[(data.size + 255) // 256, 256](data, count, out)"
ZERO = "count = np.zeros(1, np.int32)"


def met(*lines: str) -> list[bool]:
    """For each launch, whether the counter is known to start at zero or above."""
    text = KERNEL + "".join(f"    {line}\n" for line in lines)
    [report] = check_file(text, "k.py", Config()).kernels
    return [s.status == "meets" for s in sorted(report.sites, key=lambda s: s.span.row)]


@pytest.mark.parametrize(
    "made",
    [
        ZERO, "count = cuda.to_device(np.zeros(1, np.int32))", "count = np.ones(2)",
        "count = np.zeros(1)\n    n = int(np.ceil(n / 2))",
    ],
)  # fmt: skip
def test_new_arrays(made: str) -> None:
    assert all(met(made, LAUNCH))


@pytest.mark.parametrize(
    "made",
    [
        "count = np.empty(1, np.int32)", "count = np.full(1, -1)", "count = np.full(1, n)", "count = f()",
        ZERO + "; count[0] = -1", ZERO + "; count -= 1", ZERO + "; count[0] -= 1", ZERO + "; f(count)",
        ZERO + "; count.fill(-1)", ZERO + "; np.copyto(count, out)", "count = COUNT",
        ZERO + "; view = count[:1]; view[0] = -1", ZERO + "; cuda.to_device(out, to=count)",
        ZERO + "; np.subtract(out, out, out=count)", ZERO + "\n    if n > 3:\n        count = out",
        ZERO + "\n    for r in range(n):\n        count[0] -= 1",
    ],
)  # fmt: skip
def test_arrays_that_may_hold_anything(made: str) -> None:
    assert not any(met(made, LAUNCH))


def test_a_launch_fills_what_it_is_given() -> None:
    assert met(ZERO, LAUNCH, LAUNCH) == [True, False]


def test_a_launch_in_a_loop_finds_what_the_last_one_left() -> None:
    assert met(ZERO, "for r in range(n):\n        " + LAUNCH) == [False]
    assert met(ZERO, "while n > 0:\n        n -= 1\n        " + LAUNCH, LAUNCH) == [False, False]


def test_a_launch_on_one_path_only() -> None:
    assert met(ZERO, "if n > 3:\n        " + LAUNCH, LAUNCH) == [True, False]
