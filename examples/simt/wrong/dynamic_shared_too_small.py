"""Dynamic shared memory for half of the threads, counted in elements of two bytes where they have four.

The kernel does not ask how much there is.

Right twin: ../right/dynamic_shared.py.
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
    held[t] = x[i]  # error: GL102
    cuda.syncthreads()
    other = cuda.blockDim.x - 1 - t
    x[i] = held[other]  # error: GL101


def run(blocks):
    x = cuda.to_device(np.arange(blocks * THREADS, dtype=np.int32))
    reverse_blocks[blocks, THREADS, 0, THREADS * 2](x)
    return x.copy_to_host()


if __name__ == "__main__":
    print(run(2))
