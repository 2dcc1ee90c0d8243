"""Which thread runs when, and what barriers wait for.

Blocks run in order; within a block the threads run in order, each to its next barrier. A block
barrier is over when every thread of the block waits or has ended; a thread that ended, or waits at
another barrier statement, makes it divergent, which is reported, and then the barrier lets go as
the hardware does. A warp barrier is over when every thread of its mask waits at it or has ended, and
orders those threads; when it can never be over, since a thread that it names waits elsewhere, or when
a thread comes to it that its mask does not name, that is reported and it lets go. A grid barrier waits
for all blocks. With `points` only those threads exist, for barriers too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpulint.interp import collectives
from gpulint.interp.launch import Point
from gpulint.interp.thread import WARP, BlockState, Cut, Thread, charge, linear
from gpulint.interp.values import POISON, truth

if TYPE_CHECKING:
    from gpulint.interp.launch import ConcreteLaunch
    from gpulint.interp.machine import Machine


FULL = (1 << WARP) - 1
Triple = tuple[int, int, int]


def run_blocks(machine: Machine) -> None:
    """Run every block, all side by side when the kernel has a grid barrier."""
    if not machine.compiled.waiting:
        _run_freely(machine)
        return
    blocks = _blocks(machine)
    if not machine.compiled.grid_sync:
        for block in blocks:
            _run_block(machine, block)
        return
    _run_grid(machine, list(blocks))


def _points(machine: Machine) -> Iterator[tuple[Triple, list[Triple]]]:
    """Blocks with their threads, in launch order."""
    launch = machine.launch
    if launch.points is not None:
        yield from _chosen(launch.points, launch.grid, launch.block)
        return
    x, y, z = launch.block
    threads = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    if launch.shuffled:
        yield from _shuffled(launch, threads)
        return
    step = -1 if launch.backwards else 1
    xs, ys, zs = (range(n)[::step] for n in launch.grid)
    for bz in zs:
        for by in ys:
            yield from (((bx, by, bz), threads[::step]) for bx in xs)


def _shuffled(launch: ConcreteLaunch, threads: list[Triple]) -> Iterator[tuple[Triple, list[Triple]]]:
    """Blocks, and the threads of each, in an order that the launch's seed draws."""
    import random  # for checks of compiled code alone

    draw = random.Random(launch.shuffled)
    x, y, z = launch.grid
    blocks = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    for block in draw.sample(blocks, len(blocks)):
        yield block, draw.sample(threads, len(threads))


def _chosen(points: tuple[Point, ...], grid: Triple, block: Triple) -> Iterator[tuple[Triple, list[Triple]]]:
    by_block: dict[Triple, set[Triple]] = {}
    for b, t in points:
        by_block.setdefault(b, set()).add(t)
    for b in sorted(by_block, key=lambda i: linear(i, grid)):
        yield b, sorted(by_block[b], key=lambda i: linear(i, block))


def _thread(machine: Machine, block: BlockState, index: Any) -> Thread:
    return Thread(machine, block, index, linear(index, machine.launch.block))


def _run_freely(machine: Machine) -> None:
    """No barrier anywhere: each thread runs to its end."""
    body, cost, where = machine.compiled.body, machine.compiled.cost, machine.kernel.header
    for block_index, threads in _points(machine):
        block = BlockState(block_index)
        for index in threads:
            thread = _thread(machine, block, index)
            machine.last = thread.point
            charge(thread, cost, where)
            try:
                body(machine.environment(thread))
            except Cut as stop:
                machine.cut_thread(thread, stop)


def _blocks(machine: Machine) -> Iterator[BlockState]:
    for block_index, threads in _points(machine):
        block = BlockState(block_index)
        for index in threads:
            thread = _thread(machine, block, index)
            charge(thread, machine.compiled.cost, machine.kernel.header)
            thread.program = machine.compiled.body(machine.environment(thread))
            block.threads.append(thread)
        yield block


def _advance(machine: Machine, thread: Thread) -> None:
    """Run the thread to its next barrier or to its end."""
    machine.last = thread.point
    answer, thread.answer, thread.waiting = thread.answer, None, None
    assert thread.program is not None
    try:
        thread.waiting = thread.program.send(answer)
    except StopIteration:
        thread.done = True
    except Cut as stop:
        thread.done = True
        machine.cut_thread(thread, stop)


def _run_block(machine: Machine, block: BlockState) -> bool:
    """Run the block until it ends (False) or all its threads wait for the grid (True)."""
    while True:
        for thread in block.threads:
            if not thread.done and thread.waiting is None:
                _advance(machine, thread)
        waiting = [t for t in block.threads if not t.done]
        if not waiting:
            return False
        if _release_warps(machine, block, waiting):
            continue
        at_block = [t for t in waiting if t.waiting and t.waiting.barrier.kind == "block"]
        if not at_block:
            _check(machine, block, waiting)
            return True
        _check(machine, block, waiting)
        _release_block(block, at_block)


