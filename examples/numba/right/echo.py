"""An echo: samples that have no counterpart `delay` samples back are left as they are.

The guard says what a negative index would not: `i >= delay`, for a delay that is not negative.
"""

import numpy as np
from numba import cuda


@cuda.jit
def echo(x, out, delay):
    i = cuda.grid(1)
    if i < out.size:
        if i >= delay:
            out[i] = x[i] + 0.5 * x[i - delay]
        else:
            out[i] = x[i]


def run(n, delay):
    if delay < 0:
        raise ValueError("the delay must not be negative")
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    echo[(n + 127) // 128, 128](x, out, delay)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000, 441))
