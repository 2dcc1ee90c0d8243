"""The types that each kernel of `kernels.py` is compiled for."""

F, L = "float32[::1]", "int64[::1]"
SIGNATURES = {
    "vector_add": f"{F}, {F}, {F}",
    "saxpy": f"float32, {F}, {F}",
    "scale": f"float32, {F}, {F}",
    "gelu": f"{F}, {F}",
    "integers": f"{L}, {L}, int64[:, ::1]",
    "strided": "float32[:, :], float32[:, :]",
    "tile_transpose": "float32[:, ::1], float32[:, ::1]",
    "block_sums": f"{F}, {F}",
    "warp_sums": f"{F}, {F}",
    "histogram": "int32[::1], int32[::1]",
    "matmul": "float32[:, ::1], float32[:, ::1], float32[:, ::1]",
    "softmax": "float32[:, ::1], float32[:, ::1]",
    "polynomial": "float64[::1], float64[::1], float64[::1]",
    "votes": "int32[::1], int32[::1]",
    "halves": "float16[::1], float32[::1]",
}
