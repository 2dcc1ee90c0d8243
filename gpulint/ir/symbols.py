"""The symbols that stand for parts of a kernel and its launch: one naming for every room.

Names read as Python: `threadIdx.x`, `block.x`, `grid.x`, `x.size`, `x.shape[1]`, `n`.
Static bounds here are those that no assumption can lift: hardware limits and signs.
Source of the limits: CUDA programming guide, "Compute Capabilities", technical specifications.
"""

from __future__ import annotations

from gpulint.ir.nodes import Param
from gpulint.term import Int, Scope, mul, sym
from gpulint.term.build import ONE

MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_THREADS = 1024
MAX_TILE = 2**20  # elements of a tile
MAX_ELEMENTS = 2**44  # more bytes than a rack of devices has memory
AXES = "xyz"


def thread(axis: int) -> Int:
    return sym(f"threadIdx.{AXES[axis]}", Scope.POINT, 0, MAX_BLOCK[axis] - 1)


def block(axis: int) -> Int:
    return sym(f"blockIdx.{AXES[axis]}", Scope.BLOCK, 0, MAX_GRID[axis] - 1)


def block_size(axis: int) -> Int:
    return sym(f"block.{AXES[axis]}", Scope.LAUNCH, 1, MAX_BLOCK[axis])


def grid_size(axis: int) -> Int:
    return sym(f"grid.{AXES[axis]}", Scope.LAUNCH, 1, MAX_GRID[axis])


def coordinate(kind: str, axis: int) -> Int:
    """The symbol of an `ir.nodes.Coord` of kind thread, block, block_size or grid_size."""
    return {"thread": thread, "block": block, "block_size": block_size, "grid_size": grid_size}[kind](axis)


def param(name: str) -> Int:
    """An integer scalar parameter; it may be negative."""
    return sym(name, Scope.LAUNCH)


def scalar(p: Param) -> Int:
    """The symbol of a scalar parameter, with what is known of its value."""
    return sym(p.name, Scope.LAUNCH, p.lo)


def lane(axis: int) -> Int:
    """The coordinate of an element of a tile along an axis; the tile's shape is not part of it."""
    return sym(f"lane{axis}", Scope.POINT, 0)


def extent(array: str, axis: int, ndim: int | None) -> Int:
    """Elements along an axis. A 1-D array has the one name `x.size` for shape[0], size and len."""
    name = f"{array}.size" if ndim == 1 else f"{array}.shape[{axis}]"
    return sym(name, Scope.LAUNCH, 0, MAX_ELEMENTS)


def size(array: str, ndim: int | None) -> Int:
    """Elements in all: the product of the extents, or a symbol of its own when no rank is known."""
    if ndim is None:
        return sym(f"{array}.size", Scope.LAUNCH, 0, MAX_ELEMENTS)
    out = ONE
    for axis in range(ndim):
        out = mul(out, extent(array, axis, ndim))
    return out


def is_extent(name: str) -> bool:
    """Whether a symbol's name is that of an extent or a size of an array."""
    return name.endswith(".size") or ".shape[" in name


def stride(array: str, axis: int, unit: str = "byte") -> Int:
    """The stride along an axis in bytes (`x.strides[0]`) or elements (`x.stride(0)`)."""
    name = f"{array}.strides[{axis}]" if unit == "byte" else f"{array}.stride({axis})"
    return sym(name, Scope.LAUNCH)
