"""An RGB image to gray: a third axis of constant length 3 is indexed by constants.

The host checks the number of channels before the launch; that check is part of the proof.
"""

import numpy as np
from numba import cuda


@cuda.jit
def to_gray(rgb, gray):
    x, y = cuda.grid(2)
    if y < gray.shape[0] and x < gray.shape[1]:
        gray[y, x] = 0.299 * rgb[y, x, 0] + 0.587 * rgb[y, x, 1] + 0.114 * rgb[y, x, 2]


def convert(image):
    height, width, channels = image.shape
    if channels != 3:
        raise ValueError("an RGB image is expected")
    rgb = cuda.to_device(image)
    gray = cuda.device_array((height, width), dtype=np.float32)
    threads = (32, 8)
    blocks = ((width + threads[0] - 1) // threads[0], (height + threads[1] - 1) // threads[1])
    to_gray[blocks, threads](rgb, gray)
    return gray.copy_to_host()


if __name__ == "__main__":
    print(convert(np.ones((48, 100, 3), dtype=np.float32)))
