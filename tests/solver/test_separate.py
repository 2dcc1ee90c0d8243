"""What different arrays are taken to be: the assumption `distinct-arrays`, or clauses without it."""

from __future__ import annotations

import pytest

from gpulint import pipeline
from gpulint.config import Config
from gpulint.report.model import KernelReport
from gpulint.solver.options import DISTINCT_ARRAYS

KERNEL = """import numpy as np
import gpulint
from numba import cuda
{declared}
@cuda.jit
def k(x, y):
    i = cuda.grid(1)
    if i + 1 < x.size and i < y.size:
        {store}

{host}
"""
SHIFT, ALONE, BOTH = "y[i] = x[i + 1]", "y[i] = 1.0", "cuda.atomic.add(y, i, 1); cuda.atomic.add(x, i, 1)"
LAUNCH = "k[(a.size + 63) // 64, 64](a, b)"
GIVEN = f"def run(a, b):\n    {LAUNCH}"
OWN = f"def run(h):\n    a = cuda.to_device(h)\n    b = cuda.to_device(h)\n    {LAUNCH}"
DECLARED = '@gpulint.contract(requires=["noalias(x, y)"])'


def _kernel(store: str, host: str = "", declared: str = "", without: bool = False) -> KernelReport:
    text = KERNEL.format(store=store, host=host, declared=declared)
    config = Config(no_assume=frozenset({DISTINCT_ARRAYS} if without else ()))
    (kernel,) = pipeline.check_file(text, "k.py", config).kernels
    return kernel


@pytest.mark.parametrize(
    ("store", "host", "declared", "rests"),
    [
        (SHIFT, "", "", True), (ALONE, "", "", False), (BOTH, "", "", False), (SHIFT, "", DECLARED, False),
        (SHIFT, GIVEN, "", True), (SHIFT, OWN, "", False), (ALONE, GIVEN, "", False),
    ],
)  # fmt: skip
def test_the_assumption_is_named_where_a_verdict_rests_on_it(
    store: str, host: str, declared: str, rests: bool
) -> None:
    kernel = _kernel(store, host, declared)
    assert kernel.status == "verified" and (DISTINCT_ARRAYS in kernel.assumed) is rests


def test_without_it_the_contract_keeps_parameters_apart() -> None:
    kernel = _kernel(SHIFT, without=True)
    assert kernel.status == "verified" and "noalias(x, y)" in [str(c) for c in kernel.inferred]


@pytest.mark.parametrize(("host", "status"), [(GIVEN, "undecided"), (OWN, "verified")])
def test_without_it_a_launch_has_to_show_its_arrays_apart(host: str, status: str) -> None:
    assert _kernel(SHIFT, host, without=True).status == status


def test_no_overlap_is_left_out_for_being_one_of_many() -> None:
    names = [f"x{k}" for k in range(30)]
    text = f"""from numba import cuda

@cuda.jit
def k({", ".join(names)}):
    i = cuda.grid(1)
    if i + 1 < x0.size and i < x29.size:
        x29[i] = x0[i + 1]
        {"; ".join(f"{n}[0]" for n in names[1:29])}

def run(a):
    k[(a.size + 63) // 64, 64]({", ".join(["a"] * 30)})
"""
    (kernel,) = pipeline.check_file(text, "k.py", Config()).kernels
    assert kernel.status != "verified"
