"""A device function mirrors the index and is one off: mirror(0, n) is n, one past the end.

The mistake is in the helper, the access in the kernel. And no thread writes out[0].
Right twin: ../right/device_helper.py.
"""

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def mirror(i, n):
    return n - i


@cuda.jit
def reverse(x, out):
    i = cuda.grid(1)
    n = x.shape[0]
    if i < n:
        out[mirror(i, n)] = x[i]  # error: GL102, GL602


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.int32))
    out = cuda.device_array(n, dtype=np.int32)
    reverse[(n + 255) // 256, 256](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10))
