"""A device function computes the index, and the kernel stores through it.

`mirror` maps 0 .. n - 1 onto n - 1 .. 0, so distinct threads still write distinct elements.
"""

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def mirror(i, n):
    return n - 1 - i


@cuda.jit
def reverse(x, out):
    i = cuda.grid(1)
    n = x.shape[0]
    if i < n:
        out[mirror(i, n)] = x[i]


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.int32))
    out = cuda.device_array(n, dtype=np.int32)
    reverse[(n + 255) // 256, 256](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10))
