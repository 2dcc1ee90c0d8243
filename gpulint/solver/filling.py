"""What arrays hold in a witness: the model's choice, where the host's own contents allow it.

A witness must be a launch that the host code can make. Where the host is known to fill an array
(`np.arange(n)`, zeros, a permutation), the contents that a model or a default chooses are replaced by
ones that fit, or the witness is given up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise, product

from gpulint.interp.launch import Filled, Index, Number

Contents = Callable[[Index], "Number | None"]
MAX_LISTED = 4096  # elements that are compared with what is known of them


@dataclass(frozen=True)
class Known:
    """What the host says of the elements, in numbers (`contract.hostarray.Elements`)."""

    low: int | None
    high: int | None
    injective: bool
    sorted: bool

    def allows(self, values: list[Number | None]) -> bool:
        numbers = [v for v in values if v is not None]
        if self.low is not None and any(v < self.low for v in numbers):
            return False
        if self.high is not None and any(v > self.high for v in numbers):
            return False
        if self.injective and len(set(numbers)) < len(numbers):
            return False
        return not self.sorted or all(a <= b for a, b in pairwise(numbers))


@dataclass(frozen=True)
class Counting:
    """Elements that count up in row-major order from the first."""

    first: int
    strides: tuple[int, ...]

    def __call__(self, index: Index) -> Number:
        return self.first + sum(i * step for i, step in zip(index, self.strides, strict=True))


@dataclass(frozen=True)
class Scattered:
    """Elements that rise and fall from one to the next, as data that nobody chose."""

    strides: tuple[int, ...]
    least: int = -4  # so that there are some of either sign

    def __call__(self, index: Index) -> Number:
        return sum(i * step for i, step in zip(index, self.strides, strict=True)) * 7 % 13 + self.least


def filled(value: int | None, shape: Index) -> Contents:
    """One number everywhere; None: scattered numbers."""
    return Filled(value) if value is not None else Scattered(_strides(shape))


def fitting(known: Known, shape: Index, chosen: Contents) -> Contents | None:
    """The chosen contents where they fit, else ones that count up, or one number; None when none do.

    Right in this direction: what comes out meets everything that is known, so a violation that it
    shows is one of the host's own launches as far as anyone can tell. Where the known facts leave one
    possibility only (n different rising integers within n places), that is what comes out.
    """
    first = known.low if known.low is not None else 0
    ways: list[Contents] = [chosen, Counting(first, _strides(shape)), Filled(first)]
    if isinstance(chosen, Scattered):
        ways.insert(1, replace(chosen, least=first))
    for contents in ways:
        if known.allows(_listed(shape, contents)):
            return contents
    return None


def _strides(shape: Index) -> tuple[int, ...]:
    """How far apart neighbours along each axis lie, in row-major order."""
    out = [1]
    for extent in reversed(shape[1:]):
        out.insert(0, out[0] * extent)
    return tuple(out)


def _listed(shape: Index, contents: Contents) -> list[Number | None]:
    """The elements in row-major order; of a large array those at the ends of each axis."""
    most = max(2, int(MAX_LISTED ** (1 / max(1, len(shape)))))
    axes = [range(n) if n <= most else (*range(most // 2), *range(n - most // 2, n)) for n in shape]
    return [contents(index) for index in product(*axes)]
