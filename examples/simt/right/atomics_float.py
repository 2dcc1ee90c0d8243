"""Atomics on doubles: a sum and both extremes in one pass over the data.

The order of additions differs from run to run, and so does the last digit of the sum.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["found.size == 3"])
@cuda.jit
def spread(x, found):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(found, 0, x[i])
        cuda.atomic.min(found, 1, x[i])
        cuda.atomic.max(found, 2, x[i])


def run(n):
    x = cuda.to_device(np.linspace(-1, 1, n))
    found = cuda.to_device(np.array([0.0, np.inf, -np.inf], dtype=np.float64))
    spread[4, 64](x, found)
    return found.copy_to_host()


if __name__ == "__main__":
    print(run(1000))
