"""Outputs that programs fill part by part, each from an element of a sorted array to the next.

`for t in range(cu[n + 1] - cu[n])` writes the rows `cu[n] + t`. Where the host says that the elements of `cu`
never fall, and what the first and the last of them are, every row from the first up to the last lies in some
part: the greatest n with `cu[n] <= row` has `row < cu[n + 1]`. With that part for n, and the row less its
start for t, the point that writes an element is found like any other (`elements`). That the rows of the
output are between first and last (`needed`) is to be proved before what holds of the part (`facts`) may be
used.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray
from gpulint.solver import space
from gpulint.solver.elements import Element, solve
from gpulint.solver.inverse import completed, definite, hits
from gpulint.solver.setting import Setting
from gpulint.solver.signs import settled
from gpulint.solver.space import Seen
from gpulint.term import App, Bool, Int, Scope, Sym, and_, apps, ge, le, lt, sub, subst, sym, symbols
from gpulint.term.build import of_atom


@dataclass(frozen=True)
class Reached:
    """What must hold of an element to lie in a part, what holds of that part, and what is to be shown."""

    needed: Bool
    facts: Bool
    condition: Bool


@dataclass(frozen=True)
class _Start:
    """A loaded element at which a part starts: how it is loaded, and those of the part in question."""

    load: App
    coordinate: Sym
    digit: Sym
    part: Int  # the number of the part that is meant
    here: Int  # the element that it starts with
    ends: Int  # the element after that


def reached(s: Setting, a: Access, element: Element) -> Reached | None:
    """What suffices for one write to reach the element in its part; None when the write has no parts."""
    wanted = definite(a)
    if wanted is None or len(a.subscripts) != 1 or s.binding is None:
        return None
    seen = settled(space.see(a, domain=wanted).mapped(s.term, s.term), s.prover)
    start = _start(seen)
    known = s.binding.elements.get(start.load.data) if start is not None else None
    if start is None or known is None or not known.sorted or known.first is None or known.last is None:
        return None
    place = _point(seen, element, start)
    if place is None or not _plain(s, start.load.data):
        return None
    point, row = place
    at = hits(seen, point, (element.place,), lambda t: subst(s.term(t), point))
    last = sub(s.term(s.accesses.arrays[start.load.data].extents[0]), 1)
    inside = and_(ge(start.part, 0), lt(start.part, last), le(start.here, row), lt(row, start.ends))
    needed = and_(le(known.first, row), lt(row, known.last))
    return Reached(needed, inside, and_(subst(seen.domain, point), at))


def _point(seen: Seen, element: Element, start: _Start) -> tuple[dict[Sym, Int], Int] | None:
    """The point that writes the element, and where along the axis of the parts the element is."""
    offset = subst(seen.subscripts[0], {start.load: of_atom(start.digit)})
    found = solve(offset, element, frozenset(), {start.digit: start.here})
    if found is None or start.digit not in found or start.coordinate in found:
        return None
    row = found.pop(start.digit)
    inner = start.load.args[0]
    assert isinstance(inner, Int)
    found[start.coordinate] = sub(start.part, sub(inner, of_atom(start.coordinate)))
    whole = completed(seen, found, {})
    return None if whole is None else (whole, row)


def _start(seen: Seen) -> _Start | None:
    """The one element that the offset is made of, loaded at a coordinate plus what is fixed."""
    loads = apps(*seen.subscripts, op="load")
    if len(loads) != 1 or len(loads[0].args) != 1 or not isinstance(loads[0].args[0], Int):
        return None
    inner = loads[0].args[0]
    moving = [x for x in symbols(inner) if x.scope is not Scope.LAUNCH]
    if len(moving) != 1 or moving[0] in symbols(sub(inner, of_atom(moving[0]))):
        return None
    part = sym("part", Scope.POINT, 0)
    at = {moving[0]: sub(part, sub(inner, of_atom(moving[0])))}
    following = {moving[0]: at[moving[0]] + 1}
    digit = next(iter(symbols(sym(f"start of {loads[0].data}", Scope.POINT))))
    whole = of_atom(loads[0])
    return _Start(loads[0], moving[0], digit, part, subst(whole, at), subst(whole, following))


def _plain(s: Setting, array: str) -> bool:
    """Whether the kernel sees the array's elements one after the other, and leaves them as they are."""
    arg = s.site.arguments.get(array) if s.site is not None else None
    written = s.accesses.arrays[array].written if array in s.accesses.arrays else True
    return isinstance(arg, HostArray) and arg.contiguous is True and not written
