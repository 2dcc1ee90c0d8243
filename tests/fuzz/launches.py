"""Small concrete launches of a random program, and running it on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fuzz.choose import Chooser, Seeded
from fuzz.expressions import ArrayParam
from fuzz.generate import Program

from gpulint import interp
from gpulint.interp.environment import environment
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Index, Number, Outcome
from gpulint.ir.nodes import Kernel

__all__ = ["Contents", "brute", "environment", "launches"]

MAX_STEPS = 20_000
MAX_REPORTS = 40


@dataclass(frozen=True)
class Contents:
    """What an array holds at first: `values` by row-major position, repeated when too few."""

    shape: Index
    values: tuple[Number | None, ...]  # None: not initialised

    def __call__(self, index: Index) -> Number | None:
        flat = 0
        for i, extent in zip(index, self.shape, strict=True):
            flat = flat * extent + i
        return self.values[flat % len(self.values)]


def launches(program: Program, count: int, seed: int | str = 0, empty: bool = True) -> list[ConcreteLaunch]:
    """`count` launches: about half of them with sizes that belong together, the others arbitrary.

    Grids of 1 to 3 blocks, blocks of 1 to 4 threads along each axis, extents 0 (unless not `empty`)
    to 7, scalars -1 to 8. Programs for larger blocks: those, in grids of 1 or 2, and extents about them.
    """
    ch = Seeded(f"{program.seed}/{seed}")
    return [_launch(program, ch, empty) for _ in range(count)]


def _large(program: Program, ch: Chooser) -> ConcreteLaunch:
    """A launch of a program that is for larger blocks of one axis."""
    block, grid = ch.pick(program.blocks), ch.pick((1, 1, 2))
    extents = (grid * block, grid * block, grid * block, grid * block - 1, block, 64, 7)
    arrays = {a.name: _array(a, tuple(ch.pick(extents) for _ in range(a.ndim)), ch) for a in program.arrays}
    scalars: dict[str, Number | None] = {
        name: ch.pick((grid * block, block, 0, 1, 2, 3, 5, 16, 40)) for name in program.scalars
    }
    sizes = ((grid, 1, 1), (block, 1, 1))
    return ConcreteLaunch(*sizes, arrays, scalars, max_steps=5 * MAX_STEPS, max_reports=MAX_REPORTS)


def _launch(program: Program, ch: Chooser, empty: bool) -> ConcreteLaunch:
    if program.blocks:
        return _large(program, ch)
    grid, block = _sizes(ch, program.rank, 3), _sizes(ch, program.rank, 4)
    matched = ch.chance(50)
    common = tuple(ch.integer(0 if empty else 1, 7) for _ in range(2))
    if matched and ch.chance(50):
        common = tuple(min(7, max(1, g * b - ch.integer(0, 1))) for g, b in zip(grid, block, strict=True))[:2]
    arrays = {}
    for a in program.arrays:
        own = tuple(ch.integer(0 if empty else 1, 7) for _ in range(a.ndim))
        arrays[a.name] = _array(a, common[: a.ndim] if matched else own, ch)
    scalars: dict[str, Number | None] = {}
    for axis, name in enumerate(program.scalars):
        scalars[name] = common[axis] if matched and ch.chance(80) else ch.integer(-1, 8)
    return ConcreteLaunch(grid, block, arrays, scalars, max_steps=MAX_STEPS, max_reports=MAX_REPORTS)


def _sizes(ch: Chooser, rank: int, top: int) -> tuple[int, int, int]:
    """Sizes along the axes of the launch; now and then along one more than the kernel looks at."""
    axes = min(3, rank + (1 if ch.chance(10) else 0))
    x, y, z = (ch.integer(1, top if rank == 1 else 3) if axis < axes else 1 for axis in range(3))
    return (x, y, z)


def _array(a: ArrayParam, shape: Index, ch: Chooser) -> ConcreteArray:
    if a.role != "index":
        return ConcreteArray(shape, Contents(shape, tuple(range(1, 8))), dtype=a.dtype)
    numbers = list(range(7))
    kind = ch.integer(0, 3)
    if kind == 0:
        values: Sequence[int] = numbers
    elif kind == 1:
        values = sorted(numbers, key=lambda _: ch.integer(0, 1000))
    elif kind == 2:
        values = [ch.integer(0, 3) for _ in numbers]
    else:
        values = [ch.integer(-1, 8) for _ in numbers]
    return ConcreteArray(shape, Contents(shape, tuple(values)), dtype=a.dtype)


def brute(kernel: Kernel, given: Iterable[ConcreteLaunch]) -> list[tuple[ConcreteLaunch, Outcome]]:
    """Run the kernel on every launch."""
    return [(launch, interp.run(kernel, launch)) for launch in given]
