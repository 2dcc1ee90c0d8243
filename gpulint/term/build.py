"""Constructors: the only way to make terms, each normalising as it builds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Union

from gpulint.term.cut import application, cut, too_deep
from gpulint.term.interval import of_args, times
from gpulint.term.mono import without
from gpulint.term.node import App, Atom, Bool, Cmp, Int, Junction, Literal, Mono, Scope, Sym, intern, keep

IntLike = Union[Int, int]

TRUE: Bool = keep(intern(Literal, (None, False)))
FALSE: Bool = keep(intern(Literal, (None, True)))

# Beyond these a product is kept closed instead of multiplied out.
MAX_TERMS = 400  # monomials of a product that is multiplied out
MAX_DEGREE = 16
MAX_BITS = 4096  # of a coefficient of a product


def _poly(terms: dict[Mono, int]) -> Int:
    kept = [(m, c) for m, c in terms.items() if c]
    if len(kept) > 1:
        kept.sort(key=lambda t: (len(t[0]), [a.order for a in t[0]]))
    return intern(Int, tuple(kept))


def as_int(x: IntLike) -> Int:
    return x if isinstance(x, Int) else const(x)


def const(n: int) -> Int:
    """The constant `n`."""
    return intern(Int, (((), int(n)),) if n else ())


ZERO = keep(const(0))
ONE = keep(const(1))


def of_atom(a: Atom) -> Int:
    """The atom as a polynomial; an atom whose bounds meet is a constant."""
    if a.lo is not None and a.lo == a.hi:
        return const(a.lo)
    return intern(Int, (((a,), 1),))


def sym(name: str, scope: Scope = Scope.LAUNCH, lo: int | None = None, hi: int | None = None) -> Int:
    """An integer symbol with inclusive static bounds."""
    return intern(Int, (((intern(Sym, (name, scope, lo, hi, False)),), 1),))


def bool_sym(name: str, scope: Scope = Scope.LAUNCH) -> Bool:
    """A boolean unknown."""
    return intern(Literal, (intern(Sym, (name, scope, 0, 1, True)), False))


def bool_app(name: str, *args: IntLike) -> Bool:
    """An uninterpreted predicate of integers: equal for equal arguments."""
    return intern(Literal, (application("fn", name, tuple(as_int(a) for a in args)), False))


def _bounded(op: str, args: tuple[object, ...], data: str = "") -> Int:
    low, high = of_args(op, args, lambda t: (t.lo, t.hi))
    return of_atom(application(op, data, args, low, high))


def monomial(mono: Mono, coeff: int = 1) -> Int:
    """A product of atoms (sorted, as in a polynomial's terms) with a coefficient that is not zero."""
    return intern(Int, ((mono, coeff),))


def add(*xs: IntLike) -> Int:
    out: dict[Mono, int] = {}
    for x in xs:
        for m, c in as_int(x).terms:
            out[m] = out.get(m, 0) + c
    return _poly(out)


def neg(a: IntLike) -> Int:
    return intern(Int, tuple((m, -c) for m, c in as_int(a).terms))


def sub(a: IntLike, b: IntLike) -> Int:
    out = dict(as_int(a).terms)
    for m, c in as_int(b).terms:
        out[m] = out.get(m, 0) - c
    return _poly(out)


def mul(a: IntLike, b: IntLike) -> Int:
    x, y = as_int(a), as_int(b)
    if 1 in (x.value, y.value):
        return y if x.value == 1 else x
    if _too_large(x, y):
        return _closed_product(x, y)
    out: dict[Mono, int] = {}
    for m1, c1 in x.terms:
        for m2, c2 in y.terms:
            m = tuple(sorted(m1 + m2, key=lambda t: t.order)) if m1 and m2 else m1 + m2
            out[m] = out.get(m, 0) + c1 * c2
    return _poly(out)


def _too_large(x: Int, y: Int) -> bool:
    """Whether the product should not be multiplied out."""
    if not x.terms or not y.terms:
        return False
    degree = max(len(m) for m, _ in x.terms) + max(len(m) for m, _ in y.terms)
    bits = max(c.bit_length() for _, c in x.terms) + max(c.bit_length() for _, c in y.terms)
    return len(x.terms) * len(y.terms) > MAX_TERMS or degree > MAX_DEGREE or bits > MAX_BITS


def _closed_product(x: Int, y: Int) -> Int:
    low, high = times((x.lo, x.hi), (y.lo, y.hi))
    first, second = sorted((x, y), key=lambda t: t.order)
    return of_atom(application("fn", "product", (first, second), low, high))


def _split(p: Int, d: Int) -> tuple[Int, Int] | None:
    """`p == q*d + r` with as much as possible in `q`, for a constant or one-monomial `d`.

    For a symbolic `d` no constant is moved into `q`, unless nothing else is left: `(n + b - 1) // b`
    stays one atom, as the ceiling that it is, and not `1 + (n - 1) // b`.
    """
    if len(d.terms) != 1:
        return None
    (dm, dc) = d.terms[0]
    q: dict[Mono, int] = {}
    r: dict[Mono, int] = {}
    for m, c in p.terms:
        rest = without(m, dm)
        if rest is None:
            r[m] = r.get(m, 0) + c
            continue
        whole = c // dc if dc > 0 else -(c // -dc)
        if rest:
            whole = c // dc if c % dc == 0 else 0
        if whole:
            q[rest] = q.get(rest, 0) + whole
        if c - whole * dc:
            r[m] = r.get(m, 0) + c - whole * dc
    if dm and () in q and any(m for m in r):
        r[dm] = r.get(dm, 0) + q.pop(()) * dc
    return _poly(q), _poly(r)


def exact(x: Int, divisor: Int) -> Int | None:
    """`x / divisor` where the division leaves nothing over whatever the symbols are."""
    q = floordiv(x, divisor)
    return q if mul(q, divisor) == x else None


def floordiv(a: IntLike, b: IntLike) -> Int:
    """Python's floor division; the divisor is assumed not to be zero."""
    x, y = as_int(a), as_int(b)
    if y.value == 1:
        return x
    if y.value is not None and y.value < 0:
        return floordiv(neg(x), neg(y))
    if x.value is not None and y.value:
        return const(x.value // y.value)
    if x.value == 0:
        return ZERO
    parts = _split(x, y)
    if parts is not None and parts[0].terms:
        return add(parts[0], floordiv(parts[1], y))
    if _below(x, y):
        return ZERO
    top = x.atom
    if isinstance(top, App) and top.op == "floordiv" and y.value and top.args[1].value:
        return floordiv(top.args[0], mul(top.args[1], y))  # (x // a) // b == x // (a * b)
    return _bounded("floordiv", (x, y))


def mod(a: IntLike, b: IntLike) -> Int:
    """Python's modulo: the result has the sign of the divisor, which is assumed not to be zero."""
    x, y = as_int(a), as_int(b)
    if y.value == 1:
        return ZERO
    if x.value is not None and y.value:
        return const(x.value % y.value)
    if x.value == 0:
        return ZERO
    parts = _split(x, y)
    if parts is not None and parts[0].terms:
        return mod(parts[1], y)
    if _below(x, y):
        return x
    top = x.atom
    if isinstance(top, App) and top.op == "mod" and top.args[1] == y:
        return x
    return _bounded("mod", (x, y))


def _below(x: Int, y: Int) -> bool:
    """Whether 0 <= x < y by static bounds alone."""
    if x.lo is None or x.lo < 0:
        return False
    gap = sub(y, x)
    return gap.lo is not None and gap.lo > 0


def truncdiv(a: IntLike, b: IntLike) -> Int:
    """C's division, towards zero; the divisor is assumed not to be zero."""
    x, y = as_int(a), as_int(b)
    if x.lo is not None and x.lo >= 0 and y.lo is not None and y.lo >= 1:
        return floordiv(x, y)
    if x.value is not None and y.value:
        q = abs(x.value) // abs(y.value)
        return const(q if (x.value < 0) == (y.value < 0) else -q)
    return _bounded("truncdiv", (x, y))


def truncmod(a: IntLike, b: IntLike) -> Int:
    """C's remainder: the result has the sign of the dividend."""
    x, y = as_int(a), as_int(b)
    if x.lo is not None and x.lo >= 0 and y.lo is not None and y.lo >= 1:
        return mod(x, y)
    if x.value is not None and y.value:
        return sub(x, mul(truncdiv(x, y), y))
    return _bounded("truncmod", (x, y))


def cdiv(a: IntLike, b: IntLike) -> Int:
    """Ceiling division by a positive divisor, as `(a + b - 1) // b`."""
    return floordiv(sub(add(a, b), ONE), b)


def _extreme(op: str, xs: Iterable[IntLike]) -> Int:
    flat: list[Int] = []
    for x in xs:
        t = as_int(x)
        top = t.atom
        inner = top.args if isinstance(top, App) and top.op == op else (t,)
        flat.extend(i for i in inner if i not in flat)
    kept = [t for t in flat if not any(_dominates(op, o, t, flat) for o in flat if o is not t)]
    if len(kept) == 1:
        return kept[0]
    kept.sort(key=lambda t: t.order)
    return _bounded(op, tuple(kept))


def _dominates(op: str, other: Int, t: Int, flat: list[Int]) -> bool:
    """Whether `other` makes `t` superfluous in the extreme; of equals the first is kept."""
    gap = sub(t, other) if op == "min" else sub(other, t)
    if gap.lo is None or gap.lo < 0:
        return False
    back = neg(gap)
    mutual = back.lo is not None and back.lo >= 0
    return not mutual or flat.index(other) < flat.index(t)


def minimum(*xs: IntLike) -> Int:
    return _extreme("min", xs)


def maximum(*xs: IntLike) -> Int:
    return _extreme("max", xs)


def absolute(a: IntLike) -> Int:
    return maximum(a, neg(a))


def power(base: IntLike, exponent: IntLike) -> Int:
    """`base ** exponent` for an exponent that is not negative."""
    b, e = as_int(base), as_int(exponent)
    if e.value is not None and 0 <= e.value <= 64:
        out = ONE
        if b.value is not None or e.value <= 4:
            for _ in range(e.value):
                out = mul(out, b)
            return out
    if b.value == 1:
        return ONE
    return _bounded("pow", (b, e))


def select(c: Bool, a: IntLike, b: IntLike) -> Int:
    """`a if c else b`."""
    x, y = as_int(a), as_int(b)
    if c is TRUE or c == TRUE or x == y:
        return x
    if c == FALSE:
        return y
    return _bounded("select", (c, x, y))


def load(array: str, subscripts: Iterable[IntLike], lo: int | None = None, hi: int | None = None) -> Int:
    """The element of an array that the kernel does not write: a function of its subscripts."""
    return of_atom(application("load", array, tuple(as_int(s) for s in subscripts), lo, hi))


def fn(name: str, *args: IntLike, lo: int | None = None, hi: int | None = None) -> Int:
    """An uninterpreted function of integers: equal for equal arguments."""
    return of_atom(application("fn", name, tuple(as_int(a) for a in args), lo, hi))


def _compare(op: str, p: Int) -> Bool:
    v = p.value
    if v is not None:
        return TRUE if {"le": v <= 0, "eq": v == 0, "ne": v != 0}[op] else FALSE
    g = math.gcd(*(c for m, c in p.terms if m))
    k = p.constant
    if op != "le" and k % g:
        return FALSE if op == "eq" else TRUE
    if g > 1:
        out = {m: c // g for m, c in p.terms if m}
        if op == "le":
            out[()] = -(-k // g)
        else:
            out[()] = k // g
        p = _poly(out)
    if op != "le" and next(c for m, c in p.terms if m) < 0:
        p = neg(p)
    if op == "le":
        if p.hi is not None and p.hi <= 0:
            return TRUE
        if p.lo is not None and p.lo > 0:
            return FALSE
    elif (p.lo is not None and p.lo > 0) or (p.hi is not None and p.hi < 0):
        return FALSE if op == "eq" else TRUE
    return intern(Cmp, (op, p))


def le(a: IntLike, b: IntLike) -> Bool:
    return _compare("le", sub(a, b))


def lt(a: IntLike, b: IntLike) -> Bool:
    return _compare("le", add(sub(a, b), ONE))


def ge(a: IntLike, b: IntLike) -> Bool:
    return le(b, a)


def gt(a: IntLike, b: IntLike) -> Bool:
    return lt(b, a)


def eq(a: IntLike, b: IntLike) -> Bool:
    return _compare("eq", sub(a, b))


def ne(a: IntLike, b: IntLike) -> Bool:
    return _compare("ne", sub(a, b))


def not_(b: Bool) -> Bool:
    """Negation, pushed to the leaves."""
    if isinstance(b, Literal):
        return intern(Literal, (b.atom, not b.negated))
    if isinstance(b, Cmp):
        if b.op == "le":
            return _compare("le", sub(ONE, b.poly))  # not p <= 0  is  1 - p <= 0
        return _compare("ne" if b.op == "eq" else "eq", b.poly)
    assert isinstance(b, Junction)
    if b.negation is None:
        parts = [not_(a) for a in b.args]
        b.negation = or_(*parts) if b.op == "and" else and_(*parts)
    return b.negation


def _junction(op: str, xs: Iterable[Bool]) -> Bool:
    unit, zero = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
    seen: dict[Bool, None] = {}
    for x in xs:
        for part in x.args if isinstance(x, Junction) and x.op == op else (x,):
            if part == zero:
                return zero
            if part != unit:
                seen[part] = None
    for part in seen:
        if not isinstance(part, Junction) and not_(part) in seen:
            return zero
    if not seen:
        return unit
    if len(seen) == 1:
        return next(iter(seen))
    whole = intern(Junction, (op, tuple(sorted(seen, key=lambda b: b.order))))
    return intern(Literal, (cut(whole, 0, 1), False)) if too_deep(whole) else whole


def and_(*xs: Bool) -> Bool:
    return _junction("and", xs)


def or_(*xs: Bool) -> Bool:
    return _junction("or", xs)


def implies(a: Bool, b: Bool) -> Bool:
    return or_(not_(a), b)
