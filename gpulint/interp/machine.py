"""The reference interpreter: one kernel on one concrete launch, thread by thread.

Tile kernels run program by program, in `tile`.

What it decides is exact for the schedule it picks (blocks in order, threads in order between
barriers) and for values that are known; races are found by happens-before, whatever the schedule.
Every violation that it reports is real for that launch. It may miss some: when a thread is cut or
`points` limits the run (`Outcome.complete` is then False, or the rest of the grid did not run),
values that the missing threads might have written count as unknown. Floats are Python's. Dynamic
shared arrays of different element sizes are taken as apart. A pair of places is reported
`max_reports` times at most.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from gpulint.interp.expressions import COORDS, LANE_SLOT, coord_slot
from gpulint.interp.launch import SAME_VALUE, ConcreteArray, ConcreteLaunch, Outcome, Point, Violation
from gpulint.interp.memory import Array, Buffer, Region, whole
from gpulint.interp.program import Program, program
from gpulint.interp.races import WRITE, Entry
from gpulint.interp.schedule import run_blocks
from gpulint.interp.thread import WARP, Cut, Halt, Thread
from gpulint.interp.values import known
from gpulint.ir import nodes as n
from gpulint.ir import tiles
from gpulint.ir.span import Span
from gpulint.ir.symbols import MAX_BLOCK, MAX_GRID, MAX_THREADS
from gpulint.ir.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UNKNOWN,
    ArrayType,
)

DTYPES = {
    "int8": INT8, "int16": INT16, "int32": INT32, "int64": INT64, "uint8": UINT8, "uint16": UINT16,
    "uint32": UINT32, "uint64": UINT64, "float16": FLOAT16, "float32": FLOAT32, "float64": FLOAT64,
    "bool": BOOL, "bool_": BOOL,
}  # fmt: skip
ORIGIN: Point = ((0, 0, 0), (0, 0, 0))


def run(kernel: n.Kernel, launch: ConcreteLaunch) -> Outcome:
    """Run the kernel; whatever goes wrong is in the outcome, nothing is raised."""
    machine = machine_of(kernel, launch)
    launch = machine.launch
    problem = launch_problem(launch) or rank_problem(kernel, launch)
    if problem:
        machine.report("not-executable", kernel.header, ORIGIN, detail=problem)
        machine.outcome.complete = False
        return machine.finish()
    try:
        machine.start()
    except Halt as stop:
        machine.report("step-limit", stop.span, machine.last)
        machine.outcome.complete = False
    except RecursionError:
        machine.report("not-executable", kernel.header, machine.last, detail="nested too deeply")
        machine.outcome.complete = False
    return machine.finish()


def machine_of(kernel: n.Kernel, launch: ConcreteLaunch) -> Machine:
    """The machine for the kernel's dialect: thread by thread, or program by program."""
    if kernel.dialect in tiles.DIALECTS:
        from gpulint.interp import tile

        return tile.TileMachine(kernel, tile.programs_only(launch))
    return Machine(kernel, launch)


def launch_problem(launch: ConcreteLaunch) -> str:
    """Why no device could run the launch, or ''."""
    for name, sizes, limits in (("grid", launch.grid, MAX_GRID), ("block", launch.block, MAX_BLOCK)):
        for size, limit in zip(sizes, limits, strict=True):
            if not 1 <= size <= limit:
                return f"{name} {sizes} is outside the limits of a device"
    x, y, z = launch.block
    if x * y * z > MAX_THREADS:
        return f"block {launch.block} has more than {MAX_THREADS} threads"
    for block, thread in launch.points or ():
        if not _inside(block, launch.grid) or not _inside(thread, launch.block):
            return f"point {(block, thread)} is outside the launch"
    if any(extent < 0 for a in launch.arrays.values() for extent in a.shape):
        return "an extent is negative"
    return ""


def rank_problem(kernel: n.Kernel, launch: ConcreteLaunch) -> str:
    """Why the kernel's code is not what these arguments would be compiled to, or ''."""
    for p in kernel.params:
        given = launch.arrays.get(p.name)
        rank = p.type.ndim if isinstance(p.type, ArrayType) else None
        if given is not None and rank not in (None, len(given.shape)):
            return f"{p.name} has {len(given.shape)} axes where the kernel uses {rank}"
    return ""


def _inside(index: tuple[int, int, int], sizes: tuple[int, int, int]) -> bool:
    return all(0 <= i < s for i, s in zip(index, sizes, strict=True))


