"""Shuffles of 64-bit values: every group of four lanes is turned round by one.

A double travels as two 32-bit halves, which the compiler takes apart and puts together again.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(block=(64, 1, 1), requires=["x.size == grid.x * 64", "out.size == x.size"])
@cuda.jit
def rotate(x, out):
    i = cuda.grid(1)
    lane = cuda.threadIdx.x % 32
    source = lane // 4 * 4 + (lane + 1) % 4
    out[i] = cuda.shfl_sync(0xFFFFFFFF, x[i], source)


def run(blocks):
    x = cuda.to_device(np.arange(blocks * 64, dtype=np.float64))
    out = cuda.device_array(blocks * 64, dtype=np.float64)
    rotate[blocks, 64](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1)[:8])
