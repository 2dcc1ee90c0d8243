"""A histogram over a grid-stride loop; bins are counted with atomics.

The bin is computed from a floating-point value, so it is checked against the number of bins.
"""

import numpy as np
from numba import cuda


@cuda.jit
def histogram(values, low, width, counts):
    start = cuda.grid(1)
    for i in range(start, values.size, cuda.gridsize(1)):
        b = int((values[i] - low) / width)
        if b >= 0 and b < counts.size:
            cuda.atomic.add(counts, b, 1)


def count(values, low, high, bins):
    values = cuda.to_device(values.astype(np.float64))
    width = (high - low) / bins
    counts = cuda.to_device(np.zeros(bins, dtype=np.int32))
    histogram[64, 128](values, np.float64(low), np.float64(width), counts)
    return counts.copy_to_host()


if __name__ == "__main__":
    print(count(np.random.default_rng(1).random(100_000), 0.0, 1.0, 20))
