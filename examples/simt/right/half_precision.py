"""Half-precision data, single-precision arithmetic: converted on the way in and on the way out.

Half of the bytes travel; the sum is not rounded to half before it is done.
"""

import numpy as np
from numba import cuda


@cuda.jit
def blend(x, y, weight, out):
    i = cuda.grid(1)
    if i < out.size:
        a, b = np.float32(x[i]), np.float32(y[i])
        out[i] = a + weight * (b - a)


def run(n):
    x = cuda.to_device(np.zeros(n, dtype=np.float16))
    y = cuda.to_device(np.ones(n, dtype=np.float16))
    out = cuda.device_array(n, dtype=np.float32)
    blend[(n + 127) // 128, 128](x, y, 0.25, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(4))
