"""Shared memory whose size the launch gives: the block reverses its part of the array through it.

The size is in bytes and belongs to the launch; the kernel sees as many elements as fit.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 64


@gpulint.contract(requires=["x.size == grid.x * block.x", "block.y == 1", "block.z == 1"])
@cuda.jit
def reverse_blocks(x):
    held = cuda.shared.array(0, numba.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t < held.size:
        held[t] = x[i]
    cuda.syncthreads()
    other = cuda.blockDim.x - 1 - t
    if other < held.size:
        x[i] = held[other]


def run(blocks):
    x = cuda.to_device(np.arange(blocks * THREADS, dtype=np.int32))
    reverse_blocks[blocks, THREADS, 0, THREADS * 4](x)
    return x.copy_to_host()


if __name__ == "__main__":
    print(run(2))
