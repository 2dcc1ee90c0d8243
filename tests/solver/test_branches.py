"""Outputs that writes on several branches fill together, whatever decides between the branches."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

LIFE = """
import math
from numba import cuda

@cuda.jit
def k(src, dst):
    x, y = cuda.grid(2)
    h, w = src.shape
    if x >= h or y >= w:
        return
    total = 0
    for d in range(8):
        total += src[(x + d) % h, (y + d) % w]
    if src[x, y] == 1 and (total == 2 or total == 3):
        dst[x, y] = 1
    elif total == 3:
        dst[x, y] = 2
    else:
        dst[x, y] = 0

def step(board, steps):
    a = cuda.to_device(board)
    b = cuda.device_array_like(a)
    blocks = (math.ceil(board.shape[0] / 16), math.ceil(board.shape[1] / 16))
    for _ in range(steps):
        k[blocks, (16, 16)](a, b)
        a, b = b, a
"""
OPEN = {
    "one branch writes nothing": ("        dst[x, y] = 2", "        pass"),
    "no last branch": ("    else:\n        dst[x, y] = 0\n", ""),
    "a branch writes elsewhere": ("        dst[x, y] = 2", "        dst[x, 0] = 2"),
    "a branch writes one further": ("        dst[x, y] = 2", "        dst[x, (y + 1) % w] = 2"),
    "each thread looks at its neighbour's sum": (
        "        dst[x, y] = 0",
        "        dst[(x + 1) % h, y] = 0",
    ),
    "the conditions leave a gap": ("    else:", "    elif total < 3:"),
    "an edge is left out": ("if x >= h or", "if x >= h - 1 or"),
}


def status(text: str) -> str:
    (found,) = pipeline.check_file(text, "k.py", Config()).kernels
    return found.status


def test_branches_that_leave_nothing_out_cover_the_output() -> None:
    assert status(LIFE) == "verified"


def test_branches_at_mirrored_points_cover_it_too() -> None:
    text = LIFE.replace("dst[x, y] =", "dst[h - 1 - x, y] =")
    assert status(text) == "verified"


@pytest.mark.parametrize(("old", "new"), OPEN.values(), ids=OPEN)
def test_what_a_branch_leaves_out_is_not_covered(old: str, new: str) -> None:
    assert LIFE.count(old) == 1
    (found,) = pipeline.check_file(LIFE.replace(old, new), "k.py", Config()).kernels
    assert found.status != "verified"
    covered = [o for o in found.obligations if o.property == "covered"]
    assert any(o.verdict != "proved" for o in covered)
