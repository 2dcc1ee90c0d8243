"""One symbol in place of a product of two: `grid.x * block.x` as the number of threads."""

from __future__ import annotations

from typing import TypeVar, cast

from gpulint.term import build as b
from gpulint.term.node import App, Atom, Bool, Cmp, Int, Junction, Literal, intern
from gpulint.term.walk import remake

T = TypeVar("T", Int, Bool)


def replace_product(term: T, left: Atom, right: Atom, new: Atom) -> T:
    """Rewrite each monomial that holds both atoms over `new`, inside applications too."""
    return cast(T, _term(term, left, right, new))


def _term(t: Int | Bool, left: Atom, right: Atom, new: Atom) -> Int | Bool:
    if isinstance(t, Int):
        out = b.ZERO
        for mono, coeff in t.terms:
            product = b.const(coeff)
            for a in _folded(mono, left, right, new):
                product = b.mul(product, _atom(a, left, right, new))
            out = b.add(out, product)
        return out
    if isinstance(t, Cmp):
        p = cast(Int, _term(t.poly, left, right, new))
        return {"le": b.le, "eq": b.eq, "ne": b.ne}[t.op](p, 0)
    if isinstance(t, Junction):
        parts = [cast(Bool, _term(x, left, right, new)) for x in t.args]
        return b.and_(*parts) if t.op == "and" else b.or_(*parts)
    assert isinstance(t, Literal)
    if isinstance(t.atom, App):
        made = _atom(t.atom, left, right, new).atom
        return t if made is None else intern(Literal, (made, t.negated))
    return t


def _folded(mono: tuple[Atom, ...], left: Atom, right: Atom, new: Atom) -> list[Atom]:
    out = list(mono)
    while left in out and right in out:
        out.remove(left)
        out.remove(right)
        out.append(new)
    return out


def _atom(a: Atom, left: Atom, right: Atom, new: Atom) -> Int:
    if not isinstance(a, App):
        return b.of_atom(a)
    args = tuple(_term(x, left, right, new) for x in a.args)
    return b.of_atom(a) if args == a.args else remake(a, args)
