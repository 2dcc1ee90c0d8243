"""A grid rounded down: the guard is right, but the last elements get no thread.

With 1000 elements, 1000 // 256 blocks write 768 of them; the rest of `out` is whatever the memory held.
Right twin: ../right/vector_add.py, which rounds up.
"""

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def scale(x, out, factor):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = factor * x[i]


def scaled(n, factor):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    scale[n // THREADS, THREADS](x, out, factor)  # error: GL601
    return out.copy_to_host()


if __name__ == "__main__":
    print(scaled(1000, 0.5))
