"""What the collectives of a warp give: shuffles, votes and matches.

The threads that meet each bring a value. A shuffle that reads a lane which its mask does not name, which
the block does not have or whose thread has ended, gives nothing (`values.Missing`); what may hang on
threads that did not run is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpulint.interp.thread import WARP, BlockState, Thread
from gpulint.interp.values import POISON, Missing, known, truth
from gpulint.ir.collectives import SHUFFLES, source


def exchange(members: list[Thread], block: BlockState, *, whole: bool) -> None:
    """Give each member of a warp barrier its result; not `whole`: others should have come."""
    for t in members:
        assert t.waiting is not None
        name, mask = t.waiting.barrier.collective, t.waiting.mask
        if not name:
            continue
        meeting = {m.number % WARP: m for m in members if m.waiting and m.waiting.barrier.collective == name}
        clear = whole and isinstance(mask, int) and not block.blurred and len(meeting) == len(members)
        if not clear or not mask >> t.number % WARP & 1:
            t.answer = POISON
        elif name in SHUFFLES:
            t.answer = _shuffled(t, name, mask, meeting, block)
        else:
            t.answer = _voted(t, name, meeting, block)


def _shuffled(t: Thread, name: str, mask: int, meeting: dict[int, Thread], block: BlockState) -> Any:
    assert t.waiting is not None
    by = t.waiting.value[1]
    if not known(by) or not isinstance(by, int):
        return POISON
    lane = source(name, t.number % WARP, by)
    there = meeting.get(lane)
    if there is not None and there.waiting is not None and mask >> lane & 1:
        return there.waiting.value[0]
    return POISON if _left_out(t, lane, block) else Missing(t.waiting.barrier.span, t.point, lane)


def _left_out(t: Thread, lane: int, block: BlockState) -> bool:
    """Whether the launch has this thread and the run has not."""
    x, y, z = t.machine.launch.block
    number = t.warp * WARP + lane
    return number < x * y * z and all(other.number != number for other in block.threads)


def _voted(t: Thread, name: str, meeting: dict[int, Thread], block: BlockState) -> Any:
    """The result of a vote or a match of the lanes that are there."""
    if any(_left_out(t, lane, block) for lane in range(WARP) if lane not in meeting):
        return POISON
    brought = {lane: m.waiting.value[0] for lane, m in meeting.items() if m.waiting}
    if not known(*brought.values()):
        return POISON
    if name == "match_any_sync":
        return _pattern(lane for lane, v in brought.items() if v == brought[t.number % WARP])
    if name == "match_all_sync":
        return _pattern(brought) if len(set(brought.values())) == 1 else 0
    votes = {lane: truth(v) for lane, v in brought.items()}
    if name == "ballot_sync":
        return _pattern(lane for lane, v in votes.items() if v)
    yes = sum(votes.values())
    return {"all_sync": yes == len(votes), "any_sync": yes > 0}.get(name, yes in (0, len(votes)))


def _pattern(lanes: Iterable[int]) -> int:
    """The lanes as bits of a signed integer of 32 bits, which is what Numba makes of them."""
    found = sum(1 << lane for lane in lanes)
    return found - (1 << WARP) if found >> (WARP - 1) else found
