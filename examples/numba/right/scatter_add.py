"""Scatter with atomic additions: two particles in one cell are added up, not lost.

Nothing is known of which cell a particle falls into, so only an atomic keeps the sum right.
"""

import numpy as np
from numba import cuda


@cuda.jit
def deposit(cell, charge, density):
    p = cuda.grid(1)
    if p < cell.size:
        c = cell[p]
        if c >= 0 and c < density.size:
            cuda.atomic.add(density, c, charge[p])


def run(particles, cells):
    cell = cuda.to_device((np.arange(particles) % cells).astype(np.int64))
    charge = cuda.to_device(np.ones(particles, dtype=np.float64))
    density = cuda.to_device(np.zeros(cells, dtype=np.float64))
    deposit[(particles + 255) // 256, 256](cell, charge, density)
    return density.copy_to_host()


if __name__ == "__main__":
    print(run(10_000, 64))
