"""Which loops with barriers run at least once."""

from __future__ import annotations

import pytest
from kernels import kernel

from gpulint.dataflow import analyse


def entered(loop: str, body: str = "cuda.syncthreads()") -> bool:
    text = f"@cuda.jit\ndef k(x, n):\n    s = 1\n    {loop}\n        {body}\n"
    return bool(analyse(kernel(text)).entered)


@pytest.mark.parametrize("loop", ["for j in range(3):", "while s < 9:", "for j in range(2, 0, -1):"])
def test_a_loop_with_constant_bounds_runs(loop: str) -> None:
    assert entered(loop, "cuda.syncthreads(); s += 1")


@pytest.mark.parametrize("loop", ["for j in range(n):", "while s < n:", "for j in range(3, n):"])
def test_a_loop_up_to_a_parameter_may_not_run(loop: str) -> None:
    assert not entered(loop, "cuda.syncthreads(); s += 1")


def test_a_loop_behind_its_own_condition_runs() -> None:
    text = (
        "@cuda.jit\ndef k(x, n):\n    if n > 2:\n        for j in range(n):\n            cuda.syncthreads()\n"
    )
    assert analyse(kernel(text)).entered


def test_halving_from_a_doubling_size_runs_in_each_round() -> None:
    text = (
        "@cuda.jit\ndef k(x):\n    s = 2\n    while s <= 64:\n        j = s // 2\n        while j > 0:\n"
        "            cuda.syncthreads()\n            j //= 2\n        s *= 2\n"
    )
    assert len(analyse(kernel(text)).entered) == 2


def test_halving_from_a_parameter_may_not_run() -> None:
    loop = "    while j > 0:\n        cuda.syncthreads()\n        j //= 2\n"
    assert not analyse(kernel(f"@cuda.jit\ndef k(x, n):\n    j = n // 2\n{loop}")).entered
