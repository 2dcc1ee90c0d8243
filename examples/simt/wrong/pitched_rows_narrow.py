"""A pitch below the width: rows overlap in memory, and the launch breaks the contract.

The pitch was rounded down where it must be rounded up.

Right twin: ../right/pitched_rows.py.
"""

import numpy as np
from numba import cuda

import gpulint


@gpulint.contract(requires=["cols <= pitch", "rows * pitch <= flat.size"])
@cuda.jit
def negate(flat, rows, cols, pitch):
    col, row = cuda.grid(2)
    if row < rows and col < cols:
        flat[row * pitch + col] = -flat[row * pitch + col]


def run(rows, cols):
    pitch = cols // 32 * 32
    flat = cuda.to_device(np.ones(rows * pitch, dtype=np.float32))
    negate[((cols + 31) // 32, (rows + 7) // 8), (32, 8)](flat, rows, cols, pitch)  # error: GL501
    return flat.copy_to_host().reshape(rows, pitch)


if __name__ == "__main__":
    print(run(3, 40))
