"""Half a warp works: sixteen lanes add up their values, and only those sixteen are named in the mask.

A mask that names lanes which never arrive would wait for ever, so the branch and the mask agree.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(block=(32, 1, 1), requires=["out.size >= grid.x", "x.size >= grid.x * 16"])
@cuda.jit
def half_sums(x, out):
    lane = cuda.threadIdx.x
    if lane < 16:
        total = x[cuda.blockIdx.x * 16 + lane]
        for step in (8, 4, 2, 1):
            total += cuda.shfl_xor_sync(0xFFFF, total, step)
        if lane == 0:
            out[cuda.blockIdx.x] = total


def run(groups):
    x = cuda.to_device(np.arange(groups * 16, dtype=np.int32))
    out = cuda.device_array(groups, dtype=np.int32)
    half_sums[groups, 32](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(4))
