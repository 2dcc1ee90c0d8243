"""One step of heat flow on a three-dimensional grid: seven points read, one written, the border kept.

The three axes of the launch walk the axes of the array from the last one on.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["new.shape == old.shape"])
@cuda.jit
def step(old, new):
    k, j, i = cuda.grid(3)
    nx, ny, nz = old.shape
    if i >= nx or j >= ny or k >= nz:
        return
    inside = 0 < i < nx - 1 and 0 < j < ny - 1 and 0 < k < nz - 1
    if inside:
        around = old[i - 1, j, k] + old[i + 1, j, k] + old[i, j - 1, k] + old[i, j + 1, k]
        around += old[i, j, k - 1] + old[i, j, k + 1]
        new[i, j, k] = around / 6.0
    else:
        new[i, j, k] = old[i, j, k]


def run(n):
    old = cuda.to_device(np.ones((n, n, n), dtype=np.float64))
    new = cuda.device_array((n, n, n), dtype=np.float64)
    step[((n + 7) // 8, (n + 7) // 8, (n + 3) // 4), (8, 8, 4)](old, new)
    return new.copy_to_host()


if __name__ == "__main__":
    print(run(10).sum())
