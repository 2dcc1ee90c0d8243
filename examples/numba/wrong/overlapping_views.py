"""Two views of one buffer: the kernel is right for distinct arrays, and this launch gives it one.

`x[1:]` and `x[:-1]` share all but one element, so thread i writes what thread i + 1 reads.
Right twin: ../right/differences.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def copy(source, target):
    i = cuda.grid(1)
    if i < target.size:
        target[i] = source[i]


def shift(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    copy[(n + 127) // 128, 128](x[:-1], x[1:])  # error: GL701
    return x.copy_to_host()


if __name__ == "__main__":
    print(shift(100))
