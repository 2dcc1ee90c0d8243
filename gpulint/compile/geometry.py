"""What the contract fixes of a launch: block and grid sizes, and the directives that say so to the driver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gpulint.contract.clause import Clause
from gpulint.ir import symbols
from gpulint.ir.symbols import MAX_BLOCK
from gpulint.term import Cmp, Sym, conjuncts


@dataclass(frozen=True)
class Geometry:
    """Known sizes by symbol name (`block.x`): `exact` ones, and upper bounds of others in `most`."""

    exact: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)

    def size(self, kind: str, axis: int) -> int | None:
        """The block or grid size along an axis, where the contract fixes it."""
        return self.exact.get(f"{kind}.{symbols.AXES[axis]}")

    @property
    def block(self) -> tuple[int, int, int] | None:
        """The exact block."""
        x, y, z = (self.size("block", axis) for axis in range(3))
        return None if x is None or y is None or z is None else (x, y, z)

    @property
    def largest_block(self) -> tuple[int, int, int] | None:
        """The largest block, where the contract bounds some axis below what devices take."""
        out = []
        for axis, limit in enumerate(MAX_BLOCK):
            name = f"block.{symbols.AXES[axis]}"
            out.append(self.exact.get(name, min(self.most.get(name, limit), limit)))
        x, y, z = out
        return (x, y, z) if x * y * z <= 1024 and (x, y, z) != MAX_BLOCK else None


def geometry(clauses: Iterable[Clause]) -> Geometry:
    """What clauses say of single launch sizes: `block.x == 256`, `block.x <= 256`, `min_cc(80)`."""
    exact: dict[str, int] = {}
    most: dict[str, int] = {}
    limits: dict[str, int] = {}
    for c in clauses:
        if c.predicate and c.bounds and c.bounds[0].value is not None and not c.arrays:
            limits[c.predicate] = c.bounds[0].value
        for part in conjuncts(c.condition):
            found = _single(part) if isinstance(part, Cmp) else None
            if found is not None:
                name, op, value = found
                (exact if op == "eq" else most)[name] = value
    return Geometry(exact, most, limits)


def _single(part: Cmp) -> tuple[str, str, int] | None:
    """(symbol, eq or le, number) of a comparison of one launch size with a number."""
    terms = [(m, k) for m, k in part.poly.terms if m]
    if len(terms) != 1 or len(terms[0][0]) != 1 or part.op == "ne":
        return None
    (atom,), factor = terms[0]
    if not isinstance(atom, Sym) or not atom.name.startswith(("block.", "grid.")):
        return None
    constant = part.poly.constant
    if part.op == "eq" and constant % factor == 0:
        return atom.name, "eq", -constant // factor
    if part.op == "le" and factor > 0:
        return atom.name, "le", -constant // factor
    return None
