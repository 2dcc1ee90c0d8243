"""No guard at all: the contract ties the launch to the data exactly.

A launch that rounds up is then refused before it starts, and no thread spends an instruction on a check.
"""

import numpy as np
from numba import cuda

import gpulint

THREADS = 64


@gpulint.contract(block=(THREADS, 1, 1), requires=["grid.x * 64 == out.size", "x.size == out.size"])
@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    out[i] = x[i] + x[i]


def run(blocks):
    x = cuda.to_device(np.arange(blocks * THREADS, dtype=np.int32))
    out = cuda.device_array(blocks * THREADS, dtype=np.int32)
    double[blocks, THREADS](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(2))
