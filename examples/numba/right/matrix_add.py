"""Matrix addition on a two-dimensional grid: each axis has its own guard.

The x axis of the grid walks the columns, as neighbouring threads should touch neighbouring addresses.
"""

import numpy as np
from numba import cuda


@cuda.jit
def matrix_add(a, b, out):
    col, row = cuda.grid(2)
    rows, cols = out.shape
    if row < rows and col < cols:
        out[row, col] = a[row, col] + b[row, col]


def add(rows, cols):
    a = cuda.to_device(np.ones((rows, cols), dtype=np.float32))
    b = cuda.to_device(np.ones((rows, cols), dtype=np.float32))
    out = cuda.device_array((rows, cols), dtype=np.float32)
    threads = (32, 8)
    blocks = ((cols + 31) // 32, (rows + 7) // 8)
    matrix_add[blocks, threads](a, b, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(add(300, 500))
