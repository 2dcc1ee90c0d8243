"""Column sums of a flat matrix, with the wrong pitch: rows are `cols` apart, not `rows`.

A matrix with more rows than columns is read past its end; a square one hides the mistake.
Right twin: ../right/column_sums.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def column_sums(flat, rows, cols, out):
    col = cuda.grid(1)
    if col < cols:
        total = 0.0
        for row in range(rows):
            total += flat[row * rows + col]  # error: GL101
        out[col] = total


def run(rows, cols):
    flat = cuda.to_device(np.ones(rows * cols, dtype=np.float32))
    out = cuda.device_array(cols, dtype=np.float32)
    column_sums[(cols + 63) // 64, 64](flat, rows, cols, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100, 7))
