"""Row sums with one block a row: strided partial sums, a tree in shared memory, one store.

The block's size is fixed, so the tree has a fixed number of levels.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 256


@gpulint.contract(block=(THREADS, 1, 1), requires=["out.size >= grid.x", "a.shape[0] >= grid.x"])
@cuda.jit
def row_sums(a, out):
    part = cuda.shared.array(THREADS, numba.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    total = np.float32(0)
    for col in range(t, a.shape[1], THREADS):
        total += a[row, col]
    part[t] = total
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[row] = part[0]


def run(rows, cols):
    a = cuda.to_device(np.ones((rows, cols), dtype=np.float32))
    out = cuda.device_array(rows, dtype=np.float32)
    row_sums[rows, THREADS](a, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(5, 1000))
