"""A permutation: elements go where an index array says, and no two go to one place.

That is a property of the data, so the contract states it, and the launch looks at the array.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["injective(to)", "within(to, 0, out.size)", "x.size == to.size"])
@cuda.jit
def permute(x, to, out):
    i = cuda.grid(1)
    if i < to.size:
        out[to[i]] = x[i]


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    to = cuda.to_device(np.arange(n, dtype=np.int32))
    out = cuda.to_device(np.zeros(n, dtype=np.float32))
    permute[(n + 127) // 128, 128](x, to, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(5))
