"""A hand-made report: one refuted kernel with a launch site, one undecided, one verified."""

from __future__ import annotations

import pytest

from gpulint.ir.span import Span
from gpulint.report.model import FileReport, KernelReport, ObligationReport, Report, SiteReport
from gpulint.rules.finding import Finding, Related
from gpulint.solver.verdict import Witness

SCALE = '''\
import math
from numba import cuda


@cuda.jit
def scale(x, out, a):
    """Doc."""
    i = cuda.grid(1)
    out[i] = a * x[i]


def host(x, out):
    # four blocks
    blocks = math.ceil(x.size / 256)
    scale[blocks, 256](x, out, 2.0)
'''


def span(row: int, column: int, end: int, filename: str = "scale.py") -> Span:
    return Span(filename, row, column, row, end)


WITNESS = Witness(
    {"out.size": 1000}, (4, 1, 1), (256, 1, 1), (((3, 0, 0), (232, 0, 0)),), "out", (1000,), (1000,),
    replayed=True,
)  # fmt: skip
TAIL = Finding(
    "GL203", "unguarded-launch-tail", "in-range", "error",
    "thread 232 of block 3 writes out[1000], one past its end", span(9, 4, 10), "scale",
    "i = blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + 232", "guard the store: `if i < out.size:`",
    (Related("launched with grid 4, block 256, out.size = 1000", span(15, 4, 35)),), WITNESS,
)  # fmt: skip
OPEN = Finding(
    "GL011", "undecided", "disjoint", "info", "disjoint of `out[idx[i]]` is undecided: indirect index",
    span(20, 4, 15), "scatter",
)  # fmt: skip


def kernels() -> tuple[KernelReport, ...]:
    assumed = ("grid-limits", "int32-sizes")
    return (
        KernelReport(
            "scale", "scale.py", "numba", span(5, 0, 9), "refuted", assumed=assumed,
            obligations=(ObligationReport("in-range", "refuted", span(9, 4, 10)),),
            sites=(SiteReport(span(15, 4, 35), "violates"),),
        ),
        KernelReport(
            "scatter", "scale.py", "numba", span(17, 0, 9), "undecided", assumed=assumed,
            obligations=(ObligationReport("disjoint", "undecided", span(20, 4, 15), "indirect index"),),
        ),
        KernelReport(
            "copy", "scale.py", "numba", span(30, 0, 9), "verified", ("n >= 1",), ("n <= x.size",), assumed,
            (ObligationReport("in-range", "proved-under", span(33, 4, 9), clauses=("n <= x.size",)),),
        ),
    )  # fmt: skip


@pytest.fixture
def report() -> Report:
    files = (FileReport("scale.py", (TAIL, OPEN), kernels(), suppressed=1), FileReport("empty.py"))
    return Report(files, 0.25, {"scale.py": SCALE})


@pytest.fixture
def tail() -> Finding:
    return TAIL


@pytest.fixture
def place():
    return span
