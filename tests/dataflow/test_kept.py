"""Variables that an iteration keeps or sets to a value of its counter: `if x[k] < low: best = k`."""

from __future__ import annotations

import pytest
from changed import Changes, status

NEAREST = """
import numpy as np
from numba import cuda

@cuda.jit
def k(points, centers, count):
    i = cuda.grid(1)
    if i < points.size:
        best = 0
        low = 1e30
        for c in range(centers.size):
            d = abs(points[i] - centers[c])
            if d < low:
                low = d
                best = c
        cuda.atomic.add(count, best, 1)

def run(points, centers):
    assert centers.size > 0
    count = cuda.to_device(np.zeros(centers.size, np.int32))
    k[(points.size + 63) // 64, 64](points, centers, count)
"""
RIGHT = {
    "as it is": (),
    "from the end": (("range(centers.size)", "range(centers.size - 1, -1, -1)"),),
    "every other": (("range(centers.size)", "range(0, centers.size, 2)"),),
    "set twice": (("best = c\n", "best = c\n            elif d > low:\n                best = c // 2\n"),),
}
WRONG = {
    "one further": (("best = c\n", "best = c + 1\n"),),
    "one more round": (("range(centers.size)", "range(centers.size + 1)"),),
    "started outside": (("best = 0", "best = centers.size"),),
    "started far outside": (("best = 0", "best = 1 << 20"),),
    "set to what is loaded": (("best = c\n", "best = int(points[i])\n"),),
    "added to": (("best = c\n", "best += c\n"),),
    "set to another outside": (
        ("best = c\n", "best = c\n            else:\n                best = c + 2\n"),
    ),
    "rounded up": (("best = c\n", "best = c * 2\n"),),
    "nothing to choose from": (("    assert centers.size > 0\n", ""), ("best = 0", "best = 1")),
}


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_it_is_in_the_range_of_the_counter_or_what_it_was(changes: Changes) -> None:
    assert status(NEAREST, changes) == "verified"


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_nothing_else_is(changes: Changes) -> None:
    assert status(NEAREST, changes) != "verified"


def test_two_threads_may_keep_different_rounds() -> None:
    changes = (("cuda.atomic.add(count, best, 1)", "count[best] = i"),)
    assert status(NEAREST, changes) != "verified"
