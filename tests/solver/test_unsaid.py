"""The launch that shows a gap in an output: arrays of which nothing is said are no reason for it."""

from __future__ import annotations

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import numpy as np
from numba import cuda


@cuda.jit
def k(y, z, idx):
    i = cuda.grid(1)
    if i < y.size and i < z.size and i < idx.size:
        y[i] = 1


def main(n, z):
    assert n >= 3
    y = cuda.device_array(n + {more}, np.int32)
    idx = cuda.to_device(np.arange(n))
    k[(n + 4) // 4, 4](y, z, idx)
"""


def test_the_element_named_is_left_out_whatever_a_caller_gives() -> None:
    report = pipeline.check_file(TEXT.format(more=1), "kernel.py", Config())
    (found,) = (f for f in report.findings if f.code == "GL602")
    assert found.witness is not None
    assert found.witness.params["n"] == found.witness.element[0]  # the last one


def test_a_guard_by_the_length_of_an_input_alone_is_no_gap() -> None:
    report = pipeline.check_file(TEXT.format(more=0), "kernel.py", Config())
    assert "GL602" not in {f.code for f in report.findings}
