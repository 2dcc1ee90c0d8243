"""Row-wise softmax with one warp a row: the largest value and the sum travel by shuffles.

Each lane owns every 32nd column, in the passes that read as in the one that writes.
"""

import math

import numpy as np
from numba import cuda

import gpulint

FULL = 0xFFFFFFFF


@gpulint.contract(block=(32, 1, 1), requires=["out.shape == scores.shape", "scores.shape[0] >= grid.x"])
@cuda.jit
def softmax(scores, out):
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    cols = scores.shape[1]
    top = np.float32(-math.inf)
    for col in range(lane, cols, 32):
        top = max(top, scores[row, col])
    for step in (16, 8, 4, 2, 1):
        top = max(top, cuda.shfl_xor_sync(FULL, top, step))
    total = np.float32(0)
    for col in range(lane, cols, 32):
        total += math.exp(scores[row, col] - top)
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(FULL, total, step)
    for col in range(lane, cols, 32):
        out[row, col] = math.exp(scores[row, col] - top) / total


def run(rows, cols):
    scores = cuda.to_device(np.zeros((rows, cols), dtype=np.float32))
    out = cuda.device_array((rows, cols), dtype=np.float32)
    softmax[rows, 32](scores, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(run(4, 100))
