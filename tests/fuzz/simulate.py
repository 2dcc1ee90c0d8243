"""An independent meaning of the generated programs: run them as Python over recording arrays.

Shares nothing with the frontend or the interpreter, so that agreement of the two says something of
both. Only for programs that `generate`, `barriers`, `warps` or `host` made. A kernel with barriers becomes a
generator: each barrier or collective of a warp yields its line, its name and its arguments, and the threads
of a block go from yield to yield (`lockstep`).
"""

from __future__ import annotations

import math
import re
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fuzz.lockstep import BITS, WARP, Block, Gone, NoAnswer, Segments, Used, signed

from gpulint.interp.launch import ConcreteLaunch

BUDGET = 4_000  # accesses of one run
LARGE = 32  # threads of a block from which on it may make more of them


Contents = dict[str, dict[tuple[int, ...], Any]]


@dataclass
class Record:
    """Who touched which element, when (`segments` tells what comes before), and how."""

    thread: Any = None
    segments: Segments = field(default_factory=Segments)
    budget: int = BUDGET
    touched: dict[tuple[str, tuple[int, ...]], list[tuple[Any, int, str]]] = field(default_factory=dict)
    shared: dict[tuple[Any, str], tuple[str, dict[tuple[int, ...], Any]]] = field(default_factory=dict)
    out_of_range: bool = False
    diverged: bool = False
    uninitialised: bool = False
    missing: bool = False  # a value was used that a lane which takes no part should have given
    count: int = 0

    def note(self, name: str, element: tuple[int, ...], mode: str) -> None:
        self.count += 1
        if self.count > self.budget:
            raise NoAnswer
        segment = self.segments.of(self.thread)
        self.touched.setdefault((name, element), []).append((self.thread, segment, mode))

    def races(self) -> set[tuple[str, tuple[int, ...]]]:
        """The elements that two threads touch, one of them with a plain write, or plain and atomic."""

        def clash(a: tuple[Any, int, str], b: tuple[Any, int, str]) -> bool:
            plain = a[2] != b[2] or a[2] == "write"
            return a[0] != b[0] and plain and not self.segments.ordered(a[1], b[1])

        logs = {place: set(log) for place, log in self.touched.items()}
        return {
            (name.partition("@")[0], element)
            for (name, element), log in logs.items()
            if any(clash(a, b) for a in log for b in log)
        }

    def atomics(self) -> set[tuple[str, tuple[int, ...]]]:
        """The elements that atomics touch."""
        return {
            (name.partition("@")[0], element)
            for (name, element), log in self.touched.items()
            if any(mode == "atomic" for *_, mode in log)
        }


@dataclass
class Recording:
    """A view of an array: one `range` over the base axis for each axis that is left."""

    name: str
    data: dict[tuple[int, ...], Any]
    record: Record
    fixed: tuple[int | None, ...]  # of each base axis, None where an axis is left
    ranges: tuple[range, ...]
    convert: Callable[[Any], Any]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.ranges))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __len__(self) -> int:
        return len(self.ranges[0])

    def _part(self, key: Any) -> tuple[tuple[int | None, ...], tuple[range, ...]]:
        keys = key if isinstance(key, tuple) else (key,)
        keys += (slice(None),) * (len(self.ranges) - len(keys))
        try:
            parts = [r[k] for r, k in zip(self.ranges, keys, strict=True)]
        except IndexError as error:
            if any(isinstance(k, slice) for k in keys):
                raise NoAnswer from error
            self.record.out_of_range = True
            raise
        left = iter(parts)
        fixed = []
        ranges = []
        for f in self.fixed:
            part = f if f is not None else next(left)
            fixed.append(part if isinstance(part, int) else None)
            if isinstance(part, range):
                ranges.append(part)
        return tuple(fixed), tuple(ranges)

    def _element(self, key: Any, mode: str) -> tuple[int, ...]:
        fixed, ranges = self._part(key)
        assert not ranges
        element = tuple(f for f in fixed if f is not None)
        self.record.note(self.name, element, mode)
        return element

    def __getitem__(self, key: Any) -> Any:
        fixed, ranges = self._part(key)
        if ranges:
            return Recording(self.name, self.data, self.record, fixed, ranges, self.convert)
        return self._value(self._element(key, "read"))

    def _value(self, element: tuple[int, ...]) -> Any:
        value = self.data[element]
        if value is None:
            self.record.uninitialised = True
            raise NoAnswer
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        handed_on = isinstance(value, Gone) and "@" in self.name  # within the block's own memory
        self.data[self._element(key, "write")] = value if handed_on else self.convert(value)

    def atomic(self, key: Any, change: Callable[[Any, Any], Any], value: Any) -> Any:
        element = self._element(key, "atomic")
        old = self._value(element)
        self.data[element] = self.convert(change(old, value))
        return old


def _axes(values: tuple[int, int, int]) -> types.SimpleNamespace:
    return types.SimpleNamespace(x=values[0], y=values[1], z=values[2])


