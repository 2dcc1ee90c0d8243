"""Triton's scalar types: names and the promotion of operators.

Source: Triton's documentation, "Triton Semantics": the kind first (bool, int, float), then the wider operand,
the unsigned of two of one width; a compile-time scalar takes the type of the tensor it meets.
"""

from __future__ import annotations

from gpulint.ir import types as t

NAMES: dict[str, t.Type] = {
    **{f"int{b}": t.IntType(b) for b in (8, 16, 32, 64)},
    **{f"uint{b}": t.IntType(b, signed=False) for b in (8, 16, 32, 64)},
    **{f"float{b}": t.FloatType(b) for b in (16, 32, 64)},
    "int1": t.BOOL, "bfloat16": t.FLOAT16, "bool": t.BOOL, "void": t.UNKNOWN,
    **dict.fromkeys(
        ("float8e5", "float8e4nv", "float8e4b8", "float8e4b15", "float8e5b16", "float8_e4m3fn",
         "float8_e5m2"),
        t.FloatType(8),
    ),
}  # fmt: skip


def size(a: t.Type) -> int | None:
    """Bits in memory, or None when that is not known."""
    if isinstance(a, (t.IntType, t.FloatType)):
        return a.bits
    return 8 if isinstance(a, t.BoolType) else None


def promote(a: t.Type, b: t.Type) -> t.Type:
    """The type in which two run-time operands meet."""
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
    if a.signed == b.signed:
        return a if a.bits >= b.bits else b
    unsigned, signed = (b, a) if a.signed else (a, b)
    return unsigned if unsigned.bits >= signed.bits else signed


def _float(a: t.Type, b: t.Type) -> t.Type:
    if isinstance(a, t.FloatType) and isinstance(b, t.FloatType):
        wide = a if a.bits >= b.bits else b
        return wide if wide.bits > 8 else t.FLOAT16
    return a if isinstance(a, t.FloatType) else b


def meet(weak: t.Type, strong: t.Type, value: object) -> t.Type:
    """The type in which a compile-time operand of type `weak` meets a run-time one.

    `value` is the constant, where it is known: one that does not fit widens.
    """
    if isinstance(strong, t.Unknown):
        return t.UNKNOWN
    if isinstance(weak, t.FloatType):
        return strong if isinstance(strong, t.FloatType) else t.FLOAT32
    if isinstance(strong, t.BoolType):
        return t.BOOL if isinstance(weak, t.BoolType) else t.INT32
    if isinstance(strong, t.IntType) and isinstance(value, int) and not strong.lo <= value <= strong.hi:
        return t.INT64 if value <= t.INT64.hi else t.UINT64
    return strong


def both_weak(op: str, a: t.Type, b: t.Type) -> t.Type:
    """The type of Python's arithmetic on compile-time values: it does not wrap."""
    if isinstance(a, t.FloatType) or isinstance(b, t.FloatType) or op == "div":
        return t.FLOAT64
    if isinstance(a, t.BoolType) and isinstance(b, t.BoolType) and op in ("and", "or", "xor"):
        return t.BOOL
    return t.INT64
