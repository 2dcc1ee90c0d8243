"""Private bins that nobody clears: shared memory starts with what the last kernel left.

Right twin: ../right/histogram_shared.py.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

BINS = 64


@gpulint.contract(block=(BINS, 1, 1), requires=["counts.size == 64"])
@cuda.jit
def histogram(values, counts):
    own = cuda.shared.array(BINS, numba.int32)
    t = cuda.threadIdx.x
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        b = values[i]
        if 0 <= b < BINS:
            cuda.atomic.add(own, b, 1)  # error: GL901
    cuda.syncthreads()
    cuda.atomic.add(counts, t, own[t])  # error: GL901


def run(n):
    values = cuda.to_device(np.arange(n, dtype=np.int32))
    counts = cuda.to_device(np.zeros(BINS, dtype=np.int32))
    histogram[4, BINS](values, counts)
    return counts.copy_to_host()


if __name__ == "__main__":
    print(run(100))
