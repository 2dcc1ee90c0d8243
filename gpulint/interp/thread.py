"""Threads and blocks of a run, and the two ways in which a thread stops early."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpulint.interp.launch import Index, Point
from gpulint.ir.span import Span

if TYPE_CHECKING:
    from gpulint.interp.machine import Machine

WARP = 32


class Cut(Exception):
    """The thread cannot go on: what it would do next is not known. (kind, span, detail)"""

    def __init__(self, kind: str, span: Span, detail: str = "", array: str = "") -> None:
        super().__init__(kind)
        self.kind, self.span, self.detail, self.array = kind, span, detail, array


class Halt(Exception):
    """The whole run is over: the step limit was reached."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self.span = span


@dataclass(frozen=True, eq=False)
class Request:
    """A thread waits at a barrier. `value` is its vote or what it brings, `mask` that of a warp barrier."""

    barrier: Any  # the ir.nodes.Barrier
    value: Any
    mask: Any


@dataclass(eq=False)
class BlockState:
    """A block: `interval` counts its barriers; `blurred` once a thread was cut or assumed away."""

    index: tuple[int, int, int]
    interval: int = 0
    blurred: bool = False
    shared: dict[Any, Any] = field(default_factory=dict)
    threads: list[Thread] = field(default_factory=list)


@dataclass(eq=False)
class Thread:
    """One thread. `tick` and `clock` are its vector clock over the warp barriers of its block."""

    machine: Machine
    block: BlockState
    index: tuple[int, int, int]
    number: int  # within the block, x fastest
    tick: int = 0
    clock: dict[int, int] = field(default_factory=dict)
    local: dict[Any, Any] = field(default_factory=dict)
    program: Generator[Request, Any, None] | None = None
    waiting: Request | None = None
    answer: Any = None
    received: Any = None  # from the last collective of its warp
    done: bool = False

    @property
    def point(self) -> Point:
        return (self.block.index, self.index)

    @property
    def warp(self) -> int:
        return self.number // WARP


def charge(thread: Thread, steps: int, span: Span) -> None:
    """Count work; ends the run at the limit."""
    machine = thread.machine
    machine.steps += steps
    if machine.steps > machine.launch.max_steps:
        raise Halt(span)


def linear(index: Index, shape: Index) -> int:
    """The number of a thread in its block (or a block in its grid), x fastest."""
    return index[0] + shape[0] * (index[1] + shape[1] * index[2])
