"""Places from a plain counter: two threads read the same number and write to the same place.

Right twin: ../right/compact.py.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["count.size == 1"])
@cuda.jit
def keep_positive(x, out, count):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        place = count[0]
        count[0] = place + 1  # error: GL303
        if 0 <= place < out.size:
            out[place] = x[i]


def run(n):
    x = cuda.to_device(np.linspace(-1, 1, n).astype(np.float32))
    out = cuda.to_device(np.zeros(n, dtype=np.float32))
    count = cuda.to_device(np.zeros(1, dtype=np.int32))
    keep_positive[(n + 127) // 128, 128](x, out, count)
    return out.copy_to_host()[: count.copy_to_host()[0]]


if __name__ == "__main__":
    print(run(20))
