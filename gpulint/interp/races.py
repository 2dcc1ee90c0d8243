"""Happens-before: which accesses of one element are ordered, and which pairs race.

Program order orders the accesses of a thread; a block barrier those of a block, a warp barrier
those of its participants, a grid barrier all. Atomics on one element come one after another, and what a
thread does to the element after its own comes after those that came before that. Nothing else orders: what
atomics and fences hand over elsewhere, through a flag or under a lock, is reported as a race.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpulint.ir.fields import apart

if TYPE_CHECKING:
    from gpulint.interp.thread import Thread

READ, WRITE, ATOMIC = "read", "write", "atomic"
RIVALS = {READ: (WRITE, ATOMIC), WRITE: (WRITE, READ, ATOMIC), ATOMIC: (WRITE, READ, ATOMIC)}


@dataclass(frozen=True, eq=False)
class Entry:
    """One access as it happened; the counters are those of its thread, block and grid then."""

    thread: Thread
    site: Any  # the compiled access: site.span, site.mode, site.scope, site.field
    interval: int
    tick: int
    epoch: int
    value: Any


@dataclass(eq=False)
class Cell:
    """The accesses of one element, by mode; each kept once per thread, interval and site."""

    read: dict[Any, Entry] = field(default_factory=dict)
    write: dict[Any, Entry] = field(default_factory=dict)
    atomic: dict[Any, Entry] = field(default_factory=dict)

    def of(self, mode: str) -> dict[Any, Entry]:
        return getattr(self, mode)  # type: ignore[no-any-return]


def ordered(e: Entry, now: Entry) -> bool:
    """Whether the earlier access `e` happens before `now`, an access of another thread."""
    mine, theirs = now.thread, e.thread
    if mine.block is not theirs.block:
        return e.epoch != now.epoch
    return e.interval != now.interval or mine.clock.get(theirs.number, 0) > e.tick


def conflicting(e: Entry, now: Entry) -> bool:
    """Whether the two meet in the element in a way that needs an order."""
    if apart(e.site.field, now.site.field):
        return False
    if e.site.mode == ATOMIC == now.site.mode:
        narrow = "block" in (e.site.scope, now.site.scope)
        return narrow and e.thread.block is not now.thread.block
    return True


def _passed(cell: Cell, now: Entry) -> list[Entry]:
    """The atomics on the element before the last one that the access comes after."""
    every = list(cell.atomic.values())
    own = [k for k, m in enumerate(every) if m.thread is now.thread or ordered(m, now)]
    return every[: own[-1]] if own else []


def races(cell: Cell, now: Entry) -> list[Entry]:
    """The earlier accesses that race with `now`, which is then remembered."""
    passed = _passed(cell, now) if now.site.mode != ATOMIC and cell.atomic else ()
    out = [
        e
        for mode in RIVALS[now.site.mode]
        for e in cell.of(mode).values()
        if e.thread is not now.thread and conflicting(e, now) and not ordered(e, now) and e not in passed
    ]
    key = (now.thread, now.interval, now.tick, now.epoch, now.site.number)
    cell.of(now.site.mode).setdefault(key, now)
    return out
