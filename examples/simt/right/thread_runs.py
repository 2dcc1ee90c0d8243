"""Each thread owns a run of neighbouring elements: thread i takes those from i * RUN on, and sums them up.

The last run may be cut short, so every element is asked for, not every run.
"""

import numpy as np
from numba import cuda

RUN = 4


@cuda.jit
def run_sums(x, out):
    first = cuda.grid(1) * RUN
    total = np.float32(0)
    for k in range(RUN):
        i = first + k
        if i < out.size:
            total += x[i]
            out[i] = total


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    threads = (n + RUN - 1) // RUN
    run_sums[(threads + 127) // 128, 128](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10))
