"""Dot product: partial sums in registers, joined by one atomic a thread.

All threads meet in `result[0]`, and only atomics do.
"""

import numpy as np
from numba import cuda


@cuda.jit
def dot(x, y, result):
    start = cuda.grid(1)
    partial = 0.0
    for i in range(start, x.size, cuda.gridsize(1)):
        partial += x[i] * y[i]
    cuda.atomic.add(result, 0, partial)


def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.float64))
    y = cuda.to_device(np.ones(n, dtype=np.float64))
    result = cuda.to_device(np.zeros(1, dtype=np.float64))
    dot[32, 128](x, y, result)
    return result.copy_to_host()[0]


if __name__ == "__main__":
    print(run(100_000))
