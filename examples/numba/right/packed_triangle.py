"""The lower triangle of a symmetric matrix, packed row by row: (i, j) lies at i * (i + 1) / 2 + j.

Numba multiplies in 64 bits, so the product is exact for every matrix that fits in memory.
"""

import numpy as np
from numba import cuda


@cuda.jit
def pack(a, packed):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j <= i:
        packed[i * (i + 1) // 2 + j] = a[i, j]


def run(n):
    a = cuda.to_device(np.ones((n, n), dtype=np.float32))
    packed = cuda.device_array(n * (n + 1) // 2, dtype=np.float32)
    blocks = ((n + 15) // 16, (n + 15) // 16)
    pack[blocks, (16, 16)](a, packed)
    return packed.copy_to_host()


if __name__ == "__main__":
    print(run(20).sum())
