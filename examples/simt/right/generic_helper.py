"""A kernel factory: the operation is a device function that is passed in.

One piece of code serves any element-wise operation, and what is proved of it holds for each.
"""

import math

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def softplus(v):
    return math.log1p(math.exp(-abs(v))) + max(v, 0.0)


def mapped(operation):
    @cuda.jit
    def apply(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = operation(x[i])

    return apply


apply_softplus = mapped(softplus)


def run(n):
    x = cuda.to_device(np.linspace(-4, 4, n).astype(np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    apply_softplus[(n + 127) // 128, 128](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100))
