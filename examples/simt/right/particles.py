"""An array of records: each thread moves one particle, field by field.

The fields of one record lie side by side and belong to the thread that owns the record.
"""

import numpy as np
from numba import cuda

particle = np.dtype([("position", np.float32), ("speed", np.float32), ("hits", np.int32)])


@cuda.jit
def move(particles, dt, wall):
    i = cuda.grid(1)
    if i < particles.size:
        at = particles[i].position + dt * particles[i].speed
        if at > wall:
            particles[i].speed = -particles[i].speed
            particles[i].hits += 1
            at = wall
        particles[i].position = at


def run(n):
    particles = cuda.to_device(np.zeros(n, dtype=particle))
    move[(n + 127) // 128, 128](particles, 0.5, 10.0)
    return particles.copy_to_host()


if __name__ == "__main__":
    print(run(3))
