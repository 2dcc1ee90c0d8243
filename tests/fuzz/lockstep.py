"""How the threads of a block meet: an independent meaning of barriers, votes and shuffles for `simulate`.

Each thread is a generator that yields, where it meets others, a tuple of its line, the name of what it calls
and the arguments. A block barrier waits for all threads of the block, a collective of a warp for those that
its mask names and that have not ended. Where one can never be met, threads diverge.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

Point = tuple[tuple[int, int, int], tuple[int, int, int]]
Meeting = tuple[int, str, list[Any]]
Program = Generator[Meeting, Any, Any]
WARP, BITS = 32, 0xFFFFFFFF


class NoAnswer(Exception):
    """Python does not say what the program does."""


class Used(NoAnswer):
    """A value is used that no lane gave."""


def _used(*_: Any) -> Any:
    raise Used


def _vague(*_: Any) -> Any:
    raise NoAnswer


class Gone:
    """What a shuffle gives of a lane that takes no part: it may be handed on, and used by no one."""

    def _same(self, *_: Any) -> Gone:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __floordiv__ = __xor__ = __rshift__ = _same
    __mul__ = __rmul__ = __and__ = __rand__ = __mod__ = _vague
    __index__ = __int__ = __float__ = __bool__ = __hash__ = _used
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _used


class Segments:
    """What comes before what: a thread's way is cut where it meets others, who know what was before.

    `rounds`: how often the threads of the block have met.
    """

    def __init__(self) -> None:
        self.rounds = 0
        self.now: dict[Any, int] = {}
        self.known: list[int] = []  # of each segment, those that come before it, as bits

    def of(self, thread: Any) -> int:
        if thread not in self.now:
            self._start(thread, 0)
        return self.now[thread]

    def _start(self, thread: Any, known: int) -> None:
        self.now[thread] = len(self.known)
        self.known.append(known)

    def meet(self, threads: list[Any]) -> None:
        known = 0
        for t in threads:
            known |= self.known[self.of(t)] | 1 << self.of(t)
        for t in threads:
            self._start(t, known)

    def ordered(self, a: int, b: int) -> bool:
        """Whether one of two segments comes before the other."""
        return bool(self.known[a] >> b & 1 or self.known[b] >> a & 1)


class Block:
    """The threads of one block. `enter` tells whose turn it is; `points` in the order of their numbers."""

    def __init__(
        self, programs: dict[Point, Program], enter: Callable[[Point], None], segments: Segments
    ) -> None:
        self.live, self.enter, self.segments = dict(programs), enter, segments
        self.number = {point: k for k, point in enumerate(programs)}
        segments.rounds = 0
        self.at: dict[Point, Meeting] = {}
        self.answers: dict[Point, Any] = {}

    def run(self) -> bool:
        """Run to the end; False where threads diverge."""
        while self.live:
            for point, program in list(self.live.items()):
                if point not in self.at:
                    self.advance(point, program)
            if self.live and not (self.warps() or self.whole()):
                return False
        return True

    def advance(self, point: Point, program: Program) -> None:
        self.enter(point)
        try:
            self.at[point] = program.send(self.answers.pop(point, None))
        except (StopIteration, IndexError):
            del self.live[point]

    def lane(self, point: Point) -> int:
        return self.number[point] % WARP

    def warps(self) -> bool:
        """Let go of the collectives of warps that are met; whether there was one."""
        groups: dict[tuple[int, str, int], list[Point]] = {}
        for point, (_, name, given) in self.at.items():
            if not name.startswith("syncthreads"):
                mask = int(given[0]) & BITS if given else BITS
                groups.setdefault((self.number[point] // WARP, name, mask), []).append(point)
        met = [key for key, members in groups.items() if set(members) == self.named(key[0], key[2])]
        for key in met:
            self.answer(key[1], {self.lane(p): p for p in groups[key]})
            if key[1] == "syncwarp":
                self.segments.meet(groups[key])
            for p in groups[key]:
                del self.at[p]
        return bool(met)

    def named(self, warp: int, mask: int) -> set[Point]:
        return {p for p in self.live if self.number[p] // WARP == warp and mask >> self.lane(p) & 1}

    def answer(self, name: str, lanes: dict[int, Point]) -> None:
        brought = {lane: self.at[p][2] for lane, p in lanes.items()}
        for lane, p in lanes.items():
            if name.startswith("shfl"):
                there = read_by(name, lane, int(brought[lane][2]) % WARP)
                self.answers[p] = brought[there][1] if there in brought else Gone()
            elif name != "syncwarp":
                self.answers[p] = vote(name, lane, {k: v[1] for k, v in brought.items()})

    def whole(self) -> bool:
        """Let go of the block barrier that all threads of the block wait at; False where not all do."""
        places = {m[:2] for m in self.at.values()}
        (_, name), *others = places
        if others or not name.startswith("syncthreads") or len(self.at) < len(self.number):
            return False
        if name != "syncthreads":
            votes = [bool(m[2][0]) for m in self.at.values()]
            result = {"count": sum(votes), "and": int(all(votes)), "or": int(any(votes))}
            self.answers = dict.fromkeys(self.at, result[name.rpartition("_")[2]])
        self.segments.meet(list(self.at))
        self.segments.rounds += 1
        self.at.clear()
        return True


def read_by(name: str, lane: int, by: int) -> int:
    """The lane that a shuffle reads."""
    if name == "shfl_xor_sync":
        return lane ^ by
    if name == "shfl_sync":
        return by
    there = lane - by if name == "shfl_up_sync" else lane + by
    return there if 0 <= there < WARP else lane


def vote(name: str, lane: int, brought: dict[int, Any]) -> Any:
    """What a vote or a match gives a lane."""
    if name == "match_any_sync":
        return signed(sum(1 << k for k, v in brought.items() if v == brought[lane]))
    votes = {k: bool(v) for k, v in brought.items()}
    if name == "ballot_sync":
        return signed(sum(1 << k for k, v in votes.items() if v))
    yes = sum(votes.values())
    return {"all_sync": yes == len(votes), "any_sync": yes > 0, "eq_sync": yes in (0, len(votes))}[name]


def signed(value: Any) -> int:
    """The number as an integer of 32 bits holds it."""
    bits = int(value) & BITS
    return bits - (1 << WARP) if bits >> (WARP - 1) else bits
