"""Matrix transpose: the guard is on the source's axes, and the result has them swapped.

`out[j, i]` is written by the one thread that owns (i, j); the map of points to elements is one to one.
"""

import numpy as np
from numba import cuda


@cuda.jit
def transpose(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[j, i] = a[i, j]


def run(rows, cols):
    a = cuda.to_device(np.ones((rows, cols), dtype=np.float32))
    out = cuda.device_array((cols, rows), dtype=np.float32)
    threads = (16, 16)
    blocks = ((rows + 15) // 16, (cols + 15) // 16)
    transpose[blocks, threads](a, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100, 33).shape)
