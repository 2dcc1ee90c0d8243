"""Rows of a constant width in a flat buffer: element (row, col) lies at row * WIDTH + col.

The column is below the width, so distinct (row, col) are distinct elements.
"""

import numpy as np
from numba import cuda

WIDTH = 48


@cuda.jit
def scale_rows(flat, factor, out):
    col, row = cuda.grid(2)
    if col < WIDTH and row < factor.size:
        out[row * WIDTH + col] = flat[row * WIDTH + col] * factor[row]


def run(rows):
    flat = cuda.to_device(np.ones(rows * WIDTH, dtype=np.float32))
    factor = cuda.to_device(np.arange(rows, dtype=np.float32))
    out = cuda.device_array(rows * WIDTH, dtype=np.float32)
    scale_rows[((WIDTH + 31) // 32, (rows + 7) // 8), (32, 8)](flat, factor, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10)[::WIDTH])
