"""What a kernel hands to functions that are not known is a number where every launch in view gives one."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

KERNEL = """import numpy as np
from numba import cuda


def make(f, n):
    op = cuda.jit(device=True)(f)

    @cuda.jit
    def k(out, init):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = op(out[i], init)

    a = cuda.to_device(np.zeros(n))
    {launch}
"""


@pytest.mark.parametrize(
    ("launches", "status", "assumed"),
    [
        (["k[(n + 31) // 32, 32](a, 3)", "k[(n + 31) // 32, 32](a, 0.5)"], "verified", True),
        (["k[(n + 31) // 32, 32](a, 3)", "k[(n + 31) // 32, 32](a, a)"], "unsupported", False),
        (["k[(n + 31) // 32, 32](a, f)"], "unsupported", False),
        (["pass"], "unsupported", False),
    ],
)
def test_evidence_of_launches(launches: list[str], status: str, assumed: bool) -> None:
    text = KERNEL.format(launch="\n    ".join(launches))
    (kernel,) = pipeline.check_file(text, "kernel.py", Config()).kernels
    assert (kernel.status, "number-arguments" in kernel.assumed) == (status, assumed)


def test_the_assumption_can_be_lifted() -> None:
    text = KERNEL.format(launch="k[(n + 31) // 32, 32](a, 3)")
    report = pipeline.check_file(text, "kernel.py", Config(no_assume=frozenset({"number-arguments"})))
    assert report.kernels[0].status == "unsupported"
    assert any(f.code == "GL010" and "init" in f.message for f in report.findings)
