"""Operators of the IR on terms: exact integers, or an uninterpreted function with sound bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from gpulint import term as t
from gpulint.ir.types import IntType, Type
from gpulint.term import App, Bool, Int
from gpulint.term.build import of_atom

MAX_CHOICE = 300  # nodes of a choice: a larger one becomes an unknown
MAX_PRODUCT = 400  # monomials of a product before it is collected
MAX_BITS = 2048  # of a coefficient


def binary(op: str, x: Int, y: Int, type: Type) -> Int | None:
    """The value of an integer operation without a width, or None when nothing is known of it."""
    make = _EXACT.get(op)
    if make is not None:
        return make(x, y)
    if op in ("floordiv", "mod", "truncdiv", "truncmod"):
        return None if y.value == 0 else _DIVISIONS[op](x, y)
    if op in ("shl", "shr", "pow"):
        return _shift(op, x, y)
    return _bits(op, x, y) if op in ("and", "or", "xor") else None


def _product(x: Int, y: Int) -> Int | None:
    """The product, unless it would grow beyond measure."""
    bits = max((abs(k).bit_length() for p in (x, y) for _, k in p.terms), default=0)
    return None if bits > MAX_BITS or len(x.terms) * len(y.terms) > MAX_PRODUCT else t.mul(x, y)


def _difference(x: Int, y: Int) -> Int:
    """The difference; `x - x // w * w` as the remainder that it is."""
    out = t.sub(x, y)
    for q in (a for a in t.apps(y) if a.op in _REMAINDER):
        over, by = cast("tuple[Int, Int]", q.args)
        rest = t.add(t.sub(out, over), t.mul(of_atom(q), by))
        if len(rest.terms) < len(out.terms) and not any(q in mono for mono, _ in rest.terms):
            out = t.add(rest, _REMAINDER[q.op](over, by))
    return out


_REMAINDER: dict[str, Callable[[Int, Int], Int]] = {"floordiv": t.mod, "truncdiv": t.truncmod}
_EXACT: dict[str, Callable[[Int, Int], Int | None]] = {
    "add": t.add, "sub": _difference, "mul": _product, "min": t.minimum, "max": t.maximum,
}  # fmt: skip
_DIVISIONS: dict[str, Callable[[Int, Int], Int]] = {
    "floordiv": t.floordiv, "mod": t.mod, "truncdiv": t.truncdiv, "truncmod": t.truncmod,
}  # fmt: skip


def _shift(op: str, x: Int, y: Int) -> Int | None:
    if y.lo is None or y.lo < 0 or (y.value or 0) > 64:
        return None
    if op == "pow":
        small = y.value is None or (len(x.terms) <= 1 and x.weight < MAX_CHOICE)
        return t.power(x, y) if small else None
    factor = t.power(t.const(2), y)
    return t.mul(x, factor) if op == "shl" else t.floordiv(x, factor)


def _bits(op: str, x: Int, y: Int) -> Int | None:
    if x.value is not None and y.value is not None:
        return t.const({"and": x.value & y.value, "or": x.value | y.value, "xor": x.value ^ y.value}[op])
    if op == "and":
        for value, mask in ((x, y.value), (y, x.value)):
            if mask is not None and mask >= 0 and mask & (mask + 1) == 0:
                return t.mod(value, t.const(mask + 1))
            if mask is not None and mask < 0 and -mask & (-mask - 1) == 0:
                return t.sub(value, t.mod(value, t.const(-mask)))
            if mask is not None and mask > 0 and mask & (mask - 1) == 0:
                return t.mul(mask, t.mod(t.floordiv(value, t.const(mask)), t.const(2)))
    for value, mask in ((x, y.value), (y, x.value)):
        if op != "and" and mask is not None and mask > 0 and mask & (mask - 1) == 0:
            return _one_bit(op, value, mask)
    return _bounded_bits(op, x, y)


def _one_bit(op: str, x: Int, bit: int) -> Int:
    """`x | bit` or `x ^ bit` of one bit, exactly."""
    has = t.mod(t.floordiv(x, t.const(bit)), t.const(2))
    return t.add(x, t.mul(t.const(bit), t.sub(t.ONE, t.mul(has, t.const(2 if op == "xor" else 1)))))


def _bounded_bits(op: str, x: Int, y: Int) -> Int | None:
    natural = [v for v in (x, y) if v.lo is not None and v.lo >= 0]
    highs = [v.hi for v in natural if v.hi is not None]
    if op == "and":
        if y in natural and y.hi is not None:  # higher bits of the other have no part in it
            x = low_bits(x, y.hi.bit_length())
        elif x in natural and x.hi is not None:
            y = low_bits(y, x.hi.bit_length())
        return t.fn("and", x, y, lo=0, hi=min(highs, default=None)) if natural else None
    if len(natural) < 2:
        return None
    top = (1 << max(highs).bit_length()) - 1 if len(highs) == 2 else None
    low = max(v.lo or 0 for v in natural) if op == "or" else 0
    return t.fn(op, x, y, lo=low, hi=top)


def low_bits(x: Int, width: int) -> Int:
    """What has the same low bits, given as its remainder by 2**32 or 2**64; else `x` itself."""
    top = x.atom
    if isinstance(top, App) and top.op == "mod" and len(top.args) == 2:
        inner, by = cast("tuple[Int, Int]", top.args)
        if by.value in (1 << 32, 1 << 64) and by.value >= 1 << width:
            return inner
    return x


def unary(op: str, x: Int, type: Type) -> Int | None:
    """neg, abs and invert of an integer."""
    if op == "neg":
        return t.neg(x)
    if op == "abs":
        return t.absolute(x)
    if op != "invert":
        return None
    if isinstance(type, IntType) and not type.signed:
        return t.sub(t.const(type.hi), x)
    return t.sub(t.neg(x), t.ONE)


def compare(op: str, x: Int, y: Int) -> Bool:
    return {"lt": t.lt, "le": t.le, "gt": t.gt, "ge": t.ge, "eq": t.eq, "ne": t.ne}[op](x, y)


def choose(c: Bool, x: Int, y: Int) -> Int | None:
    """`x if c else y`, the common part of both taken out; None when it would grow too large."""
    common = [(m, k) for m, k in x.terms if (m, k) in y.terms]
    shared = t.ZERO
    for mono, k in common:
        part = t.const(k)
        for a in mono:
            part = t.mul(part, of_atom(a))
        shared = t.add(shared, part)
    x, y = t.sub(x, shared), t.sub(y, shared)
    if c.weight + x.weight + y.weight + shared.weight > MAX_CHOICE:
        return None
    return t.add(shared, t.select(c, x, y))


def choose_bool(c: Bool, x: Bool, y: Bool) -> Bool:
    return t.or_(t.and_(c, x), t.and_(t.not_(c), y))
