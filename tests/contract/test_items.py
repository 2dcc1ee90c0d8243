"""Items of a mapping that a kernel names by text are no items of a tuple."""

from __future__ import annotations

from gpulint import pipeline
from gpulint.config import Config

TEXT = """import enum
from numba import cuda
from colours import Color

@cuda.jit
def f(out):
    out[0] = Color["red"]

def run(c, out):
    @cuda.jit
    def g(colours, out):
        out[0] = colours["red"]
    f[1, 1](out)
    g[1, 1](c, out)
"""


def test_an_item_by_name_ends_in_no_error() -> None:
    report = pipeline.check_file(TEXT, "k.py", Config())
    assert not [f for f in report.findings if f.code == "GL002"]
