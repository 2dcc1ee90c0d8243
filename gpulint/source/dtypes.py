"""Names of element types in NumPy, Numba, CuPy and PyTorch."""

from __future__ import annotations

_SAME = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128", "bfloat16",
)  # fmt: skip
_COMMON = {name: name for name in _SAME} | {
    "bool_": "bool",
    "intp": "int64",
    "uintp": "uint64",
    "intc": "int32",
    "uintc": "uint32",
    "longlong": "int64",
    "ulonglong": "uint64",
    "double": "float64",
    "half": "float16",
}
_NUMPY = _COMMON | {
    "bool": "bool",
    "byte": "int8",
    "ubyte": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int_": "int64",
    "single": "float32",
}
_NUMBA = _COMMON | {
    "boolean": "bool",
    "bool8": "bool",
    "b1": "bool",
    "byte": "uint8",
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int_": "int64",
    "uint": "uint64",
    "float_": "float32",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}  # fmt: skip
_TORCH = _COMMON | {
    "bool": "bool",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "float": "float32",
}
_HOMES = {
    "numpy": _NUMPY,
    "cupy": _NUMPY,
    "jax.numpy": _NUMPY,
    "numba": _NUMBA,
    "numba.types": _NUMBA,
    "numba.core.types": _NUMBA,
    "numba.cuda.types": _NUMBA,
    "numba.cuda": _NUMBA,
    "torch": _TORCH,
}
PYTHON = {"int": "int64", "float": "float64", "bool": "bool", "complex": "complex128"}
RANGES = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}


def dtype_name(dotted: str) -> str | None:
    """NumPy's name of the element type that a canonical dotted name stands for."""
    home, _, name = dotted.rpartition(".")
    return _HOMES.get(home, {}).get(name)
