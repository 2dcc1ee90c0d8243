"""The diagonal of a symmetric matrix whose lower triangle is packed row by row.

Row i starts at i * (i + 1) / 2. Numba multiplies in 64 bits, so the product is exact for every
matrix that fits in memory; the guard asks for what the host promises.
"""

import numpy as np
from numba import cuda


@cuda.jit
def diagonal(packed, out):
    i = cuda.grid(1)
    if i < out.size:
        at = i * (i + 1) // 2 + i
        if at < packed.size:
            out[i] = packed[at]


def run(n):
    packed = cuda.to_device(np.ones(n * (n + 1) // 2, dtype=np.float32))
    out = cuda.to_device(np.zeros(n, dtype=np.float32))
    diagonal[(n + 255) // 256, 256](packed, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(20).sum())
