"""The symbols of a kernel as numbers of a concrete launch, for evaluating conditions on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Point
from gpulint.interp.values import itemsize
from gpulint.ir import symbols
from gpulint.ir.nodes import Kernel, Param
from gpulint.ir.tiles import DIALECTS as TILE_DIALECTS
from gpulint.ir.types import ArrayType
from gpulint.term import Int, Sym
from gpulint.term.node import Atom


class Environment(Mapping[Atom, int]):
    """Numbers by the name of a symbol, whatever static bounds the symbol was made with."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self.numbers = dict(numbers)

    def __getitem__(self, key: Atom) -> int:
        if isinstance(key, Sym) and key.name in self.numbers:
            return self.numbers[key.name]
        raise KeyError(key)

    def __iter__(self) -> Iterator[Atom]:
        raise TypeError("an environment knows names, not symbols")

    def __len__(self) -> int:
        return len(self.numbers)


def environment(kernel: Kernel, launch: ConcreteLaunch, point: Point | None = None) -> Environment:
    """Parameters, extents, strides, block and grid sizes; with a point, its coordinates (or lanes) too.

    Integer and boolean scalars only: a condition over a float has no value here. Arrays are taken
    as C-contiguous, as the interpreter stores them.
    """
    out: dict[str, int] = {}
    for axis in range(3):
        out[_name(symbols.block_size(axis))] = launch.block[axis]
        out[_name(symbols.grid_size(axis))] = launch.grid[axis]
        if point is not None:
            out[_name(symbols.block(axis))] = point[0][axis]
            place = symbols.lane if kernel.dialect in TILE_DIALECTS else symbols.thread
            out[_name(place(axis))] = point[1][axis]
    for name, value in launch.scalars.items():
        if isinstance(value, int):
            out[_name(symbols.param(name))] = int(value)
    for p in kernel.params:
        given = launch.arrays.get(p.name)
        if given is not None:
            out.update(_array(p, given))
    return Environment(out)


def _array(p: Param, given: ConcreteArray) -> dict[str, int]:
    """Extents, size and strides, under the names of a known rank and of none."""
    out: dict[str, int] = {}
    total = 1
    for axis in reversed(range(len(given.shape))):
        out[_name(symbols.stride(p.name, axis, "element"))] = total
        width = itemsize(p.type.element) if isinstance(p.type, ArrayType) else None
        if width is not None:
            out[_name(symbols.stride(p.name, axis))] = total * width
        total *= given.shape[axis]
        for ndim in (len(given.shape), None):
            out[_name(symbols.extent(p.name, axis, ndim))] = given.shape[axis]
    out[_name(symbols.size(p.name, None))] = total
    return out


def _name(term: Int) -> str:
    atom = term.atom
    assert isinstance(atom, Sym)
    return atom.name
