"""Element types by their dotted names in NumPy, CuPy, PyTorch and Numba."""

from __future__ import annotations

from gpulint.ir.types import IntType

ITEM_SIZES = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4,
    "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
    "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
}  # fmt: skip
ALIASES = {
    "bool_": "bool", "boolean": "bool", "intp": "int64", "uintp": "uint64", "double": "float64",
    "float": "float32", "half": "float16", "single": "float32", "long": "int64", "int_": "int64",
    "byte": "int8", "ubyte": "uint8", "short": "int16", "intc": "int32", "uintc": "uint32",
    "longlong": "int64", "float_": "float64", "complex_": "complex128",
}  # fmt: skip
CODES = {
    "f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32",
    "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "f": "float32",
    "d": "float64", "i": "int32", "c8": "complex64", "c16": "complex128", "l": "int64", "b": "int8",
    "float": "float64", "int": "int64",
}  # fmt: skip
INTEGERS = {
    f"{sign}int{bits}": IntType(bits, not sign) for bits in (8, 16, 32, 64) for sign in ("", "u")
}  # fmt: skip
ROOTS = ("numpy", "cupy", "torch", "numba")


def dtype_of(path: str) -> str:
    """NumPy's name of the type at a dotted path (`numpy.float32`), '' when it is none."""
    root, _, last = path.rpartition(".")
    if path in ("builtins.int", "builtins.float", "builtins.bool"):
        return {"int": "int64", "float": "float64", "bool": "bool"}[last]
    if root.split(".")[0] not in ROOTS or root.count(".") > 2 or root.endswith("cuda.random"):
        return ""
    if root in ("numpy", "cupy") and last in ("long", "float", "byte") and last != "byte":
        return "float64" if last == "float" else "int64"
    return last if last in ITEM_SIZES else ALIASES.get(last, "")


def dtype_code(text: str) -> str:
    """NumPy's name of a type code (`'<f4'`, `'float32'`), '' when it is none."""
    bare = text.lstrip("<>=|")
    return bare if bare in ITEM_SIZES else CODES.get(bare, "")