class Machine:
    """The state of one run: arrays, reports and the count of steps."""

    def __init__(self, kernel: n.Kernel, launch: ConcreteLaunch) -> None:
        self.kernel, self.launch = kernel, launch
        self.outcome = Outcome()
        self.steps = 0
        self.epoch = 0  # grid barriers so far
        self.cut = False
        self.last: Point = ORIGIN
        self.constants: dict[Any, Region] = {}
        self.arrays: dict[str, Array] = {}
        self._reported: Counter[Any] = Counter()

    def start(self) -> None:
        """Run every point of the launch."""
        self.compiled: Program = program(self.kernel)
        self.template = self._template(self.compiled)
        run_blocks(self)

    def _template(self, compiled: Program) -> list[Any]:
        """The environment that every thread starts with, coordinates apart."""
        env = compiled.environment()
        slots = compiled.names.slots
        for axis in range(3):
            env[coord_slot("block_size", axis)] = self.launch.block[axis]
            env[coord_slot("grid_size", axis)] = self.launch.grid[axis]
        for name, value in self.launch.scalars.items():
            if name in slots:
                env[slots[name]] = value
        for name, region in self._regions(compiled.written).items():
            env[slots[name]] = region
        return env

    def _regions(self, written: frozenset[str]) -> dict[str, Region]:
        buffers: dict[str, Buffer] = {}
        out: dict[str, Region] = {}
        for p in self.kernel.params:
            given = self.launch.arrays.get(p.name)
            if given is None:
                continue
            buffer = buffers.setdefault(given.buffer, Buffer()) if given.buffer else Buffer()
            buffer.writable |= p.name in written
            element = _element(p, given)
            self.arrays[p.name] = Array(
                p.name, tuple(given.shape), element, buffer, given.initial, first=given.start
            )
            out[p.name] = whole(self.arrays[p.name])
        return out

    def environment(self, thread: Thread) -> list[Any]:
        env = self.template.copy()
        env[0] = thread
        for axis in range(3):
            env[coord_slot(COORDS[0], axis)] = thread.index[axis]
            env[coord_slot(COORDS[1], axis)] = thread.block.index[axis]
        env[LANE_SLOT] = thread.number % WARP
        return env

    def unsure(self, thread: Thread) -> bool:
        """Whether what shared memory holds may depend on threads that did not run."""
        return self.cut or (self.launch.points is not None and thread.block.interval > 0)

    def report(
        self, kind: str, span: Span, point: Point, *, array: str = "", element: tuple[int, ...] = (),
        extents: tuple[int, ...] = (), other: Point | None = None, other_span: Span | None = None,
        modes: tuple[str, ...] = (), detail: str = "",
    ) -> None:  # fmt: skip
        """Add a violation, unless this place or pair of places has had its number."""
        key = (kind, array, frozenset((span, other_span)), detail if kind == "race" else "")
        self._reported[key] += 1
        if self._reported[key] <= self.launch.max_reports:
            self.outcome.violations.append(
                Violation(kind, array, element, extents, point, span, other, other_span, modes, detail)
            )

    def report_race(self, earlier: Entry, now: Entry, place: Any) -> None:
        same = earlier.site.mode == now.site.mode == WRITE and (
            known(earlier.value, now.value) and earlier.value == now.value
        )
        self.report(
            "race", earlier.site.span, earlier.thread.point, array=place.array.name, element=place.index,
            extents=place.array.shape, other=now.thread.point, other_span=now.site.span,
            modes=(earlier.site.mode, now.site.mode), detail=SAME_VALUE if same else "",
        )  # fmt: skip

    def abandon(self, thread: Thread, span: Span, reason: str) -> None:
        """A statement could not be run: go on, but the run is no longer complete."""
        self.report("not-executable", span, thread.point, detail=reason)
        self.outcome.complete = False

    def cut_thread(self, thread: Thread, stop: Cut) -> None:
        self.report(stop.kind, stop.span, thread.point, array=stop.array, detail=stop.detail)
        self.cut = True
        thread.block.blurred = True
        self.outcome.complete = False

    def finish(self) -> Outcome:
        self.outcome.steps = self.steps
        for name, array in self.arrays.items():
            self.outcome.read[name] = {array.unflat(f) for f in array.read}
            self.outcome.written[name] = {
                array.unflat(f): value if known(value) else None for f, value in array.written.items()
            }
        return self.outcome


def _element(p: n.Param, given: ConcreteArray) -> Any:
    """The element type: the kernel's own, or else what the launch says of the argument."""
    if isinstance(p.type, ArrayType) and p.type.element != UNKNOWN:
        return p.type.element
    return DTYPES.get(given.dtype, UNKNOWN)
