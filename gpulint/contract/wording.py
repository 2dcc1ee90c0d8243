"""Clauses in the words of the clause language, as they would be declared."""

from __future__ import annotations

from collections.abc import Iterable

from gpulint.contract.clause import Clause
from gpulint.ir import symbols as s
from gpulint.term import Cmp, Int, sub
from gpulint.term.build import const


def texts(clauses: Iterable[Clause]) -> list[str]:
    """Each clause as text that `parse` reads back; block and grid given on all axes become one tuple."""
    given = list(clauses)
    fixed = {id(c): found for c in given if (found := _fixed_axis(c)) is not None}
    out: list[str] = []
    for c in given:
        kind = fixed[id(c)][0] if id(c) in fixed else ""
        sizes = {axis: n for k, axis, n in fixed.values() if k == kind}
        if not kind or len(sizes) < 3:
            out.append(str(c))
            continue
        text = f"{kind} == ({', '.join(str(sizes[axis]) for axis in range(3))})"
        if text not in out:
            out.append(text)
    return out


def _fixed_axis(c: Clause) -> tuple[str, int, int] | None:
    """(block or grid, axis, n) of an inferred `block.x == n`."""
    if c.text or not isinstance(c.condition, Cmp) or c.condition.op != "eq":
        return None
    p: Int = c.condition.poly
    for kind, size in (("block", s.block_size), ("grid", s.grid_size)):
        for axis in range(3):
            if sub(p, const(p.constant)) == size(axis):
                return kind, axis, -p.constant
    return None
