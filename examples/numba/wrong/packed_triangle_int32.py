"""The packed triangle with the product cast to 32 bits, to save registers.

i * (i + 1) passes 2^31 from i = 46341 on, although the packed array itself still has only half as
many elements, and fits.
Right twin: ../right/device_helper.py and every index that stays in 64 bits.
"""

import numpy as np
from numba import cuda


@cuda.jit
def row_starts(packed, diagonal):
    i = cuda.grid(1)
    if i < diagonal.size:
        start = np.int32(i * (i + 1)) // 2  # error: GL401
        diagonal[i] = packed[start + i]


def run(n):
    packed = cuda.to_device(np.ones(n * (n + 1) // 2, dtype=np.float32))
    diagonal = cuda.device_array(n, dtype=np.float32)
    row_starts[(n + 255) // 256, 256](packed, diagonal)
    return diagonal.copy_to_host()


if __name__ == "__main__":
    print(run(20).sum())
