"""Pi by chance: each thread has a generator of its own and counts its hits in a register.

A linear congruential generator in 64 bits; its state comes from the number of the thread.
"""

import numpy as np
from numba import cuda

SHOTS = 32


@cuda.jit(device=True)
def following(state):
    return (state * 25214903917 + 11) % 281474976710656


@cuda.jit
def hits(seed, found):
    i = cuda.grid(1)
    if i < found.size:
        state = (seed + i) % 65536
        inside = 0
        for _ in range(SHOTS):
            state = following(state % 65536)
            x = (state % 1000) / 1000.0
            state = following(state % 65536)
            y = (state % 1000) / 1000.0
            if x * x + y * y < 1.0:
                inside += 1
        found[i] = inside


def run(n):
    found = cuda.device_array(n, dtype=np.int32)
    hits[(n + 127) // 128, 128](7, found)
    return 4.0 * found.copy_to_host().mean() / SHOTS


if __name__ == "__main__":
    print(run(1000))
