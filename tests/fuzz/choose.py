"""Where random programs take their choices from: a seeded `random.Random`, or Hypothesis (`drawn`)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

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
