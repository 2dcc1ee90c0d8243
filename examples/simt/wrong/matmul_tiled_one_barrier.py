"""Tiles without the second barrier: a fast warp loads the next tile while a slow one still reads this one.

Right twin: ../right/matmul_tiled.py.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

TILE = 16


@gpulint.contract(block=(TILE, TILE, 1))
@cuda.jit
def matmul(a, b, c):
    left = cuda.shared.array((TILE, TILE), numba.float32)
    right = cuda.shared.array((TILE, TILE), numba.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE + ty
    col = cuda.blockIdx.x * TILE + tx
    inner = a.shape[1]
    total = np.float32(0)
    for first in range(0, inner, TILE):
        left[ty, tx] = (  # error: GL302
            a[row, first + tx] if row < a.shape[0] and first + tx < inner else np.float32(0)
        )
        right[ty, tx] = (  # error: GL302
            b[first + ty, col] if first + ty < inner and col < b.shape[1] else np.float32(0)
        )
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
    if row < c.shape[0] and col < c.shape[1]:
        c[row, col] = total


def run(m, n, inner):
    a = cuda.to_device(np.ones((m, inner), dtype=np.float32))
    b = cuda.to_device(np.ones((inner, n), dtype=np.float32))
    c = cuda.device_array((m, n), dtype=np.float32)
    matmul[((n + TILE - 1) // TILE, (m + TILE - 1) // TILE), (TILE, TILE)](a, b, c)
    return c.copy_to_host()


if __name__ == "__main__":
    print(run(33, 20, 50))
