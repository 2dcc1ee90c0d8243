"""A warp's sum is stored by all of its lanes, and only lane 0 has it in full.

Shuffles down leave partial sums in the other lanes, so what stands there in the end is chance.

Right twin: ../right/warp_sums.py.
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
    out[i // 32] = total  # error: GL301


def run(n):
    blocks = (n + THREADS - 1) // THREADS
    x = cuda.to_device(np.arange(n, dtype=np.int64))
    out = cuda.device_array(blocks * (THREADS // 32), dtype=np.int64)
    warp_sums[blocks, THREADS](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000).sum())
