"""Two phases in one launch: the whole grid meets between them.

After the barrier of the grid every block sees what all others wrote before it.
"""

import numpy as np
from numba import cuda


@cuda.jit
def two_sweeps(x, half, out):
    grid = cuda.cg.this_grid()
    start, step = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, half.size, step):
        half[i] = x[i] + x[i + 1]
    grid.sync()
    for i in range(start, out.size, step):
        out[i] = half[i] + half[i + 1]


def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    half = cuda.device_array(n - 1, dtype=np.float32)
    out = cuda.device_array(n - 2, dtype=np.float32)
    two_sweeps[8, 64](x, half, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000))
