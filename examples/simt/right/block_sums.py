"""A sum for each block by a tree in shared memory: half of the threads add the others' values, and so on.

A barrier between the levels; it stands outside of the branch, so that all threads meet it.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 128


@gpulint.contract(block=(THREADS, 1, 1), requires=["out.size >= grid.x"])
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(THREADS, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else np.float32(0)
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def run(n):
    blocks = (n + THREADS - 1) // THREADS
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(blocks, dtype=np.float32)
    block_sums[blocks, THREADS](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000))
