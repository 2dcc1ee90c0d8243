"""Writes on several branches that fill an array together, whatever decides between them."""

from __future__ import annotations

from collections.abc import Mapping

from gpulint.dataflow.access import Access
from gpulint.solver import space
from gpulint.solver.inverse import definite, hits, inverse
from gpulint.solver.setting import Setting
from gpulint.solver.signs import settled, unwrapped
from gpulint.solver.space import Seen
from gpulint.term import Atom, Bool, Int, Scope, Sym, and_, bool_sym, lt, subst, sym, symbols


def together(s: Setting, writes: list[Access], counters: tuple[Sym, ...]) -> list[tuple[Bool, list[Bool]]]:
    """A way that holds whatever the thread computed: writes on several branches fill an element together.

    Unknown values in guards stay as they are, so that what is shown holds for all of them. Writes that happen
    at one point see the same values there; at another point they have names of their own.
    """
    seen = [x for x in (surely(s, a) for a in writes) if x is not None] if not counters else []
    if len(seen) < 2 or len(seen) != len(writes):
        return []
    flat, inside = element_of(s, writes)
    first: Mapping[Sym, Int] | None = None
    reached: list[Bool] = []
    for k, x in enumerate(seen):
        unknown = {v for v in symbols(x.domain) - symbols(*x.subscripts) if _unknown(v)}
        point = inverse(x, flat, frozenset(unknown))
        if point is None:
            continue
        first = point if first is None else first
        found = and_(subst(x.domain, point), hits(x, point, flat, s.term))
        own: dict[Atom, Int | Bool] = {v: _own(v, k) for v in unknown} if point != first else {}
        reached.append(subst(found, own))
    return [(inside, reached)] if len(reached) > 1 else []


def _unknown(v: Sym) -> bool:
    return v.scope is Scope.POINT and not coordinate(v)


def _own(v: Sym, k: int) -> Int | Bool:
    name = f"{v.name} ({k})"
    return bool_sym(name, Scope.POINT) if v.boolean else sym(name, Scope.POINT, v.lo, v.hi)


def element_of(s: Setting, writes: list[Access]) -> tuple[tuple[Int, ...], Bool]:
    """Any element of the array by its index on each axis, and where it is one."""
    extents = tuple(map(s.term, writes[0].array.extents))
    flat = tuple(sym(f"element{k}", Scope.POINT, 0) for k in range(len(extents)))
    return flat, and_(*(lt(e, x) for e, x in zip(flat, extents, strict=True)))


def surely(s: Setting, a: Access) -> Seen | None:
    """The write over a domain in which it happens for certain, in terms of the host."""
    wanted = definite(a)
    if wanted is None:
        return None
    seen = space.see(a, domain=wanted).mapped(s.term, s.term)
    return unwrapped(settled(seen, s.prover), s.prover)


def coordinate(x: Sym) -> bool:
    """Whether the symbol is a coordinate of a point: of a thread, a block or a lane."""
    return x.name.startswith(("gid.", "threadIdx.", "blockIdx.", "lane"))
