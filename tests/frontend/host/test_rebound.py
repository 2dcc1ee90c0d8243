"""Arrays that a host loop gives other names: what a launch gets in a later iteration may be one memory."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import numpy as np
from numba import cuda

@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i + 1 < x.size and i < y.size:
        y[i] = x[i + 1]

def run(h, n, a, b, c):
    {made}
    for _ in range(n):
        shift[(x.size + 63) // 64, 64](x, y)
        {then}
"""
OWN = "x, y, w = cuda.to_device(h), cuda.to_device(h), cuda.to_device(h)"
GIVEN = "x, y, w = a, b, c"


def test_a_part_does_not_pass_for_the_whole_that_came_before() -> None:
    text = TEXT.format(made=OWN + "; y = cuda.to_device(h)", then="x = w; w = w[:2]")
    text = text.replace("i + 1 < x.size and i < y.size", "i < y.size").replace(
        "(x.size + 63)", "(y.size + 63)"
    )
    (kernel,) = pipeline.check_file(text, "k.py", Config()).kernels
    assert kernel.status != "verified"


@pytest.mark.parametrize(
    ("made", "then", "status"),
    [
        (OWN, "pass", "verified"), (OWN, "x, y = y, x", "verified"), (OWN, "x, y, w = y, w, x", "verified"),
        (OWN, "x = y", "undecided"), (OWN, "x, y = y, y", "undecided"), (OWN, "x = y[1:]", "undecided"),
        (OWN, "x = y; y = w", "undecided"), (OWN, "x = w; w = y", "undecided"),
        (OWN, "x = y if n > 3 else x", "undecided"),
        (GIVEN, "pass", "verified"), (GIVEN, "x = y", "undecided"), (GIVEN, "x = y[1:]", "undecided"),
        (GIVEN, "x = w; w = y", "undecided"),
    ],
)  # fmt: skip
def test_a_name_holds_in_turn_what_others_held(made: str, then: str, status: str) -> None:
    (kernel,) = pipeline.check_file(TEXT.format(made=made, then=then), "k.py", Config()).kernels
    assert kernel.status == status
