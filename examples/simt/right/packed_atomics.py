"""The largest value and where it stands, in one 64-bit word: value above, index below.

One atomic moves both at once; two atomics could leave the index of another value.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["best.size == 1"])
@cuda.jit
def argmax(x, best):
    i = cuda.grid(1)
    if i < x.size:
        packed = (np.int64(x[i]) << 32) | np.int64(i)
        cuda.atomic.max(best, 0, packed)


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.int32))
    best = cuda.to_device(np.zeros(1, dtype=np.int64))
    argmax[(n + 127) // 128, 128](x, best)
    word = int(best.copy_to_host()[0])
    return word >> 32, word & 0xFFFFFFFF


if __name__ == "__main__":
    print(run(500))
