"""A flag that every thread sets to its own value: the index is forgotten.

`found[0] = i` leaves the number of whichever thread came last.
Right twin: ../right/dot_product.py, whose threads meet in an atomic.
"""

import numpy as np
from numba import cuda


@cuda.jit
def find_first(x, found):
    i = cuda.grid(1)
    if i < x.size:
        found[0] = i  # error: GL301


def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    found = cuda.to_device(np.zeros(1, dtype=np.int64))
    find_first[(n + 127) // 128, 128](x, found)
    return found.copy_to_host()[0]


if __name__ == "__main__":
    print(run(1000))
