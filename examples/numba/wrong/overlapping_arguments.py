"""One array passed twice: the kernel is right for distinct arrays, and this launch gives it one.

The host wanted to save the memory of a second buffer. Thread i now writes what thread i - 1 reads.
Right twin: ../right/differences.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def differences(x, out):
    i = cuda.grid(1)
    if i < out.size - 1:
        out[i] = x[i + 1] - x[i]


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    differences[(n + 127) // 128, 128](x, x)  # error: GL701
    return x.copy_to_host()


if __name__ == "__main__":
    print(run(100))
