"""Where random programs take their choices from: a seeded `random.Random`, or Hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Chooser(Protocol):
    def integer(self, lo: int, hi: int) -> int:
        """A number from `lo` to `hi`, both included."""

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""

    def chance(self, percent: int) -> bool:
        """True in about `percent` of a hundred cases."""


class Seeded:
    """Choices of a pseudo-random generator: quick, and the same for the same seed."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def integer(self, lo: int, hi: int) -> int:
        return self._random.randint(lo, hi)

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self._random.random() * len(options))]

    def chance(self, percent: int) -> bool:
        return self._random.random() * 100 < percent


class Drawn:
    """Choices of Hypothesis, which shrinks them; the first option is the simplest."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def integer(self, lo: int, hi: int) -> int:
        return self._draw(st.integers(lo, hi))

    def pick(self, options: Sequence[T]) -> T:
        return options[self._draw(st.integers(0, len(options) - 1))]

    def chance(self, percent: int) -> bool:
        return self._draw(st.integers(0, 99)) >= 100 - percent
