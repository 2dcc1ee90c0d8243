"""The packed diagonal with the product cast to 32 bits, to save registers.

i * (i + 1) passes 2^31 from i = 46341 on, although the packed array itself has only half as many
elements, and fits: from there on the index is negative, passes the guard, and counts from the end.
Right twin: ../right/packed_diagonal.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def diagonal(packed, out):
    i = cuda.grid(1)
    if i < out.size:
        at = np.int32(i * (i + 1)) // 2 + i  # error: GL401
        if at < packed.size:
            out[i] = packed[at]


def run(n):
    packed = cuda.to_device(np.ones(n * (n + 1) // 2, dtype=np.float32))
    out = cuda.to_device(np.zeros(n, dtype=np.float32))
    diagonal[(n + 255) // 256, 256](packed, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(20).sum())
