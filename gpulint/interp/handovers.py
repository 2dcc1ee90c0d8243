"""What atomics hand from one program of a tile kernel to another: order under a lock or behind a counter.

A program's atomic on an element makes known what all its lanes had done by their last meeting before it; the
lanes of one access are spread over threads, so that what came after that meeting is not. A later atomic on
the element whose result is used takes that over, and what those programs had taken over themselves.
Only the order of the run at hand is looked at, so this only ever excuses accesses: what stays unordered is
unordered in that run.
"""

from __future__ import annotations

from gpulint.interp.thread import Thread

Clock = dict[int, int]  # by program, how often its lanes had met before what is known of it
Cell = tuple[int, int]


class Handovers:
    """Clocks of programs, and of the elements that atomics went through."""

    def __init__(self) -> None:
        self.programs: dict[int, Clock] = {}
        self.elements: dict[Cell, Clock] = {}

    def atomic(self, thread: Thread, cell: Cell, met: int, used: bool) -> None:
        """An atomic of a program whose lanes had met `met` times before it."""
        mine = self.programs.setdefault(id(thread), {})
        there = self.elements.setdefault(cell, {})
        if used:
            _join(mine, there)
        _join(there, {**mine, id(thread): met})

    def ordered(self, earlier: Thread, met: int, now: Thread) -> bool:
        """Whether `now` knows of what the earlier program did when its lanes had met `met` times."""
        return met < self.programs.get(id(now), {}).get(id(earlier), 0)


def _join(clock: Clock, other: Clock) -> None:
    for program, met in other.items():
        clock[program] = max(met, clock.get(program, 0))
