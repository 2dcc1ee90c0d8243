"""A block of 64 x 32 threads: 2048, twice what any device allows.

The launch fails at run time with an error that names neither number.
Right twin: ../right/rgb_to_gray.py.
"""

import numpy as np
from numba import cuda


@cuda.jit
def invert(image):
    x, y = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        image[y, x] = 1.0 - image[y, x]


def run(height, width):
    image = cuda.to_device(np.ones((height, width), dtype=np.float32))
    threads = (64, 32)  # error: GL504
    blocks = ((width + 63) // 64, (height + 31) // 32)
    invert[blocks, threads](image)
    return image.copy_to_host()


if __name__ == "__main__":
    print(run(100, 100))
