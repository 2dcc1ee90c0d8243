"""Scalar values of a run: exact integers, Python floats, and one unknown value that poisons.

Floats are Python's (binary64); rounding to a narrower float is not modelled, so a branch that hangs
on the last bits of a float32 may go the other way on a device. Any operation that has no defined
result here (division by zero, a shift by the width or more, an operand without a number) gives
`POISON`, never a guess.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpulint.ir.types import INT32, BoolType, FloatType, IntType

MAX_BITS = 2048  # of integers without a width; larger ones become POISON
UNDEFINED = (TypeError, ZeroDivisionError, ValueError, OverflowError)


class Poison:
    """The unknown value. It supports no operator, so that every use must decide what it gives."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "POISON"


POISON = Poison()


class Missing(Poison):
    """What a shuffle gives that reads a lane which takes no part: it has no value, and so has all made of it.

    `span` is the shuffle, `point` the thread that read and `lane` the lane. What a zero may have wiped out
    is only unknown.
    """

    __slots__ = ("lane", "point", "span")

    def __init__(self, span: Any, point: Any, lane: int) -> None:
        self.span, self.point, self.lane = span, point, lane

    def _made(self, *others: Any) -> Missing:
        return self

    def _masked(self, other: Any) -> Any:
        return POISON if other == 0 else self

    def __bool__(self) -> bool:
        raise TypeError

    __add__ = __radd__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = _made
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __or__ = __ror__ = __xor__ = __rxor__ = _made
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = __abs__ = __invert__ = _made
    __lt__ = __le__ = __gt__ = __ge__ = _made
    __eq__ = __ne__ = _made  # type: ignore[assignment]
    __mul__ = __rmul__ = __and__ = __rand__ = _masked
    __hash__ = object.__hash__


@dataclass(frozen=True)
class Text:
    """A string constant: it can be compared and nothing else."""

    value: str


def known(*values: Any) -> bool:
    return not any(isinstance(v, Poison) for v in values)


def unclear(value: Any) -> Any:
    """What is made of a value by an operation without a result: nothing that is missing becomes known."""
    return value if isinstance(value, Missing) else POISON


def truth(v: Any) -> Any:
    """Whether `v` is true, or POISON."""
    if v is True or v is False or v is POISON:
        return v
    if isinstance(v, Missing):
        return POISON
    return bool(v.value) if isinstance(v, Text) else bool(v)


def itemsize(element: Any) -> int | None:
    """Bytes of one element, or None when its type is not known."""
    if isinstance(element, (IntType, FloatType)):
        return element.bits // 8
    return 1 if isinstance(element, BoolType) else None


def trunc_div(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return float(math.trunc(a / b))
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def trunc_mod(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return math.fmod(a, b)
    return a - trunc_div(a, b) * b


def true_div(a: Any, b: Any) -> float:
    """Float division with IEEE results for a zero divisor."""
    x, y = float(a), float(b)
    if y:
        return x / y
    if not x or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def power(a: Any, b: Any) -> Any:
    """`a ** b`; ValueError when an integer power is negative or too large to write down."""
    if isinstance(a, float) or isinstance(b, float):
        return math.pow(a, b)
    if b < 0 or (abs(a) > 1 and b * a.bit_length() > MAX_BITS):
        raise ValueError
    return a**b


def shift_left(a: Any, b: Any) -> Any:
    if not 0 <= b < MAX_BITS:
        raise ValueError
    return a << b


def shift_right(a: Any, b: Any) -> Any:
    if not 0 <= b < MAX_BITS:
        raise ValueError
    return a >> b


def _extreme_of(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(a: Any, b: Any) -> Any:
        return choose(a, b) if known(a, b) else unclear(a if isinstance(a, Missing) else b)

    return run


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "floordiv": operator.floordiv, "mod": operator.mod, "truncdiv": trunc_div, "truncmod": trunc_mod,
    "div": true_div, "pow": power, "shl": shift_left, "shr": shift_right,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "min": _extreme_of(min), "max": _extreme_of(max),
}  # fmt: skip

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip

UNARY: dict[str, Callable[[Any], Any]] = {"neg": operator.neg, "invert": operator.invert, "abs": abs}


def _first_math(*names: str) -> dict[str, Callable[..., Any]]:
    return {n: getattr(math, n) for n in names if hasattr(math, n)}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_first_math(
        "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
        "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "fabs", "floor", "ceil",
        "trunc", "hypot", "copysign", "fmod", "pow", "erf", "erfc", "gamma", "lgamma", "degrees",
        "radians", "isnan", "isinf", "isfinite",
    ),
    "abs": abs, "round": lambda x: round(x), "sign": lambda x: (x > 0) - (x < 0),
    "maximum": max, "minimum": min, "fmax": max, "fmin": min,
    "rsqrt": lambda x: true_div(1.0, math.sqrt(x)),
    "frexp.0": lambda x: math.frexp(x)[0],
    "frexp.1": lambda x: math.frexp(x)[1] if math.isfinite(x) else POISON,
    "modf.0": lambda x: math.modf(x)[0], "modf.1": lambda x: math.modf(x)[1],
    "ldexp": lambda x, n: math.ldexp(x, INT32.wrap(n)),
}  # fmt: skip
BITS: dict[str, Callable[[int, int], int]] = {  # of a pattern and its width
    "popc": lambda x, _: bin(x).count("1"), "clz": lambda x, bits: bits - x.bit_length(),
    "ffs": lambda x, _: (x & -x).bit_length(),
}  # fmt: skip
MATH_MODULES = ("math", "np", "numpy", "libdevice", "cuda.libdevice")


def function(name: str) -> Callable[..., Any] | None:
    """The function that an opaque name such as `math.sqrt` stands for, when it is a known one."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    module, _, last = name.rpartition(".")
    return FUNCTIONS.get(last) if module in MATH_MODULES or not module else None


def atomic_result(op: str, old: Any, operands: tuple[Any, ...]) -> Any:
    """What an atomic leaves in memory; POISON when an operand is not known."""
    if not operands or not known(old, *operands):
        return POISON
    v = operands[0]
    try:
        if op in ("add", "sub", "and", "or", "xor"):
            return BINARY[op](old, v)
        if op in ("max", "min", "nanmax", "nanmin"):
            return _extreme(op, old, v)
        if op == "inc":
            return 0 if old >= v else old + 1
        if op == "dec":
            return v if old == 0 or old > v else old - 1
        if op == "cas":
            return operands[1] if old == v else old
    except (*UNDEFINED, IndexError):
        return POISON
    return v if op == "exch" else POISON


def _extreme(op: str, old: Any, v: Any) -> Any:
    """max and min keep a NaN that they meet first; nanmax and nanmin prefer numbers."""
    if op.startswith("nan") and (v != v or old != old):
        return old if v != v else v
    return (max if op.endswith("max") else min)(old, v)


def stored(value: Any, element: Any) -> Any:
    """The value as an element of type `element` holds it."""
    if not isinstance(value, (int, float)):
        return unclear(value)
    try:
        if isinstance(element, IntType):
            return element.wrap(int(value))
        if isinstance(element, FloatType):
            return float(value)
        return bool(value) if isinstance(element, BoolType) else value
    except UNDEFINED:
        return POISON
