"""A stride loop that steps by the block instead of the grid: blocks repeat each other's work.

Thread 0 of block 1 starts at 256, where thread 0 of block 0 arrives in its second trip; since the
update reads what it writes, some elements are added to twice.
Right twin: ../right/saxpy_grid_stride.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    start = cuda.grid(1)
    stride = cuda.blockDim.x
    for i in range(start, y.shape[0], stride):
        y[i] += a * x[i]  # error: GL303


def run(n, a):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    y = cuda.to_device(np.arange(n, dtype=np.float32))
    saxpy[128, 256](a, x, y)
    return y.copy_to_host()


if __name__ == "__main__":
    print(run(100_000, 2.0))
