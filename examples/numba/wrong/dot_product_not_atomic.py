"""Dot product whose partial sums are joined with a plain `+=`.

Every thread of the launch updates result[0]; most of the updates are lost.
Right twin: ../right/dot_product.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def dot(x, y, result):
    start = cuda.grid(1)
    partial = 0.0
    for i in range(start, x.size, cuda.gridsize(1)):
        partial += x[i] * y[i]
    result[0] += partial  # error: GL303


def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.float64))
    y = cuda.to_device(np.ones(n, dtype=np.float64))
    result = cuda.to_device(np.zeros(1, dtype=np.float64))
    dot[32, 128](x, y, result)
    return result.copy_to_host()[0]


if __name__ == "__main__":
    print(run(100_000))
