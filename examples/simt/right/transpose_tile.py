"""A transpose of any size through a padded tile: both the reads and the writes of a warp are neighbours.

A thread writes another element than it read, so each side has a guard of its own.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

SIDE = 16
PITCH = SIDE + 1  # so that a column lies in different banks


@gpulint.contract(block=(SIDE, SIDE, 1), requires=["out.shape == (a.shape[1], a.shape[0])"])
@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((SIDE, PITCH), numba.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * SIDE + ty, cuda.blockIdx.x * SIDE + tx
    tile[ty, tx] = a[row, col] if row < a.shape[0] and col < a.shape[1] else np.float32(0)
    cuda.syncthreads()
    row, col = cuda.blockIdx.x * SIDE + ty, cuda.blockIdx.y * SIDE + tx
    if row < out.shape[0] and col < out.shape[1]:
        out[row, col] = tile[tx, ty]


def run(rows, cols):
    a = cuda.to_device(np.ones((rows, cols), dtype=np.float32))
    out = cuda.device_array((cols, rows), dtype=np.float32)
    transpose[((cols + SIDE - 1) // SIDE, (rows + SIDE - 1) // SIDE), (SIDE, SIDE)](a, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(20, 50).shape)
