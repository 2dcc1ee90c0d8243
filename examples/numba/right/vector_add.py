"""Vector addition: one thread an element, the last block guarded.

The grid is rounded up, so the last block has threads past the end; `if i < out.size` turns them away.
"""

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def vector_add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def add(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    y = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    blocks = (n + THREADS - 1) // THREADS
    vector_add[blocks, THREADS](x, y, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(add(1000))
