"""Arithmetic and comparisons on abstract values."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from gpulint.frontend.host.broadcast import elementwise
from gpulint.frontend.host.layout import others, same_shape
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Choice,
    Class,
    Cond,
    Configured,
    Const,
    Dotted,
    DType,
    Function,
    Kernel,
    Map,
    Num,
    Ratio,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_int,
    truthy,
)
from gpulint.ir.types import INT64, UNKNOWN, Type
from gpulint.term import (
    FALSE,
    TRUE,
    App,
    Bool,
    Int,
    add,
    and_,
    bool_sym,
    const,
    eq,
    floordiv,
    fn,
    le,
    lt,
    mod,
    mul,
    ne,
    neg,
    not_,
    or_,
    power,
    select,
    sub,
)
from gpulint.term import ZERO as ZERO_TERM

if TYPE_CHECKING:
    from gpulint.frontend.host.machine import Machine

LOW_BITS = "without its lowest bit"  # `x & (x - 1)`
AXES_COMPARED = 4  # of two shapes whose rank is not known


def truth(m: Machine, v: Value, text: str) -> Bool:
    """The condition that a value is true; a symbol of its name when that is all there is."""
    if isinstance(v, Cond):
        return v.term
    if isinstance(v, (Num, Ratio)):
        return ne(v.term if isinstance(v, Num) else v.num, 0)
    if isinstance(v, Const):
        return TRUE if v.value else FALSE
    if isinstance(v, Seq):
        return TRUE if v.items else FALSE
    if isinstance(v, (Kernel, Configured, Function, Class)):
        return TRUE
    if isinstance(v, Dotted):
        return m.literal(v.path)
    if isinstance(v, Unknown):
        return ne(as_int(v) or ZERO_TERM, 0) if v.kind == "int" else bool_sym(v.name)
    return bool_sym(m.opaque(text).name)


def ratio(v: Value) -> Ratio | None:
    """The value as an exact fraction."""
    if isinstance(v, Ratio):
        return v
    if isinstance(v, Const) and isinstance(v.value, float):
        return _float(v.value)
    term = as_int(v)
    return None if term is None else Ratio(term, const(1))


def _float(x: float) -> Ratio | None:
    if x != x or abs(x) >= 2**53:
        return None
    exact = Fraction(x)
    return Ratio(const(exact.numerator), const(exact.denominator)) if exact.denominator <= 2**20 else None


def binary(m: Machine, op: ast.operator, a: Value, b: Value, text: str) -> Value:
    """`a op b`; an unknown named by its text when it is not understood."""
    if isinstance(a, Arr) or isinstance(b, Arr):
        return elementwise(m, (a, b), text)
    if _floating(op, a, b):
        return m.unknown(text, "", "float")
    if isinstance(a, Seq) or isinstance(b, Seq):
        out = _sequences(op, a, b)
    elif isinstance(a, Cond) and isinstance(b, Cond) and isinstance(op, (ast.BitAnd, ast.BitOr)):
        out = Cond((and_ if isinstance(op, ast.BitAnd) else or_)(a.term, b.term))
    elif any(isinstance(v, Unknown) and v.kind == "array" for v in (a, b)):
        out = None
    elif isinstance(op, ast.Div) or any(isinstance(v, (Ratio, Const)) for v in (a, b)):
        out = _rational(op, ratio(a), ratio(b))
    else:
        out = _integers(op, a, b)
    return out if out is not None else m.opaque(text)


def _floating(op: ast.operator, a: Value, b: Value) -> bool:
    """Whether the result is a float of which nothing more is known."""
    if any(isinstance(v, Unknown) and v.kind == "float" for v in (a, b)):
        return not any(isinstance(v, (Seq, Unknown)) and getattr(v, "kind", "") != "float" for v in (a, b))
    if not isinstance(op, ast.Pow) or isinstance(b, Unknown):
        return False
    x, y = ratio(a), ratio(b)
    if x is None or y is None:
        return False
    return y.den.value != 1 or (y.num.hi is not None and y.num.hi < 0)


def _sequences(op: ast.operator, a: Value, b: Value) -> Value | None:
    if isinstance(op, ast.Add) and isinstance(a, ShapeOf) and isinstance(b, Seq):
        tail = [as_int(v) for v in b.items]
        return None if None in tail else replace(a, tail=(*a.tail, *(t for t in tail if t is not None)))
    if isinstance(op, ast.Add) and isinstance(a, Seq) and isinstance(b, Seq):
        return Seq((a.items + b.items)[:64])
    if isinstance(op, ast.Mult):
        seq, times = (a, b) if isinstance(a, Seq) else (b, a)
        count = as_int(times)
        known = None if count is None else count.value
        if isinstance(seq, Seq) and known is not None and 0 <= known * len(seq.items) <= 64:
            return Seq(seq.items * known)
    return None


def _integers(op: ast.operator, a: Value, b: Value) -> Value | None:
    x, y = as_int(a), as_int(b)
    if x is None or y is None:
        return None
    term = _integer(op, x, y)
    if term is None or len(term.terms) > 40:
        return None
    return Num(term, _type(a, b))


def _type(a: Value, b: Value) -> Type:
    kinds = [v.type if isinstance(v, Num) else INT64 if isinstance(v, Cond) else UNKNOWN for v in (a, b)]
    return kinds[0] if kinds[0] == kinds[1] else UNKNOWN


def _integer(op: ast.operator, x: Int, y: Int) -> Int | None:
    if isinstance(op, ast.Add):
        return add(x, y)
    if isinstance(op, ast.Sub):
        return sub(x, y)
    if isinstance(op, ast.Mult):
        return mul(x, y) if len(x.terms) * len(y.terms) <= 400 else None
    if isinstance(op, ast.FloorDiv):
        rest = others(x, y)
        return rest if rest is not None else floordiv(x, y) if y.value != 0 else None
    if isinstance(op, ast.Mod):
        return mod(x, y) if y.value != 0 else None
    if isinstance(op, ast.Pow):
        return power(x, y) if _small(y) and len(x.terms) <= 3 else None
    return _bits(op, x, y)


def _small(y: Int) -> bool:
    return (y.value is not None and 0 <= y.value <= 64) or (y.value is None and (y.lo or -1) >= 0)


def _bits(op: ast.operator, x: Int, y: Int) -> Int | None:
    if isinstance(op, ast.BitAnd) and x.value is None and y == sub(x, 1):
        return fn(LOW_BITS, x, lo=0 if (x.lo or -1) >= 0 else None)
    if isinstance(op, ast.LShift) and y.value is not None and 0 <= y.value <= 62:
        return mul(x, 1 << y.value)
    if isinstance(op, ast.RShift) and y.value is not None and 0 <= y.value <= 62:
        return floordiv(x, 1 << y.value)
    if isinstance(op, ast.LShift) and x.value == 1 and (y.lo or -1) >= 0:
        return power(2, y)
    if x.value is not None and y.value is not None and isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        p, q = x.value, y.value
        return const(p & q if isinstance(op, ast.BitAnd) else p | q if isinstance(op, ast.BitOr) else p ^ q)
    mask = y.value if y.value is not None else -1
    if isinstance(op, ast.BitAnd) and mask >= 0 and mask & (mask + 1) == 0:
        return mod(x, mask + 1)
    return None


def _rational(op: ast.operator, a: Ratio | None, b: Ratio | None) -> Value | None:
    if a is None or b is None:
        return None
    if isinstance(op, ast.Add):
        return Ratio(add(mul(a.num, b.den), mul(b.num, a.den)), mul(a.den, b.den))
    if isinstance(op, ast.Sub):
        return Ratio(sub(mul(a.num, b.den), mul(b.num, a.den)), mul(a.den, b.den))
    if isinstance(op, ast.Mult):
        return Ratio(mul(a.num, b.num), mul(a.den, b.den))
    if isinstance(op, ast.Div) and b.num.value != 0:
        return Ratio(mul(a.num, b.den), mul(a.den, b.num))
    if isinstance(op, ast.FloorDiv) and b.num.value != 0:
        return Ratio(floordiv(mul(a.num, b.den), mul(a.den, b.num)), const(1))
    return None


def unary(m: Machine, op: ast.unaryop, v: Value, text: str) -> Value:
    if isinstance(op, ast.Not):
        return Cond(not_(truth(m, v, text)))
    if isinstance(v, Arr):
        return elementwise(m, (v,), text)
    if isinstance(v, Const) and isinstance(v.value, float):
        return Const(-v.value if isinstance(op, ast.USub) else v.value)
    if isinstance(v, Ratio) and isinstance(op, (ast.USub, ast.UAdd)):
        return Ratio(neg(v.num), v.den) if isinstance(op, ast.USub) else v
    term = as_int(v)
    if term is None:
        return m.opaque(text)
    kind = v.type if isinstance(v, Num) else UNKNOWN
    if isinstance(op, ast.USub):
        return Num(neg(term), kind)
    return Num(term if isinstance(op, ast.UAdd) else sub(neg(term), 1), kind)


def compare(m: Machine, op: ast.cmpop, a: Value, b: Value, text: str) -> Bool:
    """`a op b` as a condition; a symbol when it is not understood."""
    if isinstance(op, (ast.Is, ast.IsNot)) or a == NONE or b == NONE:
        same = _identical(m, a, b)
        if same is not None:
            return same if isinstance(op, (ast.Is, ast.Eq)) else not_(same)
    if (
        isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        and isinstance(b, Cond)
        and b.term in (TRUE, FALSE)
    ):
        same = truth(m, a, text)
        return same if (b.term == TRUE) == isinstance(op, (ast.Is, ast.Eq)) else not_(same)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        same = _equal(m, a, b)
        if same is not None:
            return same if isinstance(op, ast.Eq) else not_(same)
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(b, Seq):
        parts = [_equal(m, a, x) for x in b.items]
        if all(p is not None for p in parts):
            found = or_(*(p for p in parts if p is not None))
            return found if isinstance(op, ast.In) else not_(found)
    if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        ordered = _order(op, a, b)
        if ordered is not None:
            return ordered
    more = (Num, Ratio, Dotted, Map, Seq) if m.tiles else ()
    if all(_open(v, more) for v in (a, b)):
        return bool_sym(m.namer.unique(f"{text}"))
    return bool_sym(m.opaque(text).name)


def _open(v: Value, more: tuple[type, ...] = ()) -> bool:
    """An input or a constant: what a comparison of those gives is as free as they are."""
    return isinstance(v, (Const, DType, *more)) or (isinstance(v, Unknown) and v.free)


def _identical(m: Machine, a: Value, b: Value) -> Bool | None:
    if a == b and isinstance(a, Const):
        return TRUE
    left, right = (a, b) if b == NONE else (b, a)
    if right != NONE:
        return None
    if isinstance(left, Arr):
        return left.none
    if isinstance(left, Unknown):
        return m.literal(f"{left.name} is None")
    if isinstance(left, Choice):
        return or_(*(c for c, v in left.options if v == NONE))
    return FALSE


def _equal(m: Machine, a: Value, b: Value) -> Bool | None:
    if m.tiles and isinstance(a, Dotted) and isinstance(b, Dotted) and a.root == b.root:
        return truthy(a == b).term
    if isinstance(a, (Const, DType)) and isinstance(b, (Const, DType)):
        return truthy(a == b).term
    shapes = _shapes(a, b, m.tiles)
    if shapes is not None:
        return shapes
    if isinstance(a, (Unknown, DType)) and isinstance(b, (Const, DType, Unknown)):
        left = a.name
        right = repr(b.value) if isinstance(b, Const) else b.name
        if isinstance(b, (Const, DType)) or isinstance(a, DType):
            return m.literal(f"{left} == {right}")
    x, y = ratio(a), ratio(b)
    if x is None or y is None:
        return None
    return _no_low_bits(x, y) or eq(mul(x.num, y.den), mul(y.num, x.den))


def _no_low_bits(x: Ratio, y: Ratio) -> Bool | None:
    """`x & (x - 1) == 0`: a power of two, or nothing."""
    top = x.num.atom
    if y.num.value != 0 or not isinstance(top, App) or top.op != "fn" or top.data != LOW_BITS:
        return None
    of: Int = top.args[0]
    return or_(eq(of, 0), power_of_two(of))


def power_of_two(t: Int) -> Bool:
    """`t` is two to its own logarithm, rounded down."""
    return eq(t, power(2, fn("floor_log2", t, lo=0, hi=62)))


def _shapes(a: Value, b: Value, tiles: bool) -> Bool | None:
    if isinstance(a, Seq) and isinstance(b, Seq):
        if len(a.items) != len(b.items):
            return FALSE
        pairs = [(as_int(x), as_int(y)) for x, y in zip(a.items, b.items, strict=False)]
        if any(x is None or y is None for x, y in pairs):
            return None
        return and_(*(eq(x, y) for x, y in pairs if x is not None and y is not None))
    if isinstance(b, ShapeOf) and not isinstance(a, ShapeOf):
        a, b = b, a
    if not isinstance(a, ShapeOf):
        return None
    if isinstance(b, ShapeOf):
        if not a.whole or not b.whole:
            alike = not a.tail and not b.tail and (a.start, a.drop) == (b.start, b.drop)
            return and_(eq(a.length, b.length), eq(a.numel, b.numel)) if alike else None
        axes = [eq(a.array.extent(k), b.array.extent(k)) for k in range(AXES_COMPARED)]
        if tiles:
            axes += [eq(a.array.extent(k), b.array.extent(k)) for k in range(-AXES_COMPARED, 0)]
            axes.append(same_shape(a.array, b.array))
        return and_(eq(a.array.size, b.array.size), eq(a.array.ndim, b.array.ndim), *axes)
    if isinstance(b, Seq) and not a.tail:
        parts = [as_int(x) for x in b.items]
        facts = [eq(a.array.extent(k + a.start), p) for k, p in enumerate(parts) if p is not None]
        rank = len(parts) + a.start + a.drop
        return and_(eq(a.array.ndim, rank), *facts) if len(facts) == len(parts) else None
    return None


def _order(op: ast.cmpop, a: Value, b: Value) -> Bool | None:
    x, y = ratio(a), ratio(b)
    if x is None or y is None:
        return None
    if not all((den.lo or 0) >= 1 for den in (x.den, y.den)):
        return None
    left, right = mul(x.num, y.den), mul(y.num, x.den)
    if isinstance(op, (ast.Gt, ast.GtE)):
        left, right = right, left
    return (lt if isinstance(op, (ast.Lt, ast.Gt)) else le)(left, right)


def ceil(r: Ratio) -> Int:
    """The least integer not below the fraction."""
    return neg(floordiv(neg(r.num), r.den))


def rounded(r: Ratio) -> Int | None:
    """The nearest integer, when the fraction is one already."""
    return r.num if r.den.value == 1 else None


def truncated(r: Ratio) -> Int:
    """`int(r)`: towards zero, whatever the sign of the divisor."""
    down, up = floordiv(r.num, r.den), ceil(r)
    if r.num.lo is not None and r.num.lo >= 0 and (r.den.lo or 0) >= 1:
        return down
    if r.den.value == 1:
        return r.num
    return select(le(0, down), down, up)
