"""A return before the barrier: threads past the end of the data never reach it.

They would also have loaded the halo.

Right twin: ../right/stencil_halo.py.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 64
WIDTH = THREADS + 2


@gpulint.contract(block=(THREADS, 1, 1), requires=["out.size == x.size"])
@cuda.jit
def smooth(x, out):
    tile = cuda.shared.array(WIDTH, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    first = cuda.blockIdx.x * THREADS
    tile[t + 1] = x[i] if i < x.size else np.float32(0)
    if t == 0:
        tile[0] = x[first - 1] if 0 < first <= x.size else np.float32(0)
        tile[THREADS + 1] = x[first + THREADS] if first + THREADS < x.size else np.float32(0)
    if i >= out.size:
        return
    cuda.syncthreads()  # error: GL801
    if i < out.size:
        out[i] = np.float32(0.25) * tile[t] + np.float32(0.5) * tile[t + 1] + np.float32(0.25) * tile[t + 2]


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    smooth[(n + THREADS - 1) // THREADS, THREADS](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(130))
