"""Sums of the segments of an array: offsets say where each one starts, the last one where the data ends.

The contract says that offsets lie within the data; a thread reads its own segment only.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["within(offsets, 0, x.size + 1)", "out.size + 1 <= offsets.size"])
@cuda.jit
def segment_sums(x, offsets, out):
    s = cuda.grid(1)
    if s < out.size:
        total = 0.0
        for i in range(offsets[s], offsets[s + 1]):
            total += x[i]
        out[s] = total


def run(segments):
    x = cuda.to_device(np.ones(segments, dtype=np.float64))
    offsets = cuda.to_device(np.arange(segments + 1, dtype=np.int32))
    out = cuda.device_array(segments, dtype=np.float64)
    segment_sums[(segments + 63) // 64, 64](x, offsets, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(4))
