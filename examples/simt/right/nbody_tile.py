"""Forces between all pairs of bodies on a line, in tiles: the block loads some, all its threads use them.

The tile past the end of the data is filled with bodies without mass.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

TILE = 32


@gpulint.contract(block=(TILE, 1, 1), requires=["mass.size == place.size", "force.size == place.size"])
@cuda.jit
def forces(place, mass, force):
    where = cuda.shared.array(TILE, numba.float64)
    heavy = cuda.shared.array(TILE, numba.float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    own = place[i] if i < place.size else 0.0
    total = 0.0
    for first in range(0, place.size, TILE):
        j = first + t
        where[t] = place[j] if j < place.size else 0.0
        heavy[t] = mass[j] if j < place.size else 0.0
        cuda.syncthreads()
        for k in range(TILE):
            apart = where[k] - own
            total += heavy[k] * apart / (apart * apart + 0.01)
        cuda.syncthreads()
    if i < force.size:
        force[i] = total


def run(n):
    place = cuda.to_device(np.linspace(0, 1, n))
    mass = cuda.to_device(np.ones(n, dtype=np.float64))
    force = cuda.device_array(n, dtype=np.float64)
    forces[(n + TILE - 1) // TILE, TILE](place, mass, force)
    return force.copy_to_host()


if __name__ == "__main__":
    print(run(50))
