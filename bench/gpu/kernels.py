"""Kernels that are compiled, checked against the reference interpreter and timed on a GPU.

Written as anyone writes them for Numba; `signatures.py` holds the types that each is compiled for.
"""

import math

import numba
import numpy as np
from numba import cuda

import gpulint


@cuda.jit
def vector_add(x, y, out):
    i = cuda.grid(1)
    if i < out.size and i < x.size and i < y.size:
        out[i] = x[i] + y[i]


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size and i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def scale(a, x, out):
    i = cuda.grid(1)
    if i < out.size and i < x.size:
        out[i] = a * x[i]


@cuda.jit
def gelu(x, out):
    i = cuda.grid(1)
    if i < out.size and i < x.size:
        v = x[i]
        out[i] = np.float32(0.5) * v * (np.float32(1) + math.erf(v * np.float32(0.7071067811865476)))


@gpulint.contract(requires=["x.size == y.size", "out.shape[0] == x.size", "out.shape[1] == 12"])
@cuda.jit
def integers(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        a, b = x[i], y[i]
        out[i, 0] = a // b
        out[i, 1] = a % b
        out[i, 2] = a * b - (a >> 2)
        out[i, 3] = abs(a) ^ (b << 3)
        out[i, 4] = min(a, b) | 5
        out[i, 5] = int(a / b)
        total = 0
        for j in range(20, 0, -3):
            if j == 8:
                continue
            total += j * a
        out[i, 6] = total
        while a > 1:
            a //= 2
        out[i, 7] = a
        out[i, 8] = np.int32(b) * 3
        out[i, 9] = b**3
        out[i, 10] = ~b
        out[i, 11] = 1 if a < b else -1


@gpulint.contract(requires=["a.shape == out.shape"])
@cuda.jit
def strided(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j] * np.float32(2) + a[i, 0]


@gpulint.contract(block=(16, 16, 1), requires=["out.shape[0] == a.shape[1]", "out.shape[1] == a.shape[0]"])
@cuda.jit
def tile_transpose(a, out):
    tile = cuda.shared.array((16, 17), numba.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    col, row = cuda.blockIdx.x * 16 + tx, cuda.blockIdx.y * 16 + ty
    if row < a.shape[0] and col < a.shape[1]:
        tile[ty, tx] = a[row, col]
    else:
        tile[ty, tx] = 0
    cuda.syncthreads()
    orow, ocol = cuda.blockIdx.x * 16 + ty, cuda.blockIdx.y * 16 + tx
    if orow < out.shape[0] and ocol < out.shape[1]:
        out[orow, ocol] = tile[tx, ty]


@gpulint.contract(block=(128, 1, 1), requires=["out.size >= grid.x"])
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(128, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@gpulint.contract(block=(64, 1, 1), requires=["out.size >= 1"])
@cuda.jit
def warp_sums(x, out):
    i = cuda.grid(1)
    v = x[i] if i < x.size else np.float32(0)
    offset = 16
    while offset > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
        offset //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, v)


@cuda.jit
def histogram(values, counts):
    start = cuda.grid(1)
    for i in range(start, values.size, cuda.gridsize(1)):
        b = values[i]
        if 0 <= b < counts.size:
            cuda.atomic.add(counts, b, 1)


@gpulint.contract(
    requires=["a.shape[1] <= b.shape[0]", "c.shape[0] <= a.shape[0]", "c.shape[1] <= b.shape[1]"]
)
@cuda.jit
def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@gpulint.contract(requires=["scores.shape == out.shape"])
@cuda.jit
def softmax(scores, out):
    row = cuda.grid(1)
    if row >= scores.shape[0]:
        return
    top = scores[row, 0]
    for col in range(1, scores.shape[1]):
        top = max(top, scores[row, col])
    total = np.float32(0)
    for col in range(scores.shape[1]):
        weight = math.exp(scores[row, col] - top)
        out[row, col] = weight
        total += weight
    for col in range(scores.shape[1]):
        out[row, col] = out[row, col] / total


@gpulint.contract(requires=["out.size == x.size", "c.size >= 1"])
@cuda.jit
def polynomial(c, x, out):
    i = cuda.grid(1)
    if i < x.size:
        held = cuda.local.array(4, numba.float64)
        for k in range(4):
            held[k] = c[min(k, c.size - 1)]
        total = 0.0
        for k in range(4):
            total = total * x[i] + held[3 - k]
        out[i] = total + math.sin(x[i]) - math.log1p(abs(x[i])) + x[i] % 1.5


@gpulint.contract(block=(64, 1, 1), requires=["out.size >= grid.x"])
@cuda.jit
def votes(x, out):
    i = cuda.grid(1)
    good = 0
    if i < x.size:
        good = x[i] > 0
    count = cuda.syncthreads_count(good)
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = count


@cuda.jit
def halves(x, out):
    i = cuda.grid(1)
    if i < x.size and i < out.size:
        out[i] = x[i] * np.float32(0.5) + np.float32(1)
