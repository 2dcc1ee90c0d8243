"""Random programs whose choices Hypothesis makes, so that it shrinks what fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from fuzz.generate import Program, program
from hypothesis import strategies as st

T = TypeVar("T")


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


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """The programs of `generate.seeded`."""
    return program(Drawn(draw))