def _release_warps(machine: Machine, block: BlockState, waiting: list[Thread]) -> bool:
    """Let go of the warp barriers that are over, or of all when none is; whether there was one."""
    groups: dict[Any, list[Thread]] = {}
    for t in waiting:
        assert t.waiting is not None
        barrier = t.waiting.barrier
        if barrier.kind == "warp":
            groups.setdefault((t.warp, _lanes(t.waiting.mask), barrier.collective), []).append(t)
    over = [g for (warp, mask, _), g in groups.items() if len(g) == _participants(waiting, warp, mask)]
    for (warp, mask, _), members in groups.items():
        if members in over or not over:
            _check_warp(machine, block, members, [t for t in waiting if t.warp == warp], mask)
    for members in over or list(groups.values()):
        collectives.exchange(members, block, whole=bool(over))
        _join(members)
    return bool(groups)


def _lanes(mask: Any) -> Any:
    """The mask as the hardware sees it: 32 bits, all of them where none is given."""
    if mask is None:
        return FULL
    return mask & FULL if isinstance(mask, int) else POISON


def _check_warp(
    machine: Machine, block: BlockState, members: list[Thread], warp: list[Thread], mask: Any
) -> None:
    """Report a warp barrier that goes on without a thread of its mask, or with one that is none."""
    if block.blurred or not (mask is None or isinstance(mask, int)):
        return
    named = [t for t in warp if mask is None or mask >> t.number % WARP & 1]
    stranger = next((t for t in members if t not in named), None)
    absent = next((t for t in named if t not in members), None)
    first = stranger or members[0]
    assert first.waiting is not None
    span = first.waiting.barrier.span
    if stranger is not None:
        machine.report("divergence", span, first.point, detail="the mask does not name the thread")
    elif absent is not None and absent.waiting is not None:
        machine.report(
            "divergence", span, first.point, other=absent.point, other_span=absent.waiting.barrier.span,
            detail="the other thread is named by the mask and waits elsewhere",
        )  # fmt: skip


def _participants(waiting: list[Thread], warp: int, mask: Any) -> int:
    """How many threads that did not end belong to a warp barrier; all of the warp without a mask."""
    lanes = [t.number % WARP for t in waiting if t.warp == warp]
    return sum(1 for lane in lanes if not isinstance(mask, int) or mask >> lane & 1)


def _join(members: list[Thread]) -> None:
    """Each member knows all that every member did before the barrier, if it orders memory."""
    if not all(t.waiting.barrier.orders for t in members if t.waiting):
        for t in members:
            t.waiting = None
        return
    known: dict[int, int] = {}
    for t in members:
        t.tick += 1
        t.clock[t.number] = t.tick
        for number, tick in t.clock.items():
            known[number] = max(tick, known.get(number, 0))
    for t in members:
        t.clock = dict(known)
        t.waiting = None


def _release_block(block: BlockState, at_block: list[Thread]) -> None:
    block.interval += 1
    votes = [t.waiting.value for t in at_block if t.waiting]
    for t in at_block:
        assert t.waiting is not None
        t.answer = vote(t.waiting.barrier.vote, votes)
        t.waiting = None


def vote(kind: str, votes: list[Any]) -> Any:
    """The result of a voting barrier: how many votes are true, whether all are, whether any is."""
    truths = [truth(v) for v in votes]
    if POISON in truths or kind not in ("count", "and", "or"):
        return POISON
    return {"count": sum(truths), "and": int(all(truths)), "or": int(any(truths))}[kind]


def _check(machine: Machine, block: BlockState, waiting: list[Thread]) -> None:
    """Report when not all threads of the block wait at the same barrier statement."""
    first = waiting[0]
    assert first.waiting is not None
    barrier = first.waiting.barrier
    for t in waiting:
        assert t.waiting is not None
        if t.waiting.barrier is not barrier:
            machine.report(
                "divergence", barrier.span, first.point, other=t.point,
                other_span=t.waiting.barrier.span, detail="threads wait at different barriers",
            )  # fmt: skip
            return
    ended = next((t for t in block.threads if t.done), None)
    if ended is not None and not block.blurred:
        machine.report(
            "divergence", barrier.span, first.point, other=ended.point,
            detail="the other thread left the kernel without reaching the barrier",
        )  # fmt: skip


def _run_grid(machine: Machine, blocks: list[BlockState]) -> None:
    while True:
        waiting = [block for block in blocks if _run_block(machine, block)]
        if not waiting:
            return
        _check_grid(machine, blocks, waiting)
        machine.epoch += 1
        for block in waiting:
            block.interval += 1
            for t in block.threads:
                t.waiting = None


def _check_grid(machine: Machine, blocks: list[BlockState], waiting: list[BlockState]) -> None:
    """Report when a whole block ended while others wait for the grid, or waits elsewhere."""
    live = [next(t for t in block.threads if t.waiting) for block in waiting]
    barrier = live[0].waiting.barrier if live[0].waiting else None
    ended = next((b for b in blocks if all(t.done for t in b.threads) and not b.blurred), None)
    if ended is not None and barrier is not None:
        machine.report(
            "divergence", barrier.span, live[0].point, other=ended.threads[0].point,
            detail="the other block left the kernel without reaching the grid barrier",
        )  # fmt: skip
    for t in live:
        if barrier is not None and t.waiting and t.waiting.barrier is not barrier:
            machine.report(
                "divergence", barrier.span, live[0].point, other=t.point,
                other_span=t.waiting.barrier.span, detail="blocks wait at different grid barriers",
            )  # fmt: skip
