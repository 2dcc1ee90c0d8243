"""One output for each warp: the lanes' values are added up by shuffles, and lane 0 writes the sum.

A warp is named by the number of its first thread, so no two warps share an output.
"""

import numpy as np
from numba import cuda

import gpulint

THREADS = 128
FULL = 0xFFFFFFFF


@gpulint.contract(block=(THREADS, 1, 1), requires=["out.size * 32 >= grid.x * 128"])
@cuda.jit
def warp_sums(x, out):
    i = cuda.grid(1)
    total = x[i] if i < x.size else np.int64(0)
    offset = 16
    while offset > 0:
        total += cuda.shfl_down_sync(FULL, total, offset)
        offset //= 2
    if cuda.threadIdx.x % 32 == 0:
        out[i // 32] = total


def run(n):
    blocks = (n + THREADS - 1) // THREADS
    x = cuda.to_device(np.arange(n, dtype=np.int64))
    out = cuda.device_array(blocks * (THREADS // 32), dtype=np.int64)
    warp_sums[blocks, THREADS](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000).sum())
