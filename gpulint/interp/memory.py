"""Arrays, their storage, and the views that kernels take of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpulint.interp.launch import Index, Number
from gpulint.interp.races import Cell
from gpulint.interp.values import POISON, itemsize, stored

Initial = Callable[[Index], "Number | None"]


@dataclass(eq=False)
class Buffer:
    """Flat storage: only elements that were written have a value here.

    `private`: of one thread, so that no access can race. `writable`: the kernel has a statement
    that may write it. `lost`: a statement that is not understood may have changed it.
    """

    private: bool = False
    writable: bool = False
    lost: bool = False
    values: dict[Any, Any] = field(default_factory=dict)
    cells: dict[int, Cell] = field(default_factory=dict)


@dataclass(eq=False)
class Array:
    """A base array over a buffer, row-major from its `first` element on.

    `initial` None: nothing has a value at first.
    """

    name: str
    shape: Index
    element: Any
    buffer: Buffer
    initial: Initial | None
    written: dict[int, Any] = field(default_factory=dict)
    read: set[int] = field(default_factory=set)
    first: int = 0

    def start(self, index: Index) -> Any:
        """The value of an element before the launch; None when it has none."""
        value = None if self.initial is None else self.initial(index)
        return value if value is None or type(value) is int else stored(value, self.element)

    def flat(self, index: Index) -> int:
        out = 0
        for i, n in zip(index, self.shape, strict=True):
            out = out * n + i
        return out + self.first

    def unflat(self, flat: int) -> Index:
        out: list[int] = []
        flat -= self.first
        for n in reversed(self.shape):
            out.append(flat % n)
            flat //= n
        return tuple(reversed(out))


@dataclass(frozen=True, eq=False)
class Region:
    """What an array name stands for: a base array, or a view of one.

    Element `i` along view axis `k` lies at `origin[a] + step * i` of base axis `a`, with
    (a, step) = `axes[k]`. `flat`: the base's elements are counted in row-major order, as its only axis.
    `broken` holds the subscripts and extents of an index that was out of range when the view was made:
    every access through it is then out of range.
    """

    array: Array
    extents: Index
    origin: Index
    axes: tuple[tuple[int, int], ...]
    whole: bool = True
    broken: tuple[Index, Index] | None = None
    flat: bool = False

    def base_index(self, index: list[int]) -> Index:
        if self.whole:
            return tuple(index)
        out = list(self.origin)
        for i, (axis, step) in zip(index, self.axes, strict=True):
            out[axis] += step * i
        return self.array.unflat(out[0]) if self.flat else tuple(out)

    @property
    def in_order(self) -> bool:
        """Whether the elements are the base's first ones in row-major order."""
        return self.whole or (self.flat and (self.origin, self.axes) == ((0,), _rows(self.extents)))

    def size(self) -> int:
        out = 1
        for n in self.extents:
            out *= n
        return out

    def stride(self, axis: int, unit: str) -> Any:
        """The stride of a view axis in elements or bytes; POISON when the element has no size."""
        if not 0 <= axis < len(self.axes):
            return POISON
        base, step = self.axes[axis]
        for n in () if self.flat else self.array.shape[base + 1 :]:
            step *= n
        width = itemsize(self.array.element) if unit == "byte" else 1
        return POISON if width is None else step * width


def whole(array: Array) -> Region:
    """The region of a base array itself."""
    axes = tuple((a, 1) for a in range(len(array.shape)))
    return Region(array, array.shape, (0,) * len(array.shape), axes)


def transposed(r: Region) -> Region:
    return Region(r.array, r.extents[::-1], r.origin, r.axes[::-1], False, r.broken, r.flat)


def reshaped(r: Region, shape: Index) -> Region:
    """The elements of a region that is in order, under another shape of as many elements."""
    return Region(r.array, shape, (0,), _rows(shape), False, r.broken, True)


def _rows(shape: Index) -> tuple[tuple[int, int], ...]:
    axes: list[tuple[int, int]] = []
    step = 1
    for n in reversed(shape):
        axes.append((0, step))
        step *= n
    return tuple(reversed(axes))


def slice_bounds(part: slice, n: int) -> tuple[int, int, int]:
    """(first element, step, number of elements) of a clipped slice; ValueError for step zero."""
    start, stop, step = part.indices(n)
    count = (stop - start + step - (1 if step > 0 else -1)) // step
    return start, step, max(0, count)
