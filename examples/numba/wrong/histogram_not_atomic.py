"""A histogram of the values' parity, counted with `+=`.

All even values meet in counts[0]: two threads read the same old count, and one increment is lost.
Right twin: ../right/histogram.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def count_parity(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        counts[i % 2] += values[i]  # error: GL303


def count(n):
    values = cuda.to_device(np.ones(n, dtype=np.int32))
    counts = cuda.to_device(np.zeros(2, dtype=np.int32))
    count_parity[(n + 127) // 128, 128](values, counts)
    return counts.copy_to_host()


if __name__ == "__main__":
    print(count(100_000))
