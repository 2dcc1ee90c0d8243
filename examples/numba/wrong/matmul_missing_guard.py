"""Matrix product that guards the rows and forgets the columns.

With 200 columns and blocks of 16 the last block reaches column 207: the row after is overwritten.
Right twin: ../right/matmul.py.
"""

import numpy as np
from numba import cuda

BLOCK = 16


@cuda.jit
def matmul(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]  # error: GL101
        c[i, j] = total  # error: GL102


def product(m, n, inner):
    a = cuda.to_device(np.ones((m, inner), dtype=np.float32))
    b = cuda.to_device(np.ones((inner, n), dtype=np.float32))
    c = cuda.device_array((m, n), dtype=np.float32)
    grid = ((m + BLOCK - 1) // BLOCK, (n + BLOCK - 1) // BLOCK)
    matmul[grid, (BLOCK, BLOCK)](a, b, c)
    return c.copy_to_host()


if __name__ == "__main__":
    print(product(100, 200, 300))
