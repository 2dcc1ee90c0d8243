"""A 3 x 3 box filter whose guard forgets the lower and right border.

Rows up to height - 1 pass the guard, and `row + 1` is then one row past the image.
Right twin: ../right/image_blur.py.
"""

import math

import numpy as np
from numba import cuda


@cuda.jit
def box_blur(image, out):
    row, col = cuda.grid(2)
    height, width = image.shape
    if 0 < row < height and 0 < col < width:
        total = 0.0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                total += image[row + dy, col + dx]  # error: GL101
        out[row, col] = total / 9.0


def blur(image):
    assert image.ndim == 2
    height, width = image.shape
    device_image = cuda.to_device(image)
    out = cuda.to_device(image)
    threads = (16, 16)
    blocks = (math.ceil(height / threads[0]), math.ceil(width / threads[1]))
    box_blur[blocks, threads](device_image, out)
    return out.copy_to_host()


if __name__ == "__main__":
    print(blur(np.random.default_rng(0).random((480, 641), dtype=np.float32)))
