"""Slices of one buffer: what is proved apart has no element in common, what is refuted does."""

from __future__ import annotations

import random

import pytest
from fuzz.sites import decided

from gpulint.solver.verdict import REFUTED

COPY = (
    "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x, y):\n    i = cuda.grid(1)\n"
    "    if i < x.size and i < y.size:\n        y[i] = x[i]\n"
)


def races(first: list[int], second: list[int]) -> bool:
    """Whether two threads of the copy meet: one reads the element that another writes."""
    pairs = list(zip(first, second, strict=False))
    return any(a == d for a, b in pairs for c, d in pairs if (a, b) != (c, d))


def part(r: random.Random) -> slice:
    ends = (r.choice([None, *range(-7, 8)]) for _ in range(2))
    return slice(*ends)


def shown(s: slice) -> str:
    return f"a[{'' if s.start is None else s.start}:{'' if s.stop is None else s.stop}]"


@pytest.mark.parametrize("seed", range(16))
def test_a_verdict_on_two_slices_is_what_their_elements_say(seed: int) -> None:
    r = random.Random(seed)
    whole = list(range(6))
    x, y = part(r), part(r)
    while not (whole[x] and whole[y]):
        x, y = part(r), part(r)
    made = "    a = cuda.to_device(np.zeros(6, dtype=np.float32))\n"
    _, result = decided(f"{COPY}def main():\n{made}    k[1, 8]({shown(x)}, {shown(y)})\n")
    asked = [v.kind for v in result.verdicts if v.obligation.property == "no-alias"]
    assert (REFUTED in asked) is races(whole[x], whole[y])
