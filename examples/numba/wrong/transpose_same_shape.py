"""Matrix transpose into a result of the source's shape: right for square matrices only.

The host allocates `out` with `device_array_like(a)`, so `out[j, i]` leaves it as soon as there are
more columns than rows.
Right twin: ../right/transpose.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def transpose(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[j, i] = a[i, j]  # error: GL102


def run(rows, cols):
    a = cuda.to_device(np.ones((rows, cols), dtype=np.float32))
    out = cuda.device_array_like(a)
    threads = (16, 16)
    blocks = ((rows + 15) // 16, (cols + 15) // 16)
    transpose[blocks, threads](a, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(33, 100).shape)
