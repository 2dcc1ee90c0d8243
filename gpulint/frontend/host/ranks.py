"""Connects the symbols of an array of unknown rank once its rank is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gpulint.frontend.host.site import HostArray
from gpulint.ir import symbols
from gpulint.term import Bool, Cmp, Int, Sym, const, eq, sym
from gpulint.term import symbols as symbols_of


def extents(name: str, ndim: int) -> tuple[Int, ...]:
    """The shape of an array of this name and rank: `x.size` in one dimension, `x.shape[k]` in more."""
    return tuple(symbols.extent(name, axis, ndim) for axis in range(ndim))


def links(name: str, ndim: int, used: Iterable[Sym]) -> tuple[Bool, ...]:
    """The facts that tie the rank-free symbols among `used` to the shape of that rank.

    Sound for an array that has this rank; a symbol of an axis it does not have stays free.
    """
    shape = extents(name, ndim)
    wanted = {s.name for s in used}
    out = [eq(symbols.size(name, None), symbols.size(name, ndim))]
    for axis in range(-ndim, ndim):
        if f"{name}.shape[{axis}]" in wanted:
            out.append(eq(symbols.extent(name, axis, None), shape[axis]))
    if f"{name}.ndim" in wanted:
        out.append(eq(sym(f"{name}.ndim", lo=0, hi=32), const(ndim)))
    return tuple(f for f in out if symbols_of(f))


def with_rank(array: HostArray, ndim: int, used: Iterable[Sym]) -> tuple[HostArray, tuple[Bool, ...]]:
    """The array with a shape of that rank, and the facts that connect it to the symbols in use.

    An array that has a shape already is returned as it is.
    """
    if array.shape is not None:
        return array, ()
    start = array.start if ndim == 1 else None  # in rows so far
    return replace(array, shape=extents(array.name, ndim), start=start), links(array.name, ndim, used)


def known_ranks(facts: Iterable[Bool]) -> dict[str, int]:
    """The ranks that facts `x.ndim == 2` fix, by array name."""
    out: dict[str, int] = {}
    for fact in facts:
        if not isinstance(fact, Cmp) or fact.op != "eq" or len(fact.poly.terms) > 2:
            continue
        found = symbols_of(fact)
        name = next(iter(found)).name if len(found) == 1 else ""
        lead = [c for m, c in fact.poly.terms if len(m) == 1]
        if name.endswith(".ndim") and len(lead) == 1 and abs(lead[0]) == 1:
            out[name.removesuffix(".ndim")] = -fact.poly.constant * lead[0]
    return out
