"""Swizzled subscripts solved: `(x + y) % w` and `x ^ y`, where every coordinate but one is known.

Rows of a tile in shared memory are turned or mirrored by their number, so that its columns too lie in
different banks. With y known, `x = (e - y) % w` and `x = e ^ y` are the points that reach element e, if any
does; that they do (that e and x lie in [0, w)) is for the caller to prove, as with every inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as Set

from gpulint.dataflow.arith import binary
from gpulint.ir.types import INT64
from gpulint.term import App, Int, Scope, Sym, add, mod, sub, subst, sym, symbols


def turned(s: Int, e: Int, known: Mapping[Sym, Int], held: Set[Sym]) -> tuple[Sym, Int] | None:
    """The one coordinate of the subscript that is not known, and its value at the element; else None.

    The values of the `known` are over the symbols of whoever asks, which may have the coordinate's own name.
    """
    loose = {x for x in symbols(s) if x.scope is not Scope.LAUNCH} - set(known) - held
    if len(loose) != 1:
        return None
    (x,) = loose
    unknown = sym(f"{x.name} sought", x.scope, x.lo, x.hi)
    top = subst(subst(s, {x: unknown}), dict(known)).atom
    if not isinstance(top, App):
        return None
    value = _of_sum(top, unknown, e) if top.op == "mod" else _of_bits(top, unknown, e)
    return None if value is None else (x, value)


def _of_sum(top: App, unknown: Int, e: Int) -> Int | None:
    """From `(x + rest) % w == e` or `(rest - x) % w == e`."""
    inside, w = top.args
    if (w.value or 0) < 1:
        return None
    for rest, value in ((sub(inside, unknown), 1), (add(inside, unknown), -1)):
        if unknown.atom not in symbols(rest):
            return mod(sub(e, rest) if value == 1 else sub(rest, e), w)
    return None


def _of_bits(top: App, unknown: Int, e: Int) -> Int | None:
    """From `x ^ rest == e`."""
    if top.op != "fn" or top.data != "xor" or unknown not in top.args:
        return None
    rest = top.args[1] if top.args[0] == unknown else top.args[0]
    return None if unknown.atom in symbols(rest) else binary("xor", e, rest, INT64)
