"""The last block to arrive: proved where every step of the argument is there, and in no mutant."""

from __future__ import annotations

import pytest

from gpulint.config import Config
from gpulint.pipeline import check_file

RIGHT = """
import numpy as np
from numba import boolean, cuda, float32, int32

@cuda.jit
def total(partial, done, out, x):
    s = cuda.shared.array(1, int32)
    t, b = cuda.threadIdx.x, cuda.blockIdx.x
    if t < 64 and b < partial.shape[0] and partial.shape[1] >= 64:
        partial[b, t] = 1
    cuda.threadfence()
    cuda.syncthreads()
    if t == 0:
        s[0] = cuda.atomic.add(done, 0, 1)
    cuda.syncthreads()
    if s[0] == cuda.gridDim.x - 1 and t == 0:
        acc = float32(0)
        for j in range(min(cuda.gridDim.x, partial.shape[0])):
            for i in range(min(64, partial.shape[1])):
                acc += partial[j, i]
        out[0] = acc
"""


def status(*changes: tuple[str, str]) -> str:
    text = RIGHT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    [report] = check_file(text, "k.py", Config()).kernels
    assert not report.reason, report.reason
    if report.status == "verified":
        assert "within(done, 0, 1)" in report.inferred
    return report.status


FENCED = "    cuda.threadfence()\n    cuda.syncthreads()\n"
FIRST = "    if t == 0:\n"
TAIL = "        out[0] = acc\n"
ADD = "cuda.atomic.add(done, 0, 1)"
LAST = "s[0] == cuda.gridDim.x - 1 and"
IF_LAST = "    if s[0] == cuda.gridDim.x - 1 and "
FLAG = "1 if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1 else 0"


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ((FENCED, "    cuda.syncthreads()\n"), (FIRST, FIRST + "        cuda.threadfence()\n")),
        (("cuda.threadfence()", "cuda.threadfence_system()"),),
        ((LAST, "s[0] + 1 == cuda.gridDim.x and"),),
        ((ADD, FLAG), (LAST, "s[0] == 1 and")),
        ((ADD, FLAG), (LAST, "s[0] != 0 and")),
        ((TAIL, TAIL + "        done[0] = 0\n"),),
        ((TAIL, TAIL + "        cuda.atomic.exch(done, 0, 0)\n"),),
        ((TAIL, TAIL + "    cuda.syncthreads()\n" + IF_LAST + "t == 1:\n        done[0] = 0\n"),),
        ((ADD, "cuda.atomic.inc(done, 0, cuda.gridDim.x - 1)"),),
        ((ADD, "cuda.atomic.inc(done, 0, cuda.gridDim.x)"), (TAIL, TAIL + "        done[0] = 0\n")),
    ],
)  # fmt: skip
def test_the_last_block_reads_what_all_wrote(changes: tuple[tuple[str, str], ...]) -> None:
    assert status(*changes) == "verified"


@pytest.mark.parametrize(
    "changes",
    [
        (("    cuda.threadfence()\n", ""),),
        (("cuda.threadfence()", "cuda.threadfence_block()"),),
        (("    cuda.threadfence()\n", "    if t > 3:\n        cuda.threadfence()\n"),),
        ((FENCED, "    cuda.threadfence()\n"),),  # others of the block may still write
        ((FENCED, "    if t > 0:\n        cuda.threadfence()\n    cuda.syncthreads()\n"),),
        ((LAST, "s[0] >= cuda.gridDim.x - 2 and"),),
        ((LAST, "s[0] > 0 and"),),
        ((LAST, "s[0] == 0 and"),),
        ((LAST, "s[0] == x and"),),
        ((LAST, ""),),
        ((ADD, "cuda.atomic.add(done, 0, 2)"),),
        ((ADD, "cuda.atomic.add(done, 0, x)"),),
        ((ADD, "cuda.atomic.max(done, 0, 1)"),),
        ((TAIL, TAIL + "    done[0] = 0\n"),),
        ((TAIL, TAIL + "    if t == 0:\n        done[0] = 0\n"),),
        ((TAIL, TAIL + "    if s[0] == 0 and t == 0:\n        done[0] = 0\n"),),
        ((TAIL, TAIL + "    if s[0] >= cuda.gridDim.x - 2 and t == 0:\n        done[0] = 0\n"),),
        ((TAIL, TAIL + IF_LAST + "t < 2:\n        done[0] = t\n"),),
        ((ADD, "cuda.atomic.inc(done, 0, cuda.gridDim.x - 2)"),),
        ((ADD, "cuda.atomic.inc(done, 0, x)"),),
        ((ADD, "cuda.atomic.dec(done, 0, cuda.gridDim.x)"),),
        ((ADD, "cuda.atomic.add(done, b % done.size, 1)"),),
        (("if t == 0:", "if t < 2:"),),
        (("        s[0] = cuda", "        for _ in range(2):\n            s[0] = cuda"),),
        ((FENCED, FENCED + "    cuda.atomic.exch(done, 0, 5)\n"),),
        ((FENCED, FENCED + "    if t == 1:\n        cuda.atomic.add(done, 0, 1)\n"),),
        (("    if t == 0:\n", "    if t == 1:\n        s[0] = 9\n    if t == 0:\n"),),
        ((TAIL, TAIL + "    if t < 64 and b < partial.shape[0]:\n        partial[b, 0] = 2\n"),),
        ((TAIL, TAIL + "        partial[0, 0] = 1\n    out[1] = partial[0, 0]\n"),),
    ],
)  # fmt: skip
def test_mutants_are_not_proved(changes: tuple[tuple[str, str], ...]) -> None:
    assert status(*changes) != "verified"
