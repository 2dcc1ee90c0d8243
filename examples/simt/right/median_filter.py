"""A median of five neighbours, sorted in an array of the thread's own.

Local arrays belong to one thread, so no other can race for them; their length is a constant.
"""

import numba
import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["out.size + 4 <= x.size"])
@cuda.jit
def median(x, out):
    i = cuda.grid(1)
    if i < out.size:
        held = cuda.local.array(5, numba.float32)
        for k in range(5):
            held[k] = x[i + k]
        for a in range(3):
            for b in range(4 - a):
                if held[b] > held[b + 1]:
                    low = held[b + 1]
                    held[b + 1] = held[b]
                    held[b] = low
        out[i] = held[2]


def run(n):
    x = cuda.to_device(np.arange(n + 4, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    median[(n + 127) // 128, 128](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10))
