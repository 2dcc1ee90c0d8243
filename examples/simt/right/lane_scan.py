"""An inclusive prefix sum within each warp, by shuffles from lower lanes.

Lanes below the step keep their value; what a shuffle gives them is not used.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(block=(32, 1, 1), requires=["out.size == x.size"])
@cuda.jit
def lane_scan(x, out):
    i = cuda.grid(1)
    lane = cuda.threadIdx.x
    total = x[i] if i < x.size else np.int32(0)
    for step in (1, 2, 4, 8, 16):
        before = cuda.shfl_up_sync(0xFFFFFFFF, total, step)
        if lane >= step:
            total += before
    if i < out.size:
        out[i] = total


def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.int32))
    out = cuda.device_array(n, dtype=np.int32)
    lane_scan[(n + 31) // 32, 32](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(70))
