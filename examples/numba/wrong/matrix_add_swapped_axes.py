"""Matrix addition with the two bounds swapped: square matrices hide it.

With 300 rows and 500 columns, rows 300 and up pass `row < out.shape[1]`.
Right twin: ../right/matrix_add.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def matrix_add(a, b, out):
    col, row = cuda.grid(2)
    if row < out.shape[1] and col < out.shape[0]:
        out[row, col] = a[row, col] + b[row, col]  # error: GL101, GL102


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
