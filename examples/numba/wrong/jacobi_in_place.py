"""A Jacobi step in a single buffer: neighbours are read while other threads overwrite them.

The result depends on the order of the threads; this is neither Jacobi nor Gauss-Seidel.
Right twin: ../right/jacobi.py.
"""

import numpy as np
from numba import cuda

BLOCK = (16, 16)


def cdiv(a, b):
    return (a + b - 1) // b


@cuda.jit
def jacobi_step(u):
    i, j = cuda.grid(2)
    if 1 <= i and i < u.shape[0] - 1 and 1 <= j and j < u.shape[1] - 1:
        u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])  # error: GL302


def solve(rows, cols, sweeps):
    start = np.zeros((rows, cols), dtype=np.float64)
    start[0, :] = 1.0
    u = cuda.to_device(start)
    grid = (cdiv(rows, BLOCK[0]), cdiv(cols, BLOCK[1]))
    for _ in range(sweeps):
        jacobi_step[grid, BLOCK](u)
    return u.copy_to_host()


if __name__ == "__main__":
    print(solve(100, 120, 100)[:4, 60])
