"""Scalar operations with Numba's meaning: widths, conversions, floor division, comparisons of mixed signs.

What LLVM leaves undefined (a zero divisor, a shift by the width or more, a float outside an integer's
range) is given a value here: the proofs are about programs whose every value is defined, and an undefined
guard would let any access through.
"""

from __future__ import annotations

from gpulint.compile.context import Context
from gpulint.compile.error import CompileError
from gpulint.compile.llvm import Value, literal, type_of
from gpulint.frontend.numba import types as nt
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, BoolType, FloatType, IntType, Type

_PLAIN = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}
_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_ORDER = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


def signed(t: Type) -> bool:
    return isinstance(t, IntType) and t.signed


def convert(cx: Context, v: Value, to: Type) -> Value:
    """The value in another type, as Numba has it; a float beyond an integer type gives the nearest."""
    if v.type == to:
        return v
    if isinstance(to, BoolType):
        return truth(cx, v)
    if isinstance(v.type, FloatType):
        return _from_float(cx, v, to)
    source, target = type_of(v.type), type_of(to)
    if isinstance(to, FloatType):
        return cx.code.value(to, f"{'sitofp' if signed(v.type) else 'uitofp'} {source} {v.text} to {target}")
    assert isinstance(to, IntType)
    bits = 1 if isinstance(v.type, BoolType) else v.type.bits  # type: ignore[union-attr]
    if bits == to.bits:
        return Value(to, v.text)
    step = "trunc" if bits > to.bits else "sext" if signed(v.type) else "zext"
    return cx.code.value(to, f"{step} {source} {v.text} to {target}")


def _from_float(cx: Context, v: Value, to: Type) -> Value:
    source, target = type_of(v.type), type_of(to)
    if isinstance(to, IntType):
        name = f"llvm.fpto{'s' if to.signed else 'u'}i.sat.{target}.{_suffix(v.type)}"
        return Value(to, cx.call(target, name, (source, v.text)))
    assert isinstance(to, FloatType) and isinstance(v.type, FloatType)
    step = "fptrunc" if v.type.bits > to.bits else "fpext"
    return cx.code.value(to, f"{step} {source} {v.text} to {target}")


def _suffix(t: Type) -> str:
    assert isinstance(t, FloatType)
    return f"f{t.bits}"


def truth(cx: Context, v: Value) -> Value:
    """Whether the value is not zero."""
    if isinstance(v.type, BoolType):
        return v
    if isinstance(v.type, FloatType):
        return cx.code.value(BOOL, f"fcmp une {type_of(v.type)} {v.text}, {literal(0, v.type).text}")
    return cx.code.value(BOOL, f"icmp ne {type_of(v.type)} {v.text}, 0")


# --- comparisons


def compare(cx: Context, op: str, a: Value, b: Value) -> Value:
    """A comparison of the numbers themselves, whatever their widths and signs."""
    if isinstance(a.type, FloatType) or isinstance(b.type, FloatType):
        t = nt.binary("add", a.type, b.type, False)
        assert isinstance(t, FloatType)
        x, y = convert(cx, a, t), convert(cx, b, t)
        how = {"eq": "oeq", "ne": "une"}.get(op) or f"o{_ORDER[op]}"
        return cx.code.value(BOOL, f"fcmp {how} {type_of(t)} {x.text}, {y.text}")
    t = _common(a, b)
    x, y = convert(cx, a, t), convert(cx, b, t)
    how = op if op in ("eq", "ne") else f"{'s' if signed(t) else 'u'}{_ORDER[op]}"
    return cx.code.value(BOOL, f"icmp {how} {type_of(t)} {x.text}, {y.text}")


def _common(a: Value, b: Value) -> IntType:
    """A type that holds every value of both; a literal takes the other's type when it fits."""
    for x, y in ((a, b), (b, a)):
        number = _number(x)
        if isinstance(y.type, IntType) and number is not None and y.type.lo <= number <= y.type.hi:
            return y.type
    s, t = (v.type if isinstance(v.type, IntType) else IntType(8, False) for v in (a, b))
    if s.signed == t.signed:
        return s if s.bits >= t.bits else t
    plus, minus = (s, t) if s.signed else (t, s)
    return plus if plus.bits > minus.bits else IntType(2 * minus.bits)


def _number(v: Value) -> int | None:
    if v.text in ("true", "false"):
        return int(v.text == "true")
    digits = v.text.removeprefix("-")
    return int(v.text) if digits.isdigit() else None


# --- binary operations


def binary(cx: Context, op: str, a: Value, b: Value, t: Type, span: Span, flags: str = "") -> Value:
    """`a op b` in type `t`. `flags`: `nsw` where the result is proved to fit."""
    if op in ("min", "max"):
        return extreme(cx, op, convert(cx, a, t), convert(cx, b, t))
    if op == "pow":
        from gpulint.compile.mathematics import power

        return power(cx, a, b, t, span)
    if isinstance(t, FloatType):
        return _float(cx, op, convert(cx, a, t), convert(cx, b, t), span)
    x, y = convert(cx, a, t), convert(cx, b, t)
    kind = type_of(t, span)
    if op in _PLAIN:
        mark = f"{flags} " if flags and op in ("add", "sub", "mul") else ""
        return cx.code.value(t, f"{_PLAIN[op]} {mark}{kind} {x.text}, {y.text}")
    if op in ("shl", "shr"):
        return _shift(cx, op, x, y)
    if op in ("floordiv", "mod", "truncdiv", "truncmod") and isinstance(t, IntType):
        return _divide(cx, op, x, y, t)
    raise CompileError(f"{op} of these types is not compiled", span)


