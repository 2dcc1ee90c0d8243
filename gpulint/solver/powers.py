"""Powers of a constant in a loop counter (halving and doubling loops), split into cases.

`2**k` for a counter k is a number once k is: a condition that holds for some k holds for one of the
first few, where everything about the power is linear, or beyond them, where the power is only known
to be large. Sizes of blocks and shared memory leave few cases that are not plainly false.
"""

from __future__ import annotations

from typing import TypeVar

from gpulint.dataflow.arith import binary
from gpulint.ir.types import INT64
from gpulint.term import (
    FALSE,
    App,
    Atom,
    Bool,
    Cmp,
    Int,
    Scope,
    Sym,
    and_,
    apps,
    conjuncts,
    const,
    eq,
    ge,
    gt,
    le,
    neg,
    or_,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import of_atom
from gpulint.term.walk import transform

T = TypeVar("T", Int, Bool)
LAST = 11  # 2**11 is more than the threads of any block
EXPONENTS = 32
MAX_COUNTERS = 2
MAX_WEIGHT = 6000  # nodes of all cases together


def next_powers(*terms: Int | Bool) -> list[Bool]:
    """What `next_power_of_2` is in the terms, in full for arguments up to 2**31: for witnesses."""
    out = []
    for a in apps(*terms, op="fn"):
        if a.data == "next_power_of_2" and len(a.args) == 1:
            value, n = of_atom(a), a.args[0]
            ways = [and_(eq(value, 1), le(n, 1))]
            ways += [and_(eq(value, 1 << k), gt(n, 1 << (k - 1)), le(n, 1 << k)) for k in range(1, EXPONENTS)]
            out.append(or_(*ways))
    return out


def folded(goal: Bool) -> Bool:
    """The condition with `next_power_of_2` of each number as the number that it is (1 below two)."""
    known: dict[Atom, Int | Bool] = {}
    for a in apps(goal, op="fn"):
        n = a.args[0].value if a.data == "next_power_of_2" and len(a.args) == 1 else None
        if n is not None:
            known[a] = const(1 << max(n - 1, 0).bit_length())
    return subst(goal, known)


def cases(whole: Bool) -> Bool | None:
    """A condition that can be met whenever this one can, its powers told apart by their exponents.

    None where there are none or too many.
    """
    if not apps(whole, op="pow"):
        return None
    whole = _tied(whole)
    found = _counters(whole)
    if not found or len(found) > MAX_COUNTERS:
        return None
    parts = [whole]
    for k in found:
        parts = [c for p in parts for c in _split(p, k) if c != FALSE]
        if sum(p.weight for p in parts) > MAX_WEIGHT:
            return None
    return or_(*parts)


def _tied(whole: Bool) -> Bool:
    """The condition with counters that it says are equal, but for a constant, made one."""
    for c in conjuncts(whole):
        loops = [m[0] for m, k in c.poly.terms if len(m) == 1 and abs(k) == 1] if isinstance(c, Cmp) else []
        if not isinstance(c, Cmp) or c.op != "eq" or len(loops) != 2 or len(c.poly.terms) > 3:
            continue
        a, b = loops
        rest = c.poly - of_atom(b) if dict(c.poly.terms)[(b,)] == 1 else c.poly + of_atom(b)
        value = neg(rest) if dict(c.poly.terms)[(b,)] == 1 else rest
        counters = isinstance(a, Sym) and isinstance(b, Sym) and a.scope is b.scope is Scope.LOOP
        if counters and symbols(value) == {a}:
            return and_(_tied(subst(whole, {b: value})), c)
    return whole


def _counters(whole: Bool) -> list[Sym]:
    """The counters that are exponents of constants, if every power is of that kind."""
    out: dict[Sym, None] = {}
    for power in apps(whole, op="pow"):
        base, exponent = power.args
        used = symbols(exponent)
        if (base.value or 0) < 2 or len(used) != 1:
            return []
        k = next(iter(used))
        if k.scope is not Scope.LOOP or k.lo is None or k.lo < 0:
            return []
        out[k] = None
    return sorted(out, key=lambda s: s.order)


def _split(whole: Bool, k: Sym) -> list[Bool]:
    out = [bits_folded(subst(whole, {k: const(v)})) for v in range(LAST + 1)]
    return [*out, and_(_beyond(whole, k), ge(of_atom(k), LAST + 1))]


def _beyond(whole: Bool, k: Sym) -> Bool:
    """The condition for large k, each power of it an unknown that is at least as large."""

    def large(a: Atom) -> Int | None:
        if not isinstance(a, App) or a.op != "pow" or k not in symbols(of_atom(a)):
            return None
        least = subst(a.args[1], {k: const(LAST + 1)}).value
        low = a.args[0].value ** least if least is not None and least >= 0 else 1
        return sym(f"{of_atom(a)} beyond", Scope.LOOP, low)

    return transform(whole, large)


def bits_folded(c: T) -> T:
    """Bit operations of which an operand became a number."""

    def fold(a: Atom) -> Int | None:
        if not isinstance(a, App) or a.op != "fn" or a.data not in ("and", "or", "xor"):
            return None
        left, right = a.args
        if left.value is None and right.value is None:
            return None
        out = binary(a.data, left, right, INT64)
        return None if out is None or out.atom == a else out

    return transform(c, fold)
