"""Forward differences: one element fewer than the input, so the last thread has a neighbour.

The guard is on the result, which the host allocates one shorter.
"""

import numpy as np
from numba import cuda


@cuda.jit
def differences(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1] - x[i]


def run(n):
    assert n >= 2
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.device_array(n - 1, dtype=np.float32)
    differences[(n + 127) // 128, 128](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100))
