"""A scan in place with one barrier a step: values are replaced while others still read them.

Right twin: ../right/block_scan.py.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 64


@gpulint.contract(block=(THREADS, 1, 1), requires=["out.size == x.size"])
@cuda.jit
def block_scan(x, out):
    held = cuda.shared.array(THREADS, numba.int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = 1
    while step < THREADS:
        before = held[t - step] if t >= step else np.int64(0)
        held[t] += before  # error: GL302
        cuda.syncthreads()
        step *= 2
    if i < out.size:
        out[i] = held[t]


def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.int64))
    out = cuda.device_array(n, dtype=np.int64)
    block_scan[(n + THREADS - 1) // THREADS, THREADS](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100))
