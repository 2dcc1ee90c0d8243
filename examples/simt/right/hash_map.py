"""A hash table with open addressing: a slot is claimed by compare-and-swap, then its count is raised.

Whoever swaps first owns the slot; the others see its key, and go on unless it is their own.
"""

import numpy as np
from numba import cuda

import gpulint

FREE = -1


@gpulint.contract(requires=["counts.size == keys.size"])
@cuda.jit
def insert(values, keys, counts):
    i = cuda.grid(1)
    if i < values.size:
        key = values[i]
        slot = (key * 40503) % keys.size
        for _ in range(keys.size):
            held = cuda.atomic.cas(keys, slot, FREE, key)
            if held == FREE or held == key:
                cuda.atomic.add(counts, slot, 1)
                break
            slot = (slot + 1) % keys.size


def run(n, slots):
    values = cuda.to_device(np.arange(n, dtype=np.int32))
    keys = cuda.to_device(np.full(slots, FREE, dtype=np.int32))
    counts = cuda.to_device(np.zeros(slots, dtype=np.int32))
    insert[(n + 63) // 64, 64](values, keys, counts)
    return keys.copy_to_host(), counts.copy_to_host()


if __name__ == "__main__":
    print(run(40, 64))
