"""Escape times: a loop whose length only the data knows, and a store after it.

How often the loop runs matters to no index, so nothing needs to be known of it.
"""

import numpy as np
from numba import cuda


@cuda.jit
def escape_times(left, top, step, limit, times):
    col, row = cuda.grid(2)
    if row < times.shape[0] and col < times.shape[1]:
        cr, ci = left + col * step, top + row * step
        re, im = 0.0, 0.0
        k = 0
        while k < limit and re * re + im * im < 4.0:
            re, im = re * re - im * im + cr, 2.0 * re * im + ci
            k += 1
        times[row, col] = k


def run(rows, cols):
    times = cuda.device_array((rows, cols), dtype=np.int32)
    escape_times[((cols + 15) // 16, (rows + 15) // 16), (16, 16)](-2.0, -1.2, 0.01, 100, times)
    return times.copy_to_host()


if __name__ == "__main__":
    print(run(240, 300).max())
