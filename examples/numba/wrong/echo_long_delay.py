"""An echo that looks `delay` samples back, without asking whether there are that many.

For the first samples `i - delay` is negative. Numba lets it count from the end, which is wrong but
stays inside; a delay longer than the signal leaves the array.
Right twin: ../right/echo.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def echo(x, out, delay):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + 0.5 * x[i - delay]  # error: GL103


def run(n, delay):
    if delay < 0:
        raise ValueError("the delay must not be negative")
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    echo[(n + 127) // 128, 128](x, out, delay)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100, 441))
