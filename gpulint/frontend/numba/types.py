"""Numba's scalar types: names, promotion of operators, unification of variables.

Source: the Numba manual, "Integer typing" (NBEP 1) and its section on current semantics.
"""

from __future__ import annotations

from gpulint.ir import types as t

INT64 = t.INT64
_NAMES: dict[str, t.Type] = {
    **{f"int{b}": t.IntType(b) for b in (8, 16, 32, 64)},
    **{f"uint{b}": t.IntType(b, signed=False) for b in (8, 16, 32, 64)},
    **{f"float{b}": t.FloatType(b) for b in (16, 32, 64)},
    "intp": t.INT64, "uintp": t.UINT64, "intc": t.INT32, "uintc": t.UINT32, "int_": t.INT64, "ssize_t":
    t.INT64, "size_t": t.UINT64, "byte": t.UINT8, "char": t.INT8, "uchar": t.UINT8, "short": t.INT16,
    "ushort": t.UINT16, "uint": t.UINT64, "long_": t.INT64, "longlong": t.INT64, "ulonglong": t.UINT64,
    "ulong": t.UINT64, "ubyte": t.UINT8, "bool_": t.BOOL, "bool8": t.BOOL, "boolean": t.BOOL, "b1":
    t.BOOL, "bool": t.BOOL, "int": t.INT64, "float": t.FLOAT64, "float_": t.FLOAT64, "double":
    t.FLOAT64, "single": t.FLOAT32, "half": t.FLOAT16, "i1": t.INT8, "i2": t.INT16, "i4": t.INT32, "i8":
    t.INT64, "u1": t.UINT8, "u2": t.UINT16, "u4": t.UINT32, "u8": t.UINT64, "f2": t.FLOAT16, "f4":
    t.FLOAT32, "f8": t.FLOAT64, "complex64": t.UNKNOWN, "complex128": t.UNKNOWN, "c8": t.UNKNOWN, "c16":
    t.UNKNOWN, "bfloat16": t.FLOAT16,
}  # fmt: skip
COMPLEX = frozenset(("complex64", "complex128", "c8", "c16"))
_BITWISE = ("and", "or", "xor")


def by_name(name: str) -> t.Type | None:
    """The scalar type that Numba or NumPy gives this name, or None."""
    return _NAMES.get(name.lstrip("<>=|"))


def is_int(a: t.Type) -> bool:
    return isinstance(a, (t.IntType, t.BoolType))


def binary(op: str, a: t.Type, b: t.Type, index: bool) -> t.Type | None:
    """The type of `a op b`; None where Numba leaves the integers (int64 with uint64 gives float64).

    An unknown operand is taken as an integer where the result is used as an index (`index`).
    """
    if op == "pow" and isinstance(a, t.FloatType) and isinstance(b, t.IntType):
        return a  # a float to an integer's power keeps its width
    if isinstance(a, t.FloatType) or isinstance(b, t.FloatType):
        return _float(a, b)
    if isinstance(a, t.Unknown) or isinstance(b, t.Unknown):
        if op == "div":
            return t.FLOAT64
        return t.INT64 if index or op in (*_BITWISE, "shl", "shr") else t.UNKNOWN
    if op == "div":
        return t.FLOAT64
    if op in _BITWISE and isinstance(a, t.BoolType) and isinstance(b, t.BoolType):
        return t.BOOL
    return _integer(op, a, b)


def _float(a: t.Type, b: t.Type) -> t.Type:
    if isinstance(a, t.Unknown) or isinstance(b, t.Unknown):
        return t.UNKNOWN
    if isinstance(a, t.FloatType) and isinstance(b, t.FloatType):
        return a if a.bits >= b.bits else b
    number, other = (a, b) if isinstance(a, t.FloatType) else (b, a)
    wide = isinstance(other, t.IntType) and other.bits > 16
    return t.FLOAT64 if wide else number


def _integer(op: str, a: t.Type, b: t.Type) -> t.Type | None:
    unsigned = [isinstance(x, t.IntType) and not x.signed for x in (a, b)]
    if op in ("shl", "shr"):
        return t.UINT64 if unsigned[0] else t.INT64
    if all(unsigned):
        return t.UINT64
    if any(unsigned) and op not in _BITWISE and t.UINT64 in (a, b):
        other = b if a == t.UINT64 else a
        return t.UINT64 if isinstance(other, t.BoolType) else None
    return t.INT64


def unify(a: t.Type, b: t.Type) -> t.Type:
    """The type of a variable that holds one of two: Numba widens, and gives up into the unknown."""
    if a == b:
        return a
    if isinstance(a, t.Unknown) or isinstance(b, t.Unknown):
        return t.UNKNOWN
    if isinstance(a, t.FloatType) or isinstance(b, t.FloatType):
        return _float(a, b)
    if isinstance(a, t.BoolType):
        return b
    if isinstance(b, t.BoolType):
        return a
    assert isinstance(a, t.IntType) and isinstance(b, t.IntType)
    return _unify_ints(a, b)


def _unify_ints(a: t.IntType, b: t.IntType) -> t.Type:
    if a.signed == b.signed:
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.signed else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return t.IntType(unsigned.bits * 2) if unsigned.bits < 64 else t.FLOAT64
