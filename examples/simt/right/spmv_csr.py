"""A sparse matrix times a vector, rows compressed: one thread a row, indices that the kernel checks itself.

Columns come from the data; what lies outside of the vector counts as zero.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(
    requires=["within(starts, 0, values.size + 1)", "columns.size == values.size", "y.size < starts.size"]
)
@cuda.jit
def multiply(values, columns, starts, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            col = columns[k]
            if 0 <= col < x.size:
                total += values[k] * x[col]
        y[row] = total


def run(n):
    values = cuda.to_device(np.ones(n, dtype=np.float64))
    columns = cuda.to_device(np.arange(n, dtype=np.int32))
    starts = cuda.to_device(np.arange(n + 1, dtype=np.int32))
    x = cuda.to_device(np.ones(n, dtype=np.float64))
    y = cuda.device_array(n, dtype=np.float64)
    multiply[(n + 127) // 128, 128](values, columns, starts, x, y)
    return y.copy_to_host()


if __name__ == "__main__":
    print(run(10))
