"""Arrays that an iteration of a host loop keeps for the next one: they may be what is taken out then."""

from __future__ import annotations

import textwrap

import pytest

from gpulint import pipeline
from gpulint.config import Config

HEAD = """
import numpy as np
from numba import cuda
from other import unseen

@cuda.jit
def k(x, y):
    i = cuda.grid(1)
    if i < x.size and i + 1 < y.size:
        x[i] = y[i + 1]

def main(a, b, c, m):
    before = cuda.to_device(np.zeros(64))
"""
LOOPS = {
    "an item of a list that changes": "held = [a]\nfor j in range(m):\n    now = held[0]\n    {k}\n"
    "    before = now\n    unseen(held)",
    "an item that two calls change": "held = [a]\nfor j in range(m):\n    unseen(held)\n    now = held[0]\n"
    "    {k}\n    before = now\n    unseen(held)",
    "an attribute of an object that changes": "for j in range(m):\n    now = c.x\n    {k}\n    before = now\n"
    "    unseen(c)",
    "of an object that nested loops change": "for j in range(m):\n    for i in range(m):\n        now = c.x\n"
    "        {k}\n        unseen(c)\n        before = now\n    unseen(c)",
    "of the iteration before the last": "late = before\nfor j in range(m):\n    now = c.x\n    {k}\n"
    "    before = late\n    late = now\n    unseen(c)",
    "an item that is put back": "held = {{'x': a}}\nfor j in range(m):\n    now = held['x']\n    {k}\n"
    "    before = now\n    held[c] = b",
}


def status(loop: str) -> str:
    body = textwrap.indent(LOOPS[loop].format(k="k[1, 64](now, before)"), "    ")
    (kernel,) = pipeline.check_file(HEAD + body + "\n", "kernel.py", Config()).kernels
    return kernel.status


@pytest.mark.parametrize("loop", LOOPS)
def test_what_an_iteration_keeps_may_be_what_the_next_one_takes(loop: str) -> None:
    assert status(loop) != "verified"


def test_the_same_kernel_with_arrays_of_their_own_is_verified() -> None:
    body = "    for j in range(m):\n        k[1, 64](a, before)\n"
    text = HEAD + body
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert kernel.status == "verified"
