"""Vector addition without a guard: right for a million elements in tests, wrong for 1000.

The grid is rounded up, so with 1000 elements the threads 1000 to 1023 write past the end.
Right twin: ../right/vector_add.py.
"""

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def vector_add(x, y, out):
    i = cuda.grid(1)
    out[i] = x[i] + y[i]  # error: GL203


def add(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    y = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    blocks = (n + THREADS - 1) // THREADS
    vector_add[blocks, THREADS](x, y, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(add(1000))
