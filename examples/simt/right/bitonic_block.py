"""A bitonic sort of one block's part in shared memory: the lower thread of each pair swaps for both.

Partners differ in one bit; pairs are apart from each other, and a barrier ends each round.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 64


@gpulint.contract(block=(THREADS, 1, 1), requires=["x.size == grid.x * 64"])
@cuda.jit
def sort_blocks(x):
    held = cuda.shared.array(THREADS, numba.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t] = x[i]
    cuda.syncthreads()
    for size in (2, 4, 8, 16, 32, 64):
        step = size // 2
        while step > 0:
            other = t + step
            if t // step % 2 == 0 and other < THREADS:
                low, high = held[t], held[other]
                if (low > high) == (t // size % 2 == 0):
                    held[t] = high
                    held[other] = low
            cuda.syncthreads()
            step //= 2
    x[i] = held[t]


def run(blocks):
    x = cuda.to_device(np.arange(blocks * THREADS, dtype=np.int32))
    sort_blocks[blocks, THREADS](x)
    return x.copy_to_host()


if __name__ == "__main__":
    print(run(1))
