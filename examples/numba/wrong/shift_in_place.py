"""A shift to the left in place: each thread reads the element that its neighbour overwrites.

Whether x[i] gets the old or the new x[i + 1] depends on which thread comes first.
Right twin: ../right/scale_in_place.py, where each thread touches only its own element.
"""

import numpy as np
from numba import cuda

THREADS = 256


@cuda.jit
def shift_left(x):
    i = cuda.grid(1)
    if i < x.size - 1:
        x[i] = x[i + 1]  # error: GL302


def shifted(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    blocks = (n + THREADS - 1) // THREADS
    shift_left[blocks, THREADS](x)
    return x.copy_to_host()


if __name__ == "__main__":
    print(shifted(1000))
