"""Arithmetic, comparisons and conversions on scalars, with Numba's types and constant folding."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from gpulint.frontend.numba import quotients
from gpulint.frontend.numba import types as nt
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.values import SCALARS, Array, Foreign, Method, Tuple, Unresolved, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import (
    BOOL,
    FLOAT64,
    INT64,
    UINT64,
    UNKNOWN,
    BoolType,
    FloatType,
    IntType,
    Type,
    Unknown,
)

BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Div:
    "div", ast.Pow: "pow", ast.LShift: "shl", ast.RShift: "shr", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor",
}  # fmt: skip
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv, "mod":
    operator.mod, "div": operator.truediv, "and": operator.and_, "or": operator.or_, "xor":
    operator.xor, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq":
    operator.eq, "ne": operator.ne, "min": min, "max": max,
}  # fmt: skip


def number(value: object) -> n.Const:
    """A Python literal as Numba types it."""
    if isinstance(value, bool):
        return n.Const(value, BOOL)
    if isinstance(value, int):
        return n.Const(value, UINT64 if 2**63 <= value < 2**64 else INT64)
    if isinstance(value, float):
        return n.Const(value, FLOAT64)
    return n.Const(value if isinstance(value, str) else None, UNKNOWN)


def scalar(cx: Context, value: Value, node: ast.AST) -> n.Expr:
    """The value as an expression; a global that is not known becomes a parameter."""
    if isinstance(value, SCALARS):
        return value
    if isinstance(value, Foreign):
        return value.held
    if isinstance(value, Unresolved):
        from gpulint.frontend.numba.closures import scalar_closure

        return scalar_closure(cx, value, node)
    if isinstance(value, Array) and value.type.ndim == 0:
        return cx.loaded(value, (), value.field, cx.span(node))
    if isinstance(value, Array):
        raise NotHandled("arithmetic on whole arrays", node)
    if isinstance(value, Method) and value.name == "data" and isinstance(value.owner, Method):
        return cx.opaque("address", (), INT64, node)
    if isinstance(value, Tuple):
        raise NotHandled("a tuple used as a number", node)
    raise NotHandled(f"{type(value).__name__.lower()} used as a number", node)


def binary(cx: Context, op: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """`a op b`. Mixed 64-bit signs leave the integers, as Numba has it."""
    type_ = nt.binary(op, a.type, b.type, cx.index > 0)
    if type_ is None:
        return cx.opaque(op, (a, b), FLOAT64, node)
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        folded = fold(op, a.value, b.value, type_)
        if folded is not None:
            return folded
    if _text(a) or _text(b):
        return cx.opaque(op, (a, b), UNKNOWN, node)
    return n.Binary(op, a, b, type_, cx.span(node))


def _text(e: n.Expr) -> bool:
    return isinstance(e, n.Const) and (e.value is None or isinstance(e.value, str))


def fold(op: str, a: object, b: object, type_: Type) -> n.Const | None:
    """The constant of an operation on two constants; None where it is left to run time."""
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return None
    try:
        value = _shifted(op, a, b) if op in ("shl", "shr", "pow") else _PYTHON[op](a, b)
    except (ArithmeticError, TypeError, ValueError):
        return None
    if isinstance(type_, IntType) and isinstance(value, int):
        return n.Const(type_.wrap(value), type_)
    if isinstance(type_, (FloatType, Unknown)) and isinstance(value, (int, float)):
        return number(value) if isinstance(type_, Unknown) else n.Const(float(value), type_)
    return number(value)


def _shifted(op: str, a: int | float, b: int | float) -> int | float | None:
    if op == "pow":
        if isinstance(a, int) and isinstance(b, int):
            return int(a**b) if 0 <= b <= 64 and abs(a) < 2**32 else None
        found = a**b
        return found if isinstance(found, float) else None
    if isinstance(a, int) and isinstance(b, int) and 0 <= b < 64:
        return a << b if op == "shl" else a >> b
    return None


def compare(cx: Context, op: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """A comparison, folded when both sides are known."""
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        known = _compared(op, a.value, b.value)
        if known is not None:
            return n.Const(known, BOOL)
    return n.Compare(op, a, b, cx.span(node))


def _compared(op: str, a: object, b: object) -> bool | None:
    if op in ("eq", "ne"):
        return bool(_PYTHON[op](a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return bool(_PYTHON[op](a, b))
    return None


def unary(cx: Context, op: str, a: n.Expr, node: ast.AST) -> n.Expr:
    """neg, invert and abs; integers widen to 64 bits except under abs."""
    if isinstance(a, n.Const) and isinstance(a.value, (int, float)):
        if op == "neg":
            return number(-a.value)
        if op == "abs":
            return number(abs(a.value))
        if isinstance(a.value, int):
            return number(~a.value if a.type != UINT64 else UINT64.wrap(~a.value))
    return n.Unary(op, a, _unary_type(cx, op, a.type), cx.span(node))


def _unary_type(cx: Context, op: str, a: Type) -> Type:
    if isinstance(a, Unknown):
        return INT64 if cx.index or op == "invert" else UNKNOWN
    if op == "abs" or isinstance(a, FloatType):
        return a
    return UINT64 if isinstance(a, IntType) and not a.signed else INT64


def truth(cx: Context, value: Value, node: ast.AST) -> n.Expr:
    """The value as a condition."""
    if isinstance(value, Tuple):
        return n.Const(bool(value.items), BOOL)
    if isinstance(value, (Unresolved, Foreign)):
        value = scalar(cx, value, node)
    if not isinstance(value, SCALARS):
        return n.Const(True, BOOL)
    if isinstance(value, n.Const):
        return n.Const(bool(value.value), BOOL)
    if isinstance(value.type, BoolType):
        return value
    return n.Compare("ne", value, n.Const(0, INT64), cx.span(node))


def negate(cx: Context, e: n.Expr, node: ast.AST) -> n.Expr:
    """The negation of a condition; comparisons of integers turn around."""
    if isinstance(e, n.Const):
        return n.Const(not e.value, BOOL)
    return n.Unary("not", e, BOOL, cx.span(node))


def cast(cx: Context, a: n.Expr, type_: Type, node: ast.AST) -> n.Expr:
    """Conversion. `int(a / b)` of integers is a division towards zero (see `quotients`)."""
    if isinstance(a, n.Const) and isinstance(a.value, (int, float)):
        known = _cast_constant(a.value, type_)
        if known is not None:
            return known
    if isinstance(type_, IntType):
        a = quotients.integral(a, cx.fast)
    if a.type == type_:
        return a
    return n.Cast(a, type_, cx.span(node))


def _cast_constant(value: int | float, type_: Type) -> n.Const | None:
    try:
        if isinstance(type_, IntType):
            return n.Const(type_.wrap(int(value)), type_)
        if isinstance(type_, FloatType):
            return n.Const(float(value), type_)
        return n.Const(bool(value), BOOL) if isinstance(type_, BoolType) else None
    except (OverflowError, ValueError):
        return None


def extreme(cx: Context, op: str, values: list[n.Expr], node: ast.AST) -> n.Expr:
    """min or max of several scalars."""
    out = values[0]
    for v in values[1:]:
        folded = None
        type_ = nt.unify(out.type, v.type)
        if isinstance(type_, Unknown) and cx.index and not isinstance(v.type, FloatType):
            type_ = INT64
        if isinstance(out, n.Const) and isinstance(v, n.Const):
            folded = fold(op, out.value, v.value, type_)
        out = folded or n.Binary(op, out, v, type_, cx.span(node))
    return out
