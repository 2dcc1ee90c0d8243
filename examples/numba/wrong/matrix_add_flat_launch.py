"""A kernel that asks for two coordinates, launched over one axis.

The second coordinate is 0 in every thread, so only the first row of the result is written.
Right twin: ../right/matrix_add.py.
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
    matrix_add[(cols + 255) // 256, 256](a, b, out)  # error: GL503, GL601
    return out.copy_to_host()


if __name__ == "__main__":
    print(add(300, 500))
