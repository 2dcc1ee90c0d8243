"""Operations on compile-time constants, as Python has them; total, and bounded in size."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gpulint.frontend.triton.world import literal
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, BoolType, FloatType, IntType, Type

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv,
    "mod": operator.mod, "div": operator.truediv, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq,
    "ne": operator.ne, "min": min, "max": max,
}  # fmt: skip


def fold(op: str, a: object, b: object) -> n.Const | None:
    """The constant of an operation on two compile-time constants, as Python has it."""
    if isinstance(a, str) and isinstance(b, str) and op in ("add", "eq", "ne"):
        return literal(_PYTHON[op](a, b))
    if op in ("eq", "ne") and (a is None or b is None or isinstance(a, str) or isinstance(b, str)):
        return literal(_PYTHON[op](a, b))
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return None
    try:
        value = _limited(op, a, b) if op in ("shl", "shr", "pow") else _PYTHON[op](a, b)
    except (ArithmeticError, TypeError, ValueError):
        return None
    if isinstance(value, int) and value.bit_length() > 64:
        return None
    return literal(value) if value is not None else None


def _limited(op: str, a: int | float, b: int | float) -> int | float | None:
    if op == "pow":
        if isinstance(a, int) and isinstance(b, int):
            return int(a**b) if 0 <= b <= 64 and abs(a) < 2**32 else None
        found = float(a) ** b
        return found if isinstance(found, float) else None
    if isinstance(a, int) and isinstance(b, int) and 0 <= b < 64:
        return a << b if op == "shl" else a >> b
    return None


def constant_of(value: int | float, type_: Type) -> n.Const | None:
    try:
        if isinstance(type_, IntType):
            return n.Const(type_.wrap(int(value)), type_)
        if isinstance(type_, FloatType):
            return n.Const(float(value), type_)
        return n.Const(bool(value), BOOL) if isinstance(type_, BoolType) else None
    except (OverflowError, ValueError):
        return None


def power(op: str, a: n.Expr, b: n.Expr, type_: Type, span: Span) -> n.Expr:
    """`a ** b` or `a << b` of numbers that are known when the kernel is compiled.

    Of a negative exponent Python makes a float, and of a negative shift an error: an integer that it goes
    on with has an exponent that is not negative, so that the exponent is also `max(b, 0)`.
    """
    return n.Binary(op, a, n.Binary("max", b, n.Const(0, b.type), b.type, span), type_, span)
