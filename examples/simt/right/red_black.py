"""Red-black relaxation in place: a launch updates the cells of one colour and reads those of the other.

Neighbours always differ in colour, so no cell that is read is written in the same launch.
"""

import numpy as np
from numba import cuda


@cuda.jit
def relax(u, colour):
    i = cuda.grid(1) + 1
    if i < u.size - 1 and i % 2 == colour:
        u[i] = 0.5 * (u[i - 1] + u[i + 1])


def run(n, sweeps):
    u = cuda.to_device(np.linspace(0, 1, n))
    for _ in range(sweeps):
        relax[(n + 127) // 128, 128](u, 0)
        relax[(n + 127) // 128, 128](u, 1)
    return u.copy_to_host()


if __name__ == "__main__":
    print(run(10, 100))
