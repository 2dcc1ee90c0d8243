"""The last block reads parts that nothing made visible: the fence before the counter is missing.

Right twin: ../right/last_block_sum.py.
"""

import numba
import numpy as np
from numba import cuda

import gpulint

THREADS = 64


@gpulint.contract(
    block=(THREADS, 1, 1), requires=["parts.size >= grid.x", "arrived.size == 1", "out.size == 1"]
)
@cuda.jit
def total(x, parts, arrived, out):
    held = cuda.shared.array(THREADS, numba.float64)
    last = cuda.shared.array(1, numba.int32)
    t = cuda.threadIdx.x
    own = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        own += x[i]
    held[t] = own
    cuda.syncthreads()
    if t == 0:
        part = 0.0
        for k in range(THREADS):
            part += held[k]
        parts[cuda.blockIdx.x] = part  # error: GL302
        last[0] = cuda.atomic.add(arrived, 0, 1)
    cuda.syncthreads()
    if last[0] == cuda.gridDim.x - 1 and t == 0:
        result = 0.0
        for b in range(cuda.gridDim.x):
            result += parts[b]
        out[0] = result


def run(n, blocks):
    x = cuda.to_device(np.ones(n, dtype=np.float64))
    parts = cuda.device_array(blocks, dtype=np.float64)
    arrived = cuda.to_device(np.zeros(1, dtype=np.int32))
    out = cuda.to_device(np.zeros(1, dtype=np.float64))
    total[blocks, THREADS](x, parts, arrived, out)
    return out.copy_to_host()[0]


if __name__ == "__main__":
    print(run(1000, 4))
