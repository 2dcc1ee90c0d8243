"""What an array's element type says of indices that are read from it."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config

COUNT = """import numpy as np
from numba import cuda

@cuda.jit
def count(data, bins):
    i = cuda.grid(1)
    if i < data.size:
        cuda.atomic.add(bins, data[i], 1)

def run(values, n):
    data = cuda.to_device(values.astype(np.{dtype}))
    bins = cuda.to_device(np.zeros({size}, dtype=np.int32))
    count[(data.size + 127) // 128, 128](data, bins)
"""


@pytest.mark.parametrize(
    ("dtype", "size", "expected"),
    [
        ("uint8", "256", "verified"),
        ("uint8", "255", "undecided"),
        ("int8", "256", "undecided"),
        ("uint16", "65536", "verified"),
        ("int64", "256", "undecided"),
        ("uint8", "n", "undecided"),
    ],
)
def test_bins_for_every_value_of_the_type(dtype: str, size: str, expected: str) -> None:
    text = COUNT.format(dtype=dtype, size=size)
    report = pipeline.check_file(text, "kernel.py", Config())
    assert report.kernels[0].status == expected
    assert not [f for f in report.findings if f.severity in ("error", "warning")]