def _float(cx: Context, op: str, x: Value, y: Value, span: Span) -> Value:
    kind, flags = type_of(x.type, span), cx.options.flags
    if op in _FLOAT:
        return cx.code.value(x.type, f"{_FLOAT[op]} {flags}{kind} {x.text}, {y.text}")
    if op in ("truncdiv", "floordiv", "mod", "truncmod"):
        from gpulint.compile.mathematics import remainder

        return remainder(cx, op, x, y, span)
    raise CompileError(f"{op} of floats", span)


def extreme(cx: Context, op: str, x: Value, y: Value) -> Value:
    """Of floats, the one that is a number where the other is none, as CUDA has it."""
    if isinstance(x.type, FloatType):
        return cx.intrinsic(f"llvm.{op}num", x.type, x, y)
    if isinstance(x.type, BoolType):
        return cx.code.value(BOOL, f"{'and' if op == 'min' else 'or'} i1 {x.text}, {y.text}")
    return cx.intrinsic(f"llvm.{'s' if signed(x.type) else 'u'}{op}", x.type, x, y)


def _shift(cx: Context, op: str, x: Value, y: Value) -> Value:
    assert isinstance(x.type, IntType)
    kind = type_of(x.type)
    count = y.text
    if _number(y) is None or not 0 <= (_number(y) or 0) < x.type.bits:
        count = cx.code.get(f"and {kind} {y.text}, {x.type.bits - 1}")
    how = "shl" if op == "shl" else "ashr" if x.type.signed else "lshr"
    return cx.code.value(x.type, f"{how} {kind} {x.text}, {count}")


def _divide(cx: Context, op: str, x: Value, y: Value, t: IntType) -> Value:
    """Quotients and remainders; of zero divisors 0, as Numba's CUDA target has it."""
    kind, code = type_of(t), cx.code
    known = _number(y)
    divisor = y.text
    zero = ""
    if known is None or known == 0 or (known == -1 and t.signed):
        zero = code.get(f"icmp eq {kind} {y.text}, 0")
        divisor = code.get(f"select i1 {zero}, {kind} 1, {kind} {y.text}")
        if t.signed:  # the least number by -1 leaves the type: its quotient wraps to itself
            least = code.get(f"icmp eq {kind} {x.text}, {t.lo}")
            minus = code.get(f"icmp eq {kind} {y.text}, -1")
            both = code.get(f"and i1 {least}, {minus}")
            divisor = code.get(f"select i1 {both}, {kind} 1, {kind} {divisor}")
    s = "s" if t.signed else "u"
    quotient = code.get(f"{s}div {kind} {x.text}, {divisor}")
    rest = code.get(f"{s}rem {kind} {x.text}, {divisor}")
    if t.signed and op in ("floordiv", "mod"):
        quotient, rest = _floored(cx, kind, quotient, rest, divisor)
    result = quotient if op in ("floordiv", "truncdiv") else rest
    return Value(t, code.get(f"select i1 {zero}, {kind} 0, {kind} {result}") if zero else result)


def _floored(cx: Context, kind: str, quotient: str, rest: str, divisor: str) -> tuple[str, str]:
    """Towards minus infinity: a remainder whose sign is not the divisor's is moved by one divisor."""
    code = cx.code
    some = code.get(f"icmp ne {kind} {rest}, 0")
    mixed = code.get(f"xor {kind} {rest}, {divisor}")
    apart = code.get(f"icmp slt {kind} {mixed}, 0")
    move = code.get(f"and i1 {some}, {apart}")
    by = code.get(f"select i1 {move}, {kind} {divisor}, {kind} 0")
    down = code.get(f"sext i1 {move} to {kind}")
    return code.get(f"add {kind} {quotient}, {down}"), code.get(f"add {kind} {rest}, {by}")


# --- unary operations


def unary(cx: Context, e: n.Unary, v: Value) -> Value:
    if e.op == "not":
        return cx.code.value(BOOL, f"xor i1 {truth(cx, v).text}, true")
    x = convert(cx, v, e.type)
    kind = type_of(e.type, e.span)
    if isinstance(e.type, FloatType):
        if e.op == "neg":
            return cx.code.value(e.type, f"fneg {cx.options.flags}{kind} {x.text}")
        return cx.intrinsic("llvm.fabs", e.type, x)
    if e.op == "neg":
        return cx.code.value(e.type, f"sub {kind} 0, {x.text}")
    if e.op == "invert":
        return cx.code.value(e.type, f"xor {kind} {x.text}, {'true' if kind == 'i1' else -1}")
    if not signed(e.type):
        return x
    return Value(e.type, cx.call(kind, f"llvm.abs.{kind}", (kind, x.text), ("i1", "false")))
