"""A copy, written one element a thread: the compiler takes several threads' elements in one wide access.

That the threads are proved independent of each other is what allows it.
"""

import numpy as np
from numba import cuda


@cuda.jit
def copy(source, target):
    i = cuda.grid(1)
    if i < target.size:
        target[i] = source[i]


def run(n):
    source = cuda.to_device(np.arange(n, dtype=np.float32))
    target = cuda.device_array(n, dtype=np.float32)
    copy[(n + 255) // 256, 256](source, target)
    return target.copy_to_host()


if __name__ == "__main__":
    print(run(1000))
