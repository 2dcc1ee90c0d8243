"""Row-wise softmax where every row adds into one and the same sum.

`total[0]` belongs to no row: all threads update it at once, updates get lost, and each row is
divided by a sum of some others.
Right twin: ../right/softmax_rows.py.
"""

import math

import numpy as np
from numba import cuda


@cuda.jit
def softmax(scores, total, out):
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row >= scores.shape[0]:
        return
    for col in range(scores.shape[1]):
        weight = math.exp(scores[row, col])
        out[row, col] = weight
        total[0] += weight  # error: GL303
    for col in range(scores.shape[1]):
        out[row, col] /= total[0]


def run(rows, cols):
    scores = cuda.to_device(np.zeros((rows, cols), dtype=np.float32))
    total = cuda.to_device(np.zeros(1, dtype=np.float32))
    out = cuda.device_array((rows, cols), dtype=np.float32)
    softmax[(rows + 127) // 128, 128](scores, total, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000, 10))
