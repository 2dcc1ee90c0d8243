"""Fast floating-point arithmetic on request: the decorator allows approximate functions.

`fastmath` changes values in their last digits, and no address.
"""

import math

import numpy as np
from numba import cuda


@cuda.jit(fastmath=True)
def damped(t, decay, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.exp(-decay * t[i]) * math.cos(t[i])


def run(n):
    t = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    damped[(n + 127) // 128, 128](t, np.float32(0.1), out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10))
