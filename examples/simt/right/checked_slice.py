"""A window of an array as a slice, read through the slice and bounded by the slice's own length.

A slice is clipped where the array ends, so its length is the one to trust.
"""

import numpy as np
from numba import cuda


@cuda.jit
def copy_window(x, first, count, out):
    window = x[first : first + count]
    i = cuda.grid(1)
    if i < out.size:
        out[i] = window[i] if i < window.size else 0.0


def run(n, first, count):
    if first < 0 or count < 0:
        raise ValueError("a window starts at 0 or later")
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.device_array(count, dtype=np.float32)
    copy_window[(count + 63) // 64, 64](x, first, count, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(100, 95, 10))
