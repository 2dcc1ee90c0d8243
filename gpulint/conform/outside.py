"""Launches just outside of what a kernel's contract, its code or the device takes, each with its refusal.

A launch is told as plain data: `refusal.py` gives it memory and makes it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gpulint.compile.signature import ArraySpec
from gpulint.compile.tile.signature import PointerSpec
from gpulint.conform.case import Case
from gpulint.conform.contents import Number
from gpulint.runtime.errors import LaunchRefused
from gpulint.runtime.plan import Argument, Plan

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Given:
    """How an array is passed: what its interface says, and where it lies.

    Strides and `moved` are in bytes; `moved` counts from the start of the array's memory, or from that of
    the array whose memory it lies `within`. Memory that `values` do not fill is zero; they are
    those of a launch within the contract, whatever the shape.
    """

    shape: tuple[int, ...]
    values: tuple[Number, ...] = ()
    strides: tuple[int, ...] | None = None
    typestr: str = ""  # '': that of the parameter
    moved: int = 0
    within: str = ""
    read_only: bool = False
    null: bool = False

    @property
    def count(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Launch:
    """One launch. `arguments` are `Given` or what is passed as it is; `arch`: a device with its limits."""

    grid: Any
    block: Any
    shared: int
    arguments: Mapping[str, Any]
    stream: int = 0
    arch: str = ""
    more: int = 0  # arguments beyond the last, or, where negative, left out

    def passing(self, name: str, argument: Any) -> Launch:
        """The same with another argument."""
        return replace(self, arguments={**self.arguments, name: argument})


@dataclass(frozen=True)
class Outside:
    """A launch, what it breaks, the errors that may refuse it, and what the error's text must hold.

    `alone`: it breaks no other clause. A launch that no error is `wanted` for must be taken.
    """

    breaks: str
    how: str
    launch: Launch
    wanted: tuple[type[LaunchRefused], ...]
    says: tuple[str, ...] = field(default=())
    alone: bool = True

    def __str__(self) -> str:
        return f"{self.breaks}: {self.how}"


def inside(plan: Plan, case: Case) -> Launch:
    """The launch of a case within the contract."""
    arguments: dict[str, Any] = {}
    for a in plan.arguments:
        if a.memory:
            arguments[a.name] = Given(case.shapes[a.name], tuple(case.given[a.name]))
        else:
            arguments[a.name] = case.numbers[a.name]
    return Launch(case.grid, None if plan.tile else case.block, case.shared, arguments)


def itemsize(a: Argument) -> int:
    """Bytes of an element of an array parameter."""
    assert isinstance(a.spec, (ArraySpec, PointerSpec))
    return a.spec.size
