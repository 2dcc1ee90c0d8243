"""What is known of a name from its uses."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Fact:
    """`rank` is the least that the uses need; `exact` the rank that an unpacking fixes."""

    array: bool = False
    rank: int = 0
    exact: int | None = None
    record: bool = False
    index: bool = False
    fields: set[str] = field(default_factory=set)
    stored: bool = False  # a field that the body assigns
    items: int = 0  # of `*args`: how many the body names
    number: bool = False  # compared by order, or given to a function of numbers

    @property
    def ndim(self) -> int | None:
        return self.exact if self.exact is not None else (self.rank or None)


@dataclass
class Facts:
    of: dict[str, Fact] = field(default_factory=dict)
    result: tuple[str, int] | None = None  # the parameter whose part is returned, and the axes it lacks
    points: set[str] = field(default_factory=set)  # names that alone are all subscripts of a parameter

    def get(self, name: str) -> Fact:
        return self.of.get(name) or NOTHING


NOTHING = Fact()
