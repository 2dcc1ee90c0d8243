"""Votes: how many threads of a block, and which lanes of a warp, see a value above the limit.

All threads vote, those past the end of the data with a no; the barrier in the vote asks for that.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(block=(64, 1, 1), requires=["counts.size >= grid.x", "masks.size >= grid.x * 2"])
@cuda.jit
def above(x, limit, counts, masks):
    i, t = cuda.grid(1), cuda.threadIdx.x
    yes = i < x.size and x[i] > limit
    count = cuda.syncthreads_count(np.int32(yes))
    mask = cuda.ballot_sync(0xFFFFFFFF, yes)
    if t == 0:
        counts[cuda.blockIdx.x] = count
    if t % 32 == 0:
        masks[i // 32] = mask


def run(n):
    blocks = (n + 63) // 64
    x = cuda.to_device(np.arange(n, dtype=np.float32))
    counts = cuda.device_array(blocks, dtype=np.int32)
    masks = cuda.device_array(2 * blocks, dtype=np.uint32)
    above[blocks, 64](x, 10.0, counts, masks)
    return counts.copy_to_host(), masks.copy_to_host()


if __name__ == "__main__":
    print(run(100))
