"""Constant values and the operations on them that are folded: total, and bounded in size."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from gpulint.source.dtypes import RANGES

_MAX_BITS = 4096
_MAX_LENGTH = 10_000


class DType(str):
    """The NumPy name of an element type, as `numba.int32`, `np.int32` or `int32` mean it."""


Plain = Union[int, float, bool, str, None, tuple["Plain", ...]]


@dataclass(frozen=True)
class Value:
    """A known constant; `Value(None)` is the known None, as against an unknown value.

    `type` is the NumPy name of the scalar type where a cast (`np.uint32(7)`) gave it one.
    """

    value: Plain
    type: str = ""

    @property
    def is_dtype(self) -> bool:
        """Whether it is an element type (the value is then its NumPy name)."""
        return isinstance(self.value, DType)


def same(a: Value, b: Value) -> bool:
    return a.type == b.type and a.is_dtype == b.is_dtype and repr(a.value) == repr(b.value)


def cast(dtype: str, value: Plain) -> Value | None:
    """`np.int32(7)`: only values that the type holds exactly."""
    if dtype == "bool" and isinstance(value, (bool, int, float)):
        return Value(bool(value), "bool")
    if dtype == "float64" and isinstance(value, (int, float)):
        result = apply(float, value)
        return Value(result.value, "float64") if result is not None else None
    if dtype in RANGES and isinstance(value, (int, float)) and value == value:
        result = apply(int, value)
        low, high = RANGES[dtype]
        if result is not None and isinstance(result.value, int) and low <= result.value <= high:
            return Value(result.value, dtype)
    return None


def apply(function: Callable[..., Any], *args: Any) -> Value | None:
    try:
        value = function(*args)
    except (ArithmeticError, ValueError, TypeError, LookupError, MemoryError, RecursionError):
        return None
    return Value(value) if _plain(value) else None


def _plain(value: Any) -> bool:
    """Whether it is a value of the folded kinds and of bounded size, nested tuples counted whole."""
    todo, size = [value], 0
    while todo:
        item = todo.pop()
        size += 1 + (len(item) if isinstance(item, (str, tuple)) else 0)
        if size > _MAX_LENGTH or not (item is None or isinstance(item, (int, float, str, tuple))):
            return False
        if isinstance(item, int) and item.bit_length() > _MAX_BITS:
            return False
        if isinstance(item, tuple):
            todo.extend(item)
    return True


def bounded(op: ast.operator, left: Plain, right: Plain) -> bool:
    """Whether the operation is foldable and its result of bounded size."""
    if isinstance(left, DType) or isinstance(right, DType):
        return False
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
            return right * left.bit_length() <= _MAX_BITS
        if isinstance(op, ast.LShift):
            return isinstance(left, int) and 0 <= right <= _MAX_BITS
        return True
    if isinstance(op, ast.Add):
        return isinstance(left, (str, tuple)) and type(left) is type(right)
    if isinstance(op, ast.Mult):
        sequence, count = (left, right) if isinstance(left, (str, tuple)) else (right, left)
        return (
            isinstance(sequence, (str, tuple))
            and isinstance(count, int)
            and count * len(sequence) <= _MAX_LENGTH
        )
    return False


def compare(op: ast.cmpop, left: Any, right: Any) -> Value | None:
    if isinstance(op, (ast.Is, ast.IsNot)):
        if None not in (left, right) and not (isinstance(left, bool) and isinstance(right, bool)):
            return None
        return Value((left is right) == isinstance(op, ast.Is))
    if isinstance(op, (ast.In, ast.NotIn)):
        result = apply(lambda a, b: a in b, left, right)
        return Value(bool(result.value) == isinstance(op, ast.In)) if result is not None else None
    return apply(_COMPARE[type(op)], left, right)


BINARY: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_COMPARE: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
BUILTINS: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "int": int, "float": float, "bool": bool, "len": len, "abs": abs,
    "round": round, "sum": sum, "divmod": divmod, "tuple": tuple,
}  # fmt: skip
MATH: dict[str, Callable[..., Any]] = {
    name: getattr(math, name)
    for name in (
        *("ceil", "floor", "trunc", "sqrt", "isqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan"),
        *("asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "pow", "fabs", "gcd", "hypot"),
        *("radians", "degrees", "copysign", "fmod"),
    )
}
