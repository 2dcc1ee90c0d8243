"""Clauses: host-checkable conditions over parameters, shapes, strides, block and grid."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpulint.ir.span import NOWHERE, Span
from gpulint.term import TRUE, Bool, Cmp, Int, Sym, show, symbols

INFERRED = "inferred"
EVERY, APART = "every", "apart"
QUANTIFIED = (EVERY, APART)  # asked of elements of index arrays together, for all coordinates
LAUNCH = "launch"  # over the names of one launch's host code: no part of the kernel's contract


@dataclass(frozen=True)
class Clause:
    """A condition or a predicate.

    A condition is a `Bool` over launch symbols (`ir.symbols` names). A predicate has a `predicate`
    name and arguments: noalias(a, b), injective(idx), sorted(idx), within(idx, lo, hi), above(idx, lo),
    contiguous(a), aligned(a, bytes); `arrays` are its array arguments, `bounds` its integer ones.
    Limits are `min_cc`, `max_shared`, `min_blocks`, `cluster`, `cooperative` with one integer in `bounds`.
    `every` asks `each` of the elements of its arrays, under `when`, for all values of the coordinates `over`:
    (symbol, how many values from zero), a later one's number in terms of those before. `apart` asks that the
    boxes of no two values of `over` overlap; `bounds` are its ends along each axis, from and below which.
    """

    condition: Bool = TRUE
    predicate: str = ""
    arrays: tuple[str, ...] = ()
    bounds: tuple[Int, ...] = ()
    text: str = ""
    span: Span = field(default=NOWHERE, compare=False)
    origin: str = INFERRED  # or `declared`, or LAUNCH
    each: Bool = TRUE
    when: Bool = TRUE
    over: tuple[tuple[Int, Int], ...] = ()

    def __str__(self) -> str:
        if self.text:
            return self.text
        if self.predicate in QUANTIFIED:
            loops = " ".join(f"for {show(x)} in range({show(n)})" for x, n in self.over)
            what = f"all({show(self.each)}" if self.predicate == EVERY else f"apart({self._box()}"
            return f"{what} {loops}{f' if {show(self.when)}' if self.when != TRUE else ''})"
        if self.predicate:
            return f"{self.predicate}({', '.join([*self.arrays, *map(show, self.bounds)])})"
        return show(self.condition)

    def _box(self) -> str:
        """The intervals of `apart` as Python: a range, or the one number in it."""
        ends = zip(self.bounds[::2], self.bounds[1::2], strict=True)
        return f"({', '.join(show(a) if b == a + 1 else f'range({show(a)}, {show(b)})' for a, b in ends)},)"

    @property
    def geometry(self) -> bool:
        """Whether the clause ties the exact size of the launch (block or grid) to something.

        A clause over one grid axis alone (`grid.x <= x.shape[0]`: one block an element) is not
        counted: launches give exactly that many blocks. `grid.x == 1` and products are.
        """
        c = self.condition
        names = {s.name for s in symbols(c)}
        launch = {n for n in names if n.startswith(("grid.", "block."))}
        if isinstance(c, Cmp) and c.op == "le" and len(launch) == 1 and len(names) > 1:
            (name,) = launch
            alone = [(m, k) for m, k in c.poly.terms if name in {a.name for a in m if isinstance(a, Sym)}]
            plain = len(alone) == 1 and len(alone[0][0]) == 1 and alone[0][1] == 1
            return not (name.startswith("grid.") and plain)
        return bool(launch)
