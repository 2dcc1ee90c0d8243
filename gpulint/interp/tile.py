"""The reference interpreter for tile kernels: program by program, whole tiles at a time.

The statements of a program run in order; each element of a tile that a load, a store or an atomic
touches is checked as the SIMT interpreter checks a thread's access. Races are found between
programs, whatever their order, and between lanes of one store; loads and stores that do not wait for other
lanes' stores of the same program are told apart (`reload`), between two places where all lanes meet. A lane
whose mask or subscript is not known is left out and the run is then incomplete; a branch on an unknown
value cuts the program. The thread part of a point holds the coordinates of a lane. Reductions other than
the largest and the smallest of known integers, products of matrices and sorts give unknown values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from gpulint.interp.launch import ConcreteLaunch
from gpulint.interp.machine import Machine
from gpulint.interp.memory import Region
from gpulint.interp.program import written_arrays
from gpulint.interp.schedule import Triple
from gpulint.interp.statements import ENDING, loose_jump, quiet
from gpulint.interp.thread import BlockState, Cut, Thread, charge, linear
from gpulint.interp.tileaccess import Accesses
from gpulint.interp.tileexpr import Frame
from gpulint.interp.tilevalues import Tile, Undefined, Value, Wrapped
from gpulint.interp.values import POISON, truth
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.statements import DESCRIPTOR
from gpulint.ir.types import IntType
from gpulint.ir.walk import assigned, statements

BREAK, CONTINUE = object(), object()
Signal = Any  # None, BREAK, CONTINUE or the label of the block to leave


def programs_only(launch: ConcreteLaunch) -> ConcreteLaunch:
    """The launch with points that name programs and no lanes."""
    if launch.points is None:
        return launch
    return replace(launch, points=tuple((block, (0, 0, 0)) for block, _ in launch.points))


class TileMachine(Machine):
    """One run of a tile kernel."""

    def start(self) -> None:
        every = list(statements(self.kernel.body))
        env: dict[str, Any] = {**self.launch.scalars, **self._regions(written_arrays(every))}
        self.accesses = Accesses()
        for index in self._programs():
            thread = Thread(self, BlockState(index), (0, 0, 0), 0)
            self.last = thread.point
            try:
                charge(thread, 1, self.kernel.header)
                Runner(self.accesses, Frame(thread, dict(env))).block(self.kernel.body)
            except Cut as stop:
                self.cut_thread(thread, stop)

    def _programs(self) -> Iterable[Triple]:
        grid = self.launch.grid
        if self.launch.points is not None:
            return sorted({block for block, _ in self.launch.points}, key=lambda i: linear(i, grid))
        x, y, z = (range(size)[:: -1 if self.launch.backwards else 1] for size in grid)
        return ((i, j, k) for k in z for j in y for i in x)


class Runner:
    """The statements of one program."""

    def __init__(self, accesses: Accesses, frame: Frame) -> None:
        self.accesses, self.f = accesses, frame
        self.env = frame.env

    def block(self, body: tuple[n.Stmt, ...]) -> Signal:
        for s in body:
            charge(self.f.thread, 1, s.span)
            signal = _RUN[type(s)](self, s)
            if signal is not None:
                return signal
        return None

    def assign(self, s: n.Assign) -> Signal:
        self.env[s.target] = self.f.value(s.value)

    def load(self, s: n.Load) -> Signal:
        self.accesses.load(self.f, s)

    def store(self, s: n.Store) -> Signal:
        self.accesses.store(self.f, s)

    def atomic(self, s: n.Atomic) -> Signal:
        self.accesses.atomic(self.f, s)

    def alias(self, s: n.Alias) -> Signal:
        self.env[s.target] = self.env.get(s.array, POISON)

    def unsupported(self, s: n.Unsupported) -> Signal:
        self.f.machine.abandon(self.f.thread, s.span, s.reason)
        self.env.update(dict.fromkeys(s.targets, POISON))
        for name in s.arrays:
            if self.env.get(name).__class__ is Region:
                self.env[name].array.buffer.lost = True

    def unknown_array(self, s: n.View | n.Alloc) -> Signal:
        raise Cut("not-executable", s.span, f"{type(s).__name__.lower()} in a tile kernel")

    def effect(self, s: n.Effect) -> Signal:
        if not s.name.startswith(DESCRIPTOR):
            self.f.meet()
        return "" if s.name in ENDING else None

    def assume(self, s: n.Assume) -> Signal:
        """A launch that an assertion refuses says nothing of the launches that there are."""
        which = self.decide(s.condition)
        if which is POISON:
            raise Cut("unknown-branch", s.span, "the condition is not known")
        if not which:
            raise Cut("not-executable", s.span, "an assertion fails")
        return None

    def barrier(self, s: n.Barrier) -> Signal:
        self.f.meet()

    # --- control ---------------------------------------------------------------------------------

    def decide(self, e: n.Expr) -> Any:
        """The truth of a branch condition, or POISON; a tile of several elements decides nothing."""
        value: Value = self.f.value(e)
        if isinstance(value, Tile):
            value = value.data[0] if len(value.data) == 1 else POISON
        self.f.wrapped(value, e.span)
        return POISON if value.__class__ is Undefined else truth(value)

    def skip(self, body: tuple[n.Stmt, ...], span: Span, reason: str) -> Signal:
        """Statements that may or may not run: their locals become unknown, or the program is cut."""
        if not quiet(body) or loose_jump(body):
            raise Cut("unknown-branch", span, reason)
        self.env.update(dict.fromkeys(assigned(body), POISON))

    def branch(self, s: n.If) -> Signal:
        which = self.decide(s.condition)
        if which is POISON:
            return self.skip((*s.then, *s.other), s.span, "the condition is not known")
        return self.block(s.then if which else s.other)

    def region(self, s: n.Block) -> Signal:
        signal = self.block(s.body)
        return None if signal == s.label else signal

    def counted(self, s: n.For) -> Signal:
        bounds = [self.f.value(e) for e in (s.start, s.stop, s.step)]
        for b in bounds:
            self.f.wrapped(b, s.span)
        if not all(isinstance(b, int) for b in bounds):
            return self.skip((s,), s.span, "a bound of the loop is not known")
        if bounds[2] == 0:
            raise Cut("not-executable", s.span, "a loop of step 0")
        for i in range(*map(int, bounds)):
            charge(self.f.thread, 1, s.span)
            self.env[s.target] = self._counter(s, i)
            signal = self.block(s.body)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal
        return None

    def _counter(self, s: n.For, i: int) -> int:
        t = s.type
        if not isinstance(t, IntType) or t.lo <= i <= t.hi:
            return i
        return Wrapped.of(t.wrap(i), s.span, f"loop counter: {i} does not fit int{t.bits}")

    def loop(self, s: n.While) -> Signal:
        while True:
            charge(self.f.thread, 1, s.span)
            signal = self.block(s.before)
            if signal is not None:
                return None if signal is BREAK else signal
            which = self.decide(s.condition)
            if which is POISON:
                return self.skip((s,), s.span, "the condition is not known")
            if not which:
                return None
            signal = self.block(s.body)
            if signal is not None and signal is not CONTINUE:
                return None if signal is BREAK else signal


_RUN: dict[type, Callable[[Runner, Any], Signal]] = {
    n.Assign: Runner.assign, n.Load: Runner.load, n.Store: Runner.store, n.Atomic: Runner.atomic,
    n.Alias: Runner.alias, n.View: Runner.unknown_array, n.Alloc: Runner.unknown_array,
    n.If: Runner.branch, n.For: Runner.counted, n.While: Runner.loop, n.Block: Runner.region,
    n.Break: lambda r, s: BREAK, n.Continue: lambda r, s: CONTINUE, n.Leave: lambda r, s: s.label,
    n.Barrier: Runner.barrier, n.Assume: Runner.assume, n.Effect: Runner.effect,
    n.Unsupported: Runner.unsupported,
}  # fmt: skip
