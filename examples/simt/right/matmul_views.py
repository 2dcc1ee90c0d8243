"""A matrix product over views: a row of one matrix, a column of the other.

The views have their own lengths; the loop runs over the row's, which the column shares.
"""

import numpy as np
from numba import cuda


@cuda.jit
def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        row = a[i]
        col = b[:, j]
        total = 0.0
        for k in range(row.size):
            total += row[k] * col[k]
        c[i, j] = total


def run(m, n, inner):
    a = cuda.to_device(np.ones((m, inner), dtype=np.float32))
    b = cuda.to_device(np.ones((inner, n), dtype=np.float32))
    c = cuda.device_array((m, n), dtype=np.float32)
    matmul[((n + 15) // 16, (m + 15) // 16), (16, 16)](a, b, c)
    return c.copy_to_host()


if __name__ == "__main__":
    print(run(20, 30, 40))
