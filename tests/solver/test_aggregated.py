"""Places that one lane of a warp gets for all: proved where each step of it is there, in no mutant."""

from __future__ import annotations

import pytest

from gpulint.config import Config
from gpulint.pipeline import check_file

RIGHT = """
import numpy as np
from numba import cuda, int32

@cuda.jit
def keep(x, out, count, m):
    i = cuda.grid(1)
    lane = cuda.threadIdx.x % 32
    wanted = False
    if i < x.size:
        wanted = x[i] > 0
    votes = cuda.ballot_sync(0xFFFFFFFF, wanted)
    first = 0
    if lane == 0:
        first = cuda.atomic.add(count, 0, cuda.popc(votes))
    first = cuda.shfl_sync(0xFFFFFFFF, first, 0)
    place = first + cuda.popc(votes & ((1 << lane) - 1))
    if wanted and place < out.size:
        out[place] = i

def run(x, m):
    d, n = cuda.to_device(x), len(x)
    out, count = cuda.to_device(np.zeros(n, np.int64)), cuda.to_device(np.zeros(1, np.int32))
    keep[(n + 127) // 128, 128](d, out, count, m)
"""


def status(*changes: tuple[str, str]) -> str:
    text = RIGHT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    [report] = check_file(text, "k.py", Config()).kernels
    assert not report.reason, report.reason
    return report.status


LEADER, RANK = "if lane == 0:", "votes & ((1 << lane) - 1)"
READ, AMOUNT = "first, 0)", "cuda.popc(votes))"
LOWEST = ((LEADER, "if wanted and lane == cuda.ffs(votes) - 1:"), (READ, "first, cuda.ffs(votes) - 1)"))


@pytest.mark.parametrize(
    "changes",
    [
        (),
        LOWEST,
        (("cuda.threadIdx.x % 32", "cuda.laneid"),),
        ((RANK, "votes & cuda.lanemask_lt()"),),
        ((RANK, "((1 << lane) - 1) & votes"),),
        ((LEADER, "if lane == 7:"), (READ, "first, 7)")),
        ((LEADER, "if lane == 0 and votes != 0:"),),
        ((AMOUNT, "cuda.popc(votes) + 3)"),),
        ((", 128]", ", 100]"),),
        ((LEADER, "if lane < 2:"),),  # which leaves gaps
        (("if wanted and", "if wanted and x[i] > 5 and"),),
    ],
)  # fmt: skip
def test_each_lane_has_a_place_of_its_own(changes: tuple[tuple[str, str], ...]) -> None:
    assert status(*changes) == "verified"


@pytest.mark.parametrize(
    "changes",
    [
        ((RANK, "votes & ((2 << lane) - 1)"),),
        ((RANK, "votes & ((1 << (lane + 1)) - 1)"),),
        ((RANK, "votes & (1 << lane)"),),
        ((RANK, "m & ((1 << lane) - 1)"),),
        (("((1 << lane) - 1)", "((1 << (i % 32)) - 1)"), ("128]", "100]")),
        (("((1 << lane) - 1)", "((1 << (lane // 2)) - 1)"),),
        ((AMOUNT, "cuda.popc(votes) - 1)"),),
        ((AMOUNT, "1)"),),
        ((AMOUNT, "m)"),),
        ((READ, "first, 1)"),),
        ((READ, "first, lane)"),),
        ((READ, "first, m)"),),
        ((LEADER, "if lane == 1:"),),
        ((LEADER, "if lane == 0 and m > 3:"),),
        (("    first = cuda.shfl_sync(0xFFFFFFFF, first, 0)\n", ""),),
        (("if wanted and", "if"),),
        (("if wanted and", "if i < x.size and"),),
        (("0xFFFFFFFF, wanted", "0xFFFFFFFF, wanted and m > 2"),),
        (("0xFFFFFFFF, wanted", "0xFFFFFFFF, x.size > 5"),),
        (("0xFFFFFFFF, wanted", "0xFFFFFFFF, lane > 3"),),
        (("cuda.atomic.add", "cuda.atomic.sub"),),
        (("cuda.atomic.add", "cuda.atomic.max"),),
        (("cuda.atomic.add(count, 0,", "cuda.atomic.add(count, i // 32 % 4,"), ("np.zeros(1", "np.zeros(4")),
        (("    if wanted and", "    count[0] = 0\n    if wanted and"),),
        ((", 128]", ", (16, 8)]"),),
        (("out[place]", "out[place // 2]"),),
        (("place < out.size", "place + 1 < out.size"), ("out[place]", "out[place + lane % 2]")),
        (*LOWEST, ("if wanted and lane", "if lane"), ("ffs(votes)", "ffs(m)")),
        ((LOWEST[1]),),
        ((LEADER, LOWEST[0][1]),),
    ],
)  # fmt: skip
def test_mutants_are_not_proved(changes: tuple[tuple[str, str], ...]) -> None:
    assert status(*changes) != "verified"
