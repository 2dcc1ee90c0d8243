"""Stream compaction: an atomic counter hands out places, and no two threads get the same one.

What the addition returns is unique; the check on it keeps a buffer that is too short from overflowing.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["count.size == 1"])
@cuda.jit
def keep_positive(x, out, count):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        place = cuda.atomic.add(count, 0, 1)
        if place < out.size:
            out[place] = x[i]


def run(n):
    x = cuda.to_device(np.linspace(-1, 1, n).astype(np.float32))
    out = cuda.to_device(np.zeros(n, dtype=np.float32))
    count = cuda.to_device(np.zeros(1, dtype=np.int32))
    keep_positive[(n + 127) // 128, 128](x, out, count)
    return out.copy_to_host()[: count.copy_to_host()[0]]


if __name__ == "__main__":
    print(run(20))
