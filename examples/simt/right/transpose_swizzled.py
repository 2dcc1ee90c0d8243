"""A 32 x 32 transpose through shared memory without padding: columns are swizzled by the row.

Column x of row y stands at x ^ y, so the rows and the columns of the tile both lie in 32 different banks.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

SIDE = 32


@gpulint.contract(
    block=(SIDE, SIDE, 1),
    requires=[
        "a.shape[0] == grid.y * 32",
        "a.shape[1] == grid.x * 32",
        "out.shape == (a.shape[1], a.shape[0])",
    ],
)
@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((SIDE, SIDE), numba.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x ^ y] = a[cuda.blockIdx.y * SIDE + y, cuda.blockIdx.x * SIDE + x]
    cuda.syncthreads()
    out[cuda.blockIdx.x * SIDE + y, cuda.blockIdx.y * SIDE + x] = tile[x, y ^ x]


def run(rows, cols):
    a = cuda.to_device(np.ones((rows * SIDE, cols * SIDE), dtype=np.float32))
    out = cuda.device_array((cols * SIDE, rows * SIDE), dtype=np.float32)
    transpose[(cols, rows), (SIDE, SIDE)](a, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(2, 3).shape)
