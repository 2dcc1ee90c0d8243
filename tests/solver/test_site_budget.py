"""A kernel with more launch sites than are decided is not called verified."""

from __future__ import annotations

from gpulint import pipeline
from gpulint.config import Config
from gpulint.solver.decide import MAX_SITES

HEAD = """import numpy as np
from numba import cuda


@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2.0


def run():
"""


def status(launches: int) -> str:
    lines = (f"    scale[{n}, 32](cuda.to_device(np.ones({32 * n})))\n" for n in range(1, launches + 1))
    (kernel,) = pipeline.check_file(HEAD + "".join(lines), "kernel.py", Config()).kernels
    return kernel.status


def test_sites_beyond_the_budget_leave_the_kernel_undecided() -> None:
    assert status(MAX_SITES) == "verified"
    assert status(MAX_SITES + 1) == "undecided"


GIVEN_UP = """import numpy as np
from numba import cuda

@cuda.jit
def k(x):
    i = cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x
    if i < x.size:
        x[i] = i + cuda.threadIdx.y

def run(n, m):
    x = cuda.device_array(n, np.float32)
    if n % 2 == 0:
        k[-(-n // 8), (8, m)](x)
    else:
        k[2, 2](x)
"""


def test_a_launch_that_is_given_up_leaves_nothing_proved_for_all_launches() -> None:
    (kernel,) = pipeline.check_file(GIVEN_UP, "k.py", Config()).kernels
    disjoint = [o for o in kernel.obligations if o.property == "disjoint"]
    assert kernel.status != "verified"
    assert all(o.verdict != "proved" or "in view" not in o.reason for o in disjoint)
