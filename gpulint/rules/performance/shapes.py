"""The shapes of blocks that advice on speed may count on."""

from __future__ import annotations

from gpulint.ir import symbols as names
from gpulint.rules.base import View
from gpulint.solver.space import WARP
from gpulint.term import symbols

Shape = tuple[int, int, int]
MAX_SHAPES = 4


def blocks(view: View) -> list[Shape]:
    """Those of the launches in view; without any, one row of threads if the kernel knows no other axis."""
    found = (tuple(t.value for t in s.site.block) for s in view.result.sites if s.site.block is not None)
    known = dict.fromkeys(b for b in found if None not in b)
    shapes = [(x or 1, y or 1, z or 1) for x, y, z in ((*b, 1, 1)[:3] for b in known)]
    if shapes or view.result.sites:
        return shapes[:MAX_SHAPES]
    others = symbols(names.thread(1), names.thread(2))
    flat = all(others.isdisjoint(symbols(a.guard, *a.subscripts)) for a in view.accesses.accesses)
    return [(WARP, 1, 1)] if view.accesses.rank <= 1 and flat else []
