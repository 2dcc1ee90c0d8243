"""A warp's largest value by a butterfly of exchanges: afterwards every lane knows it.

All 32 lanes take part, those past the end of the data with a value that never wins.
"""

import numpy as np
from numba import cuda

import gpulint

LEAST = -(2**31)


@gpulint.contract(block=(32, 1, 1), requires=["out.size == x.size"])
@cuda.jit
def warp_maximum(x, out):
    i = cuda.grid(1)
    best = x[i] if i < x.size else np.int32(LEAST)
    for step in (16, 8, 4, 2, 1):
        best = max(best, cuda.shfl_xor_sync(0xFFFFFFFF, best, step))
    if i < out.size:
        out[i] = best


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.int32))
    out = cuda.device_array(n, dtype=np.int32)
    warp_maximum[(n + 31) // 32, 32](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100))
