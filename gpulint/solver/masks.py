"""Masks of warp operations: which lanes come with which mask, and which of them a barrier orders.

A mask that hangs on the lane alone (`0xFFFF if lane < 16 else 0xFFFF0000`, `0xFF << (lane & ~7)`) is a table:
each lane comes with one mask. Where all participants come, lanes that come with one mask and are named by it
meet, and what they did before comes before what they do after. A mask that is no constant is a table only
where lanes go along x.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from gpulint.dataflow.access import Sync
from gpulint.dataflow.shuffles import of_lane
from gpulint.ir.collectives import WARP
from gpulint.solver.powers import bits_folded
from gpulint.term import FALSE, TRUE, Bool, Int, and_, ge, lt, mod, or_, subst

FULL = (1 << WARP) - 1
MAX_SETS = 6
Table = tuple[int, ...]  # of each lane, the mask that it comes with
Lanes = int  # one bit a lane


def table(mask: Int | None) -> Table | None:
    """The mask that each lane comes with; None where more than the lane decides. No mask names the warp."""
    if mask is None:
        return (FULL,) * WARP
    if mask.value is not None:
        return (mask.value & FULL,) * WARP
    found = [bits_folded(subst(mask, of_lane(lane))).value for lane in range(WARP)]
    return None if None in found else tuple(m & FULL for m in found if m is not None)


def constant(t: Table) -> bool:
    """Whether all lanes come with one mask."""
    return len(set(t)) == 1


def whole(t: Table | None) -> bool:
    """Whether every lane names all lanes."""
    return t is not None and set(t) == {FULL}


def users(t: Table, mask: int) -> Lanes:
    """The lanes that come with a mask."""
    return sum(1 << lane for lane, m in enumerate(t) if m == mask)


def fitting(t: Table) -> Lanes:
    """The lanes whose mask names them, and only lanes that come with the same."""
    return sum(1 << lane for lane, m in enumerate(t) if m >> lane & 1 and not m & ~users(t, m))


def groups(t: Table) -> tuple[Lanes, ...]:
    """The lanes that a barrier with these masks orders among each other."""
    return tuple(dict.fromkeys(m & users(t, m) for m in t))


def together(t: Table, a: int, b: int) -> bool:
    return any(g >> a & 1 and g >> b & 1 for g in groups(t))


def sets(tables: Iterable[Table]) -> tuple[frozenset[Table], ...]:
    """The sets of tables that each order some two lanes, largest first."""
    every = tuple(dict.fromkeys(tables))
    pairs = combinations(range(WARP), 2)
    found = dict.fromkeys(frozenset(t for t in every if together(t, a, b)) for a, b in pairs)
    return tuple(sorted((x for x in found if x), key=len, reverse=True))[:MAX_SETS]


def among(lane: Int, lanes: Lanes) -> Bool:
    """Whether a lane is one of these: by the runs of the shortest pattern that repeats over the warp."""
    if lanes in (0, FULL):
        return TRUE if lanes else FALSE
    size = WARP
    while size > 1 and lanes & ((1 << size // 2) - 1) == lanes >> size // 2 & ((1 << size // 2) - 1):
        size //= 2
    place = mod(lane, size)
    bits = [bool(lanes >> k & 1) for k in range(size)]
    starts = [k for k, bit in enumerate(bits) if bit and (k == 0 or not bits[k - 1])]
    ends = [k + 1 for k, bit in enumerate(bits) if bit and (k + 1 == size or not bits[k + 1])]
    return or_(*(and_(ge(place, a), lt(place, b)) for a, b in zip(starts, ends, strict=True)))


def names(t: Table, lane: Int, other: Int) -> Bool:
    """Whether the mask that one lane comes with names another."""
    return or_(*(and_(among(lane, users(t, m)), among(other, m)) for m in dict.fromkeys(t)))


def meet(t: Table, lane: Int, other: Int) -> Bool:
    """Whether a barrier with these masks orders two lanes."""
    return or_(*(and_(among(lane, g), among(other, g)) for g in groups(t)))


def ordering(syncs: Iterable[Sync]) -> dict[int, Table]:
    """The warp barriers of parts of a warp, by the id of their statement."""
    out = {}
    for y in syncs:
        t = table(y.mask) if y.kind == "warp" and not y.collective and y.mask is not None else None
        if t is not None and y.stmt is not None and not whole(t):
            out[id(y.stmt)] = t
    return out
