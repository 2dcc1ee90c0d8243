"""Column sums of a matrix that is stored flat, row by row: element (r, c) lies at r * cols + c.

The sum stays in a register and is written once, by the thread that owns the column.
"""

import numpy as np
from numba import cuda


@cuda.jit
def column_sums(flat, rows, cols, out):
    col = cuda.grid(1)
    if col < cols:
        total = 0.0
        for row in range(rows):
            total += flat[row * cols + col]
        out[col] = total


def run(rows, cols):
    flat = cuda.to_device(np.ones(rows * cols, dtype=np.float32))
    out = cuda.device_array(cols, dtype=np.float32)
    column_sums[(cols + 63) // 64, 64](flat, rows, cols, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(7, 100))
