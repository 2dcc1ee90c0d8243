"""Row-wise softmax, one thread a row: every thread owns its whole row of the result.

Three passes over a row, the second one storing into the result what the third one reads back.
"""

import math

import numpy as np
from numba import cuda


@cuda.jit
def softmax(scores, out):
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row >= scores.shape[0]:
        return
    top = scores[row, 0]
    for col in range(1, scores.shape[1]):
        top = max(top, scores[row, col])
    total = 0.0
    for col in range(scores.shape[1]):
        weight = math.exp(scores[row, col] - top)
        out[row, col] = weight
        total += weight
    for col in range(scores.shape[1]):
        out[row, col] /= total


def run(rows, cols):
    scores = cuda.to_device(np.zeros((rows, cols), dtype=np.float32))
    out = cuda.device_array((rows, cols), dtype=np.float32)
    softmax[(rows + 127) // 128, 128](scores, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(1000, 10))
