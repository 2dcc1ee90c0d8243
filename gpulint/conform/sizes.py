"""Sizes of small launches that meet a contract, at its edges where there are any.

Sizes are drawn at random around each other, then repaired: while a condition fails, one of the numbers in it
is moved to where it holds. Conditions that hold with room to spare are then made tight, one after the other,
as far as the others allow. Nothing is proved here: a draw that cannot be repaired is dropped.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpulint.compile.geometry import geometry
from gpulint.conform.subject import MEMORY, Subject, axes, tile
from gpulint.interp.environment import Environment
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.symbols import AXES
from gpulint.ir.types import FloatType
from gpulint.ir.walk import walk
from gpulint.term import Bool, Cmp, Junction, Sym, Unbound, evaluate, holds
from gpulint.term import symbols as free

BLOCKS = (
    ((32, 1, 1), (64, 1, 1), (7, 1, 1)),
    ((8, 8, 1), (16, 4, 1), (5, 3, 1)),
    ((4, 4, 4), (8, 2, 2), (3, 2, 1)),
)
MOST = 4096  # of a number that is drawn
ELEMENTS = 20_000  # of an array
THREADS = 2048
MOST_TILE = 1024  # elements that a program is taken to take along an axis
REPAIRS, DRAWS = 60, 40
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Sizes:
    """One launch: integer parameters and the shapes of the arrays by name."""

    grid: Triple
    block: Triple
    numbers: Mapping[str, int]
    shapes: Mapping[str, tuple[int, ...]]


def draw(p: Subject, draw_: random.Random) -> Sizes | None:
    """A launch within the contract, or None when none was found."""
    for _ in range(DRAWS):
        made = _Draw(p, draw_).made()
        if made is not None:
            return made
    return None


class _Draw:
    """The numbers of one draw by the names that conditions use."""

    def __init__(self, p: Subject, draw_: random.Random) -> None:
        self.p, self.random = p, draw_
        self.conditions = [c.condition for c in p.clauses if not c.predicate]
        self.fixed = dict(geometry(p.clauses).exact)
        if tile(p):  # a program is one point
            self.fixed.update((f"block.{a}", 1) for a in AXES)
        self.arrays = {
            q.name: axes(s)
            for q, s in zip(p.kernel.params, p.signature, strict=True)
            if isinstance(s, MEMORY)
        }
        self.integers = [
            q.name
            for q, s in zip(p.kernel.params, p.signature, strict=True)
            if not isinstance(s, MEMORY) and not isinstance(s.type, FloatType)
        ]
        self.numbers: dict[str, int] = {}
        self.extents: dict[str, list[str]] = {
            a: [_name(a, k, ndim) for k in range(ndim)] for a, ndim in self.arrays.items()
        }

    def made(self) -> Sizes | None:
        self._start()
        if not self._repaired():
            return None
        self._tightened()
        shapes = {a: tuple(self.numbers[x] for x in names) for a, names in self.extents.items()}
        threads = math.prod(self._triple("block")) * math.prod(self._triple("grid"))
        if threads > THREADS or any(math.prod(s) > ELEMENTS for s in shapes.values()):
            return None
        numbers = {name: self.numbers[name] for name in self.integers}
        return Sizes(self._triple("grid"), self._triple("block"), numbers, shapes)

    def _triple(self, kind: str) -> Triple:
        x, y, z = (self.numbers[f"{kind}.{a}"] for a in AXES)
        return x, y, z

    def _start(self) -> None:
        """Sizes around the number of threads along an axis."""
        rank = max(1, min(3, self.p.accesses.rank))
        block = self.random.choice(BLOCKS[rank - 1])
        for k, a in enumerate(AXES):
            self.numbers[f"block.{a}"] = self.fixed.get(f"block.{a}", block[k])
            blocks = self.random.choice((1, 2, 3)) if k < rank else 1
            self.numbers[f"grid.{a}"] = self.fixed.get(f"grid.{a}", blocks)
        each = [self.random.choice(self._tiles()) for _ in AXES]
        along = [
            self.numbers[f"block.{a}"] * self.numbers[f"grid.{a}"] * size
            for a, size in zip(AXES[:rank], each[:rank], strict=True)
        ]
        common = [self._near(count) for count in along]
        for names in self.extents.values():
            for k, name in enumerate(names):
                near = common[(len(names) - 1 - k) % len(common)]
                self.numbers[name] = near if self.random.random() < 0.7 else self._near(near)
        for name in self.integers:
            self.numbers[name] = self.random.choice((common[0], self._near(common[0]), 0, 1, 2, 5))

    def _tiles(self) -> list[int]:
        """Elements that a program may take along an axis: what the kernel's constants are."""
        found = {e.value for e in walk(self.p.kernel) if isinstance(e, n.Const) and type(e.value) is int}
        return sorted(x for x in found if 1 < x <= MOST_TILE) if tile(self.p) and found else [1]

    def _near(self, of: int) -> int:
        return max(1, self.random.choice((of - 1, of, of, of + 1, of // 2 + 1, 1, 3, 10)))

    # --- conditions

    def environment(self) -> Environment:
        out = dict(self.numbers)
        for a, names in self.extents.items():
            out[f"{a}.size"] = math.prod(self.numbers[x] for x in names)
            step = 1
            for axis in reversed(range(len(names))):
                out[f"{a}.stride({axis})"] = step
                step *= self.numbers[names[axis]]
        return Environment(out)

    def holds(self, c: Bool) -> bool:
        try:
            return holds(c, self.environment())
        except (KeyError, Unbound, ZeroDivisionError):
            return False

    def _repaired(self) -> bool:
        for _ in range(REPAIRS):
            broken = [c for c in self.conditions if not self.holds(c)]
            if not broken:
                return True
            part = self._part(self.random.choice(broken))
            if part is None or not self._moved(part):
                return False
        return False

    def _part(self, c: Bool) -> Cmp | None:
        """A comparison in the condition that fails."""
        while isinstance(c, Junction):
            c = self.random.choice([x for x in c.args if not self.holds(x)] or list(c.args))
        return c if isinstance(c, Cmp) else None

    def _moved(self, part: Cmp) -> bool:
        """Move one of the numbers of a comparison to where it holds, tightly where it is an order."""
        names = [s.name for s in free(part) if self._movable(s)]
        self.random.shuffle(names)
        names.sort(key=lambda n: n.startswith(("block.", "grid.")))
        for name in names:
            old = self.numbers[name]
            for value in self._values(part, name):
                self.numbers[name] = value
                if self.holds(part):
                    return True
            self.numbers[name] = old
        return False

    def _movable(self, s: Sym) -> bool:
        return s.name in self.numbers and s.name not in self.fixed and not s.boolean

    def _values(self, part: Cmp, name: str) -> Iterator[int]:
        """Values of a number at which the comparison is an equality, or just holds."""
        at = self.numbers[name]
        lowest = 1 if name not in self.integers else -MOST
        here, next_ = self._value(part, name, at), self._value(part, name, at + 1)
        if here is None or next_ is None or here == next_:
            return
        exact = at - here // (next_ - here)
        for value in (exact, exact + 1, exact - 1):
            if lowest <= value <= MOST:
                yield value

    def _value(self, part: Cmp, name: str, value: int) -> int | None:
        old = self.numbers[name]
        self.numbers[name] = value
        try:
            return evaluate(part.poly, self.environment())
        except (KeyError, Unbound, ZeroDivisionError):
            return None
        finally:
            self.numbers[name] = old

    def _tightened(self) -> None:
        """Make orders equalities where the other conditions allow it."""
        parts = [p for c in self.conditions for p in _comparisons(c) if p.op == "le"]
        self.random.shuffle(parts)
        for part in parts[: self.random.randint(0, len(parts))]:
            before = dict(self.numbers)
            if not self._moved(part) or not all(map(self.holds, self.conditions)):
                self.numbers = before


def _comparisons(c: Bool) -> Iterator[Cmp]:
    if isinstance(c, Cmp):
        yield c
    elif isinstance(c, Junction) and c.op == "and":
        for x in c.args:
            yield from _comparisons(x)


def _name(array: str, axis: int, ndim: int) -> str:
    atom = symbols.extent(array, axis, ndim).atom
    assert isinstance(atom, Sym)
    return atom.name
