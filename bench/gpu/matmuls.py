"""Products of f16 matrices in Triton: C = A @ B, all row-major, with sizes that the launch may choose.

Programs take tiles of C in strips of GROUP tile rows, so that those that run at a time share rows of A and
columns of B. Tiles beyond the edges of C are cut off, by descriptors or by masks.
"""

import triton
import triton.language as tl

import gpulint


@gpulint.contract(
    requires=[
        "M >= 1", "N >= 1", "K >= 1", "N % 8 == 0", "K % 8 == 0", "grid.y == 1", "grid.z == 1",
        "aligned(a_ptr, 16)", "aligned(b_ptr, 16)", "aligned(c_ptr, 16)",
    ]
)  # fmt: skip
@triton.jit
def persistent(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """As many programs as there are multiprocessors, each taking tile after tile."""
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_n = tl.cdiv(N, BLOCK_N)
    strips = tl.cdiv(M, BLOCK_M * GROUP) * tiles_n
    for tile in tl.range(tl.program_id(0), strips * GROUP, tl.num_programs(0), flatten=True):
        strip = tile // GROUP
        row = (strip // tiles_n * GROUP + tile % GROUP) * BLOCK_M
        col = strip % tiles_n * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for inner in range(0, K, BLOCK_K):
            a = a_desc.load([row, inner])
            b = b_desc.load([inner, col])
            acc = tl.dot(a, b, acc)
        c_desc.store([row, col], acc.to(tl.float16))


@gpulint.contract(
    requires=[
        "M >= 1", "N >= 1", "K >= 1", "N % 8 == 0", "K % 8 == 0", "grid.y == 1", "grid.z == 1",
        "aligned(a_ptr, 16)", "aligned(b_ptr, 16)", "aligned(c_ptr, 16)",
    ]
)  # fmt: skip
@triton.jit
def specialised(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """The same, with warps of their own for the loads."""
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_n = tl.cdiv(N, BLOCK_N)
    strips = tl.cdiv(M, BLOCK_M * GROUP) * tiles_n
    for tile in tl.range(tl.program_id(0), strips * GROUP, tl.num_programs(0), warp_specialize=True):
        strip = tile // GROUP
        row = (strip // tiles_n * GROUP + tile % GROUP) * BLOCK_M
        col = strip % tiles_n * BLOCK_N
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for inner in range(0, K, BLOCK_K):
            a = a_desc.load([row, inner])
            b = b_desc.load([inner, col])
            acc = tl.dot(a, b, acc)
        c_desc.store([row, col], acc.to(tl.float16))


@gpulint.contract(
    requires=[
        "M >= 1", "N >= 1", "K >= 1", "N % 8 == 0", "K % 8 == 0", "grid.x <= GROUP",
        "aligned(a_ptr, 16)", "aligned(b_ptr, 16)", "aligned(c_ptr, 16)",
    ]
)  # fmt: skip
@triton.jit
def described(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """One tile a program, over a grid of GROUP by columns by strips, through descriptors."""
    row = (tl.program_id(2) * GROUP + tl.program_id(0)) * BLOCK_M
    col = tl.program_id(1) * BLOCK_N
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for inner in range(0, K, BLOCK_K):
        a = a_desc.load([row, inner])
        b = b_desc.load([inner, col])
        acc = tl.dot(a, b, acc)
    c_desc.store([row, col], acc.to(tl.float16))


@gpulint.contract(
    requires=[
        "M >= 1", "N >= 1", "K >= 1", "N % 16 == 0", "K % 16 == 0", "grid.x <= GROUP",
        "aligned(a_ptr, 16)", "aligned(b_ptr, 16)", "aligned(c_ptr, 16)",
    ]
)  # fmt: skip
@triton.jit
def pointers(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """One tile a program over the same grid, through pointers and masks."""
    rows = (tl.program_id(2) * GROUP + tl.program_id(0)) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        a_mask = (rows < M)[:, None] & (inner < K)[None, :]
        b_mask = (inner < K)[:, None] & (cols < N)[None, :]
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * N + cols[None, :], mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(tl.float16), mask=mask)
