"""saxpy with a grid-stride loop: any grid is right, the loop covers what is left.

Thread i takes i, i + gridsize, i + 2 * gridsize, ...; these sets are disjoint for distinct threads.
"""

import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, y.shape[0], stride):
        y[i] += a * x[i]


def run(n, a):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    y = cuda.to_device(np.arange(n, dtype=np.float32))
    saxpy[128, 256](np.float32(a), x, y)
    return y.copy_to_host()


if __name__ == "__main__":
    print(run(100_000, 2.0))