def _cuda(launch: ConcreteLaunch) -> Any:
    """A stand-in for `numba.cuda`; thread and block index are set for each thread."""
    cuda = types.ModuleType("numba.cuda")
    c: Any = cuda
    c.blockDim, c.gridDim = _axes(launch.block), _axes(launch.grid)
    c.jit = lambda *args, **options: args[0] if args and callable(args[0]) else (lambda f: f)

    def grid(rank: int) -> Any:
        pairs = zip(vars(c.blockIdx).values(), launch.block, vars(c.threadIdx).values(), strict=True)
        at = tuple(b * n + t for b, n, t in pairs)
        return at[0] if rank == 1 else at[:rank]

    c.grid = grid
    c.popc = lambda x: bin(x & BITS).count("1")
    c.ffs = lambda x: (x & -x & BITS).bit_length()
    c.gridsize = lambda rank: launch.grid[0] * launch.block[0]
    changes = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "max": max, "min": min}
    c.atomic = types.SimpleNamespace(
        **{name: (lambda a, key, value, f=f: a.atomic(key, f, value)) for name, f in changes.items()}
    )
    return cuda


@contextmanager
def _installed(cuda: Any) -> Iterator[None]:
    numba = types.ModuleType("numba")
    numba.int64, numba.float32, numba.float64 = int, float, float  # type: ignore[attr-defined]
    numba.int32, numba.uint32 = signed, lambda x: int(x) & BITS  # type: ignore[attr-defined]
    numba.cuda = cuda  # type: ignore[attr-defined]
    before = {name: sys.modules.get(name) for name in ("numba", "numba.cuda")}
    sys.modules.update({"numba": numba, "numba.cuda": cuda})
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def simulate(text: str, launch: ConcreteLaunch) -> tuple[Record, Contents] | None:
    """The accesses and final contents; None when Python does not tell: a division by zero, a view
    taken out of range (which a device only computes), too many accesses, a value read before it is there.

    What was noted up to there may be had from `record_of`."""
    record, contents, whole = record_of(text, launch)
    return (record, contents) if whole else None


def record_of(
    text: str, launch: ConcreteLaunch, record: Record | None = None
) -> tuple[Record, Contents, bool]:
    """The accesses and contents up to where Python still tells what happens, and whether that is all."""
    record, cuda = record or Record(), _cuda(launch)
    record.budget = BUDGET * (10 if math.prod(launch.block) >= LARGE else 1)
    cuda.shared = types.SimpleNamespace(array=_allocator(record, text.split("\n")))
    space: dict[str, Any] = {}
    code = _yielding(text)
    with _installed(cuda):
        exec(compile(code, "generated.py", "exec"), space)
    arrays = {name: _recording(name, a, record) for name, a in launch.arrays.items()}
    contents = {name: a.data for name, a in arrays.items()}

    def start(point: Any) -> Any:
        return space["k"](**arrays, **launch.scalars)

    try:
        for block in _all_of(launch.grid):
            points = [(block, thread) for thread in _all_of(launch.block)]
            (_lockstep if "yield " in code else _freely)(record, cuda, start, points)
    except Used:
        record.missing = True
        return record, contents, False
    except (ZeroDivisionError, NoAnswer):
        return record, contents, False
    return record, contents, True


MEETING = re.compile(
    r"cuda\.(syncthreads\w*|syncwarp|shfl_\w+|ballot_sync|any_sync|all_sync|eq_sync|match_any_sync)\((.*)\)$"
)


def _yielding(text: str) -> str:
    """The text with each barrier or collective, which ends its line, as a `yield`."""
    lines = text.split("\n")
    return "\n".join(MEETING.sub(rf"yield ({i + 1}, '\1', [\2])", line) for i, line in enumerate(lines))


def _freely(record: Record, cuda: Any, start: Callable[[Any], Any], points: list[Any]) -> None:
    for point in points:
        _enter(record, cuda, point)
        try:
            start(point)
        except IndexError:
            continue


def _lockstep(record: Record, cuda: Any, start: Callable[[Any], Any], points: list[Any]) -> None:
    """The threads of a block from meeting to meeting; where not all come that should: they diverge."""
    programs = {point: start(point) for point in points}
    if not Block(programs, lambda point: _enter(record, cuda, point), record.segments).run():
        record.diverged = True
        raise NoAnswer


def _enter(record: Record, cuda: Any, point: Any) -> None:
    record.thread = point
    cuda.blockIdx, cuda.threadIdx = _axes(point[0]), _axes(point[1])
    x, y, z = point[1]
    cuda.laneid = (x + cuda.blockDim.x * (y + cuda.blockDim.y * z)) % WARP


def _allocator(record: Record, lines: list[str]) -> Callable[..., Recording]:
    """`cuda.shared.array`: one array a block and name; its elements start without a value."""

    def array(shape: Any, dtype: Any) -> Recording:
        block = record.thread[0]
        line = lines[sys._getframe(1).f_lineno - 1]
        found = re.match(r"\s*(\w+) = ", line)
        assert found, line
        name = found.group(1)
        extents = shape if isinstance(shape, tuple) else (shape,)
        _, data = record.shared.setdefault((block, name), (name, dict.fromkeys(_all_indices(extents))))
        ranges = tuple(range(n) for n in extents)
        return Recording(f"{name}@{block}", data, record, (None,) * len(extents), ranges, dtype)

    return array


def _all_indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    indices: list[tuple[int, ...]] = [()]
    for extent in shape:
        indices = [(*i, k) for i in indices for k in range(extent)]
    return indices


def _recording(name: str, a: Any, record: Record) -> Recording:
    convert = signed if a.dtype == "int32" else int if a.dtype.startswith("int") else float
    ranges = tuple(range(n) for n in a.shape)
    data = {i: None if a.initial(i) is None else convert(a.initial(i)) for i in _all_indices(a.shape)}
    return Recording(name, data, record, (None,) * len(a.shape), ranges, convert)


def _all_of(sizes: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    x, y, z = sizes
    return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
