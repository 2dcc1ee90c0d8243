"""Every atomic on integers: each keeps one statistic of the data, whatever the order of the threads.

Plain updates of one element by several threads would lose some of them.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["found.size == 9"])
@cuda.jit
def statistics(x, found):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        cuda.atomic.add(found, 0, v)
        cuda.atomic.sub(found, 1, v)
        cuda.atomic.min(found, 2, v)
        cuda.atomic.max(found, 3, v)
        cuda.atomic.and_(found, 4, v)
        cuda.atomic.or_(found, 5, v)
        cuda.atomic.xor(found, 6, v)
        cuda.atomic.inc(found, 7, 1000)
        cuda.atomic.dec(found, 8, 1000)


def run(n):
    x = cuda.to_device(np.arange(1, n + 1, dtype=np.uint32))
    start = np.array([0, 0, 2**32 - 1, 0, 2**32 - 1, 0, 0, 0, 1000], dtype=np.uint32)
    found = cuda.to_device(start)
    statistics[(n + 127) // 128, 128](x, found)
    return found.copy_to_host()


if __name__ == "__main__":
    print(run(300))
