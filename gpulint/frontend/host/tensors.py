"""Tensors as arguments, and what the host knows of their elements."""

from __future__ import annotations

from dataclasses import replace

from gpulint.frontend.host.dtypes import ITEM_SIZES
from gpulint.frontend.host.elements import changed
from gpulint.frontend.host.layout import settled, span, strides_of
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.rounds import rounds
from gpulint.frontend.host.site import HostArray
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Arr, Unknown
from gpulint.term import Bool, Cmp, Int, Sym, bool_sym, eq, sym
from gpulint.term import symbols as symbols_of
from gpulint.term.build import of_atom


def values_of(a: Arr) -> str:
    """What bounds of the elements are named after."""
    return a.values or a.name


def bound(m: Machine, s: State, a: Arr, which: str, text: str) -> Unknown:
    """`x.min()` or `x.max()`: the same unknown each time, as long as nothing changes the elements."""
    if changed(s, a):
        return m.unknown(text, "")
    return Unknown(f"{values_of(a)}.{which}()", True)


def bound_symbol(a: Arr, which: str) -> Int:
    return sym(f"{values_of(a)}.{which}()")


def sorted_literal(a: Arr) -> Bool:
    """The condition that the elements never fall."""
    return bool_sym(f"{values_of(a)} is sorted")


def distinct(a: Arr) -> Int:
    """`x.unique().numel()`."""
    return sym(f"{values_of(a)}.unique().numel()", lo=0)


def tensor(m: Machine, s: State, a: Arr, text: str) -> HostArray:
    """A tensor argument with its layout and what is known of its elements."""
    a = settled(s.facts, a)
    name = text if a.shape is not None else a.shape_of or a.name
    made = HostArray(
        name, a.shape, a.buffer, a.fresh, a.whole, s.touched.get(a.buffer, a.initialised), a.contiguous,
        a.dtype or _told(m, s, a), none=a.none, strides=strides_of(s.facts, a), span=span(s.facts, a),
        sharing=a.sharing, start=a.start, rounds=rounds(m.loops, s, m.namer.order, a.buffer),
    )  # fmt: skip
    if changed(s, a):
        return made
    made = replace(made, sentinel=m.sentinels.get(values_of(a)))
    low, high = bounds(s, a)
    made = replace(
        made, low=low, high=high,
        injective=True if _all_distinct(s, a) else a.injective,
        sorted=True if sorted_literal(a) in s.facts else a.sorted,
    )  # fmt: skip
    return _between_ends(s, a, made) if made.sorted else made


def _between_ends(s: State, a: Arr, made: HostArray) -> HostArray:
    """A sorted vector with the first and the last element that the path speaks of: they bound the others."""
    used = symbols_of(*s.facts, *((made.span,) if made.span is not None else ()))
    name = values_of(a)
    ends = (sym(f"{name}[{k}]") for k in (0, -1))
    first, last = (t if t.atom in used else None for t in ends)
    return replace(
        made, first=first, last=last, low=made.low if made.low is not None else first,
        high=made.high if made.high is not None else last,
    )  # fmt: skip


def _told(m: Machine, s: State, a: Arr) -> str:
    """The element type that a condition on the path states (`assert x.dtype == torch.int32`)."""
    name = f"{a.shape_of or a.name}.dtype"
    return next((t for t in ITEM_SIZES if m.literal(f"{name} == {t}") in s.facts), "")


def bounds(s: State, a: Arr) -> tuple[Int | None, Int | None]:
    """The least and the greatest element where the path says something of them, else what is known."""
    if changed(s, a):
        return None, None
    used = symbols_of(*s.facts)
    out = []
    for which in ("min", "max"):
        symbol = bound_symbol(a, which)
        atom = symbol.atom
        out.append(symbol if isinstance(atom, Sym) and atom in used else None)
    low, high = out
    return low if low is not None else a.low, high if high is not None else a.high


def _all_distinct(s: State, a: Arr) -> bool:
    """Whether the path says that there are as many different elements as elements."""
    count = distinct(a)
    sizes = [a.size] if a.shape is not None else [a.size, a.extent(0)]
    if any(eq(count, n) in s.facts for n in sizes):
        return True
    atom = count.atom
    return any(atom in symbols_of(f) for f in s.facts) and any(
        eq(count, other) in s.facts and eq(n, other) in s.facts for n in sizes for other in _others(s, atom)
    )


def _others(s: State, atom: object) -> list[Int]:
    """What facts equate with a symbol, when it is another symbol or a number."""
    assert isinstance(atom, Sym)
    out = []
    for f in s.facts:
        if isinstance(f, Cmp) and f.op == "eq" and atom in symbols_of(f):
            lead = next((c for mono, c in f.poly.terms if mono == (atom,)), 0)
            if abs(lead) == 1:
                out.append(of_atom(atom) - f.poly * lead)
    return out
