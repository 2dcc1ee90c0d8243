"""Runs that overlap by one: the last element of a run is the first of the next thread's.

Right twin: ../right/thread_runs.py.
"""

import numpy as np
from numba import cuda

RUN = 4


@cuda.jit
def run_sums(x, out):
    first = cuda.grid(1) * (RUN - 1)
    total = np.float32(0)
    for k in range(RUN):
        i = first + k
        if i < out.size:
            total += x[i]
            out[i] = total  # error: GL301


def run(n):
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    threads = (n + RUN - 2) // (RUN - 1)
    run_sums[(threads + 127) // 128, 128](x, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(10))
