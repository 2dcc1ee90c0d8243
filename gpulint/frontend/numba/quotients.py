"""Integers that go through a float division and come back: `int(i / n)`, `math.floor(i / n)`.

For integers a and b of at most 2^53 in magnitude, b not zero, the correctly rounded binary64 quotient
lies in the same place between integers as a / b itself, so truncating, flooring or ceiling it gives the
exact integer quotient. Both are exact as floats. Let q = a / b > 0 (the other sign is symmetric).
If q is an integer, it is exact. Otherwise k < q < k + 1 for an integer k, and rounding is monotone, so
that only q rounding up to k + 1 could do harm. Let 2^e < k + 1 <= 2^(e+1); the float below k + 1 is
2^(e-52) away and q would have to be within 2^(e-53) of k + 1. But q <= k + 1 - 1/b, and
b < a / k <= 2^(53-e) as k >= 2^e (for k = 0: e = -1 and b <= 2^53 < 2^54), so that 1/b > 2^(e-53).

That the operands are so small is asked of them as a width of 54 bits, an obligation like any other. It does
not hold of float32 operands (nor of a division that fast-math may replace): those are left alone.
"""

from __future__ import annotations

from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT64, INT64, BoolType, FloatType, IntType

EXACT = IntType(54)  # -2^53 .. 2^53 - 1
_RING = ("add", "sub", "mul")


def integral(a: n.Expr, fast: bool) -> n.Expr:
    """The integer form of a float that is about to be truncated, or the float itself."""
    if isinstance(a, n.Binary) and a.op == "div":
        return _quotient(a, "truncdiv", fast) or a
    if isinstance(a, n.Cast) and isinstance(a.type, FloatType) and isinstance(a.operand.type, IntType):
        return a.operand
    return a


def floor(a: n.Expr, fast: bool) -> n.Expr | None:
    """`math.floor` of a quotient of integers, as an integer; None for any other float."""
    return _quotient(a, "floordiv", fast)


def ceil(a: n.Expr, fast: bool) -> n.Expr | None:
    """`math.ceil` of a quotient of integers, as an integer; None for any other float."""
    down = _quotient(a, "floordiv", fast)
    if not isinstance(down, n.Binary):
        return None
    over, by, at = down.left, down.right, down.span
    if isinstance(by, n.Const) and isinstance(by.value, int) and by.value > 0:
        up = n.Binary("add", over, n.Const(by.value - 1, INT64), INT64, at)
        return n.Binary("floordiv", up, by, INT64, at)
    return n.Unary("neg", n.Binary("floordiv", n.Unary("neg", over, INT64, at), by, INT64, at), INT64, at)


def _quotient(a: n.Expr, op: str, fast: bool) -> n.Expr | None:
    """The integer division that a float division of integers comes to once it is rounded to an integer."""
    if fast or not isinstance(a, n.Binary) or a.op != "div" or a.type != FLOAT64:
        return None
    over, by = _exact(a.left), _exact(a.right)
    return None if over is None or by is None else n.Binary(op, over, by, INT64, a.span)


def _exact(e: n.Expr) -> n.Expr | None:
    """The integer that a number is as an exact float, its width asked for; None where it is none."""
    found = _integer(e)
    if found is None or isinstance(found, n.Const):
        return found if found is None or abs(int(found.value)) <= 2**53 else None  # type: ignore[arg-type]
    narrow = isinstance(found.type, BoolType) or (
        isinstance(found.type, IntType) and EXACT.lo <= found.type.lo and found.type.hi <= EXACT.hi
    )
    return found if narrow else n.Cast(found, EXACT, e.span)


def _integer(e: n.Expr) -> n.Expr | None:
    """An integer, or a float64 made of integers by exact steps (`i * 1.0`, `float(i)`)."""
    if isinstance(e, n.Const):
        whole = isinstance(e.value, (int, float)) and float(e.value).is_integer() if _small(e) else False
        return n.Const(int(e.value), INT64, e.span) if whole else None  # type: ignore[arg-type]
    if isinstance(e.type, (IntType, BoolType)):
        return e
    if e.type != FLOAT64:
        return None
    if isinstance(e, n.Cast):
        return _exact(e.operand)
    if isinstance(e, n.Binary) and e.op in _RING:
        left, right = _exact(e.left), _exact(e.right)
        return None if left is None or right is None else n.Binary(e.op, left, right, INT64, e.span)
    return None


def _small(e: n.Const) -> bool:
    """Whether it is a number of a magnitude that floats hold exactly."""
    return isinstance(e.value, (int, float)) and abs(e.value) <= 2**53
