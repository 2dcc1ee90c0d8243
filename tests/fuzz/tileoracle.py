"""An independent meaning of the generated tile programs: run them as Python, tiles as lists of numbers.

Stand-ins for `triton` and `triton.language` evaluate the kernel's own text program by program and
note every element that is touched. Shares nothing with the frontend or the interpreter. Only for what
`tilegen` writes: small tiles, integers that fit, C-like division.
"""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

BUDGET = 60_000  # elements touched in one run
Shape = tuple[int, ...]


class NoAnswer(Exception):
    """What the program does from here on is not told: it hangs on a value that nobody knows."""


class Unknown:
    """A value that is there and not known (`LOST`), or a lane without a value (`UNSET`)."""


LOST, UNSET = Unknown(), Unknown()


@dataclass(frozen=True)
class Pointer:
    array: str
    at: int


@dataclass
class Record:
    """Who touched which element, and what went wrong. Elements are (array, offset)."""

    program: Shape = (0, 0, 0)
    touched: dict[tuple[str, int], set[tuple[Shape, str]]] = field(default_factory=dict)
    outside: set[tuple[str, int]] = field(default_factory=set)
    collided: set[tuple[str, int]] = field(default_factory=set)  # two lanes of one store
    unset: bool = False  # a lane without a value was used
    written: dict[str, dict[int, Any]] = field(default_factory=dict)
    count: int = 0

    def note(self, p: Pointer, mode: str) -> None:
        self.count += 1
        if self.count > BUDGET:
            raise NoAnswer
        self.touched.setdefault((p.array, p.at), set()).add((self.program, mode))

    def races(self) -> set[tuple[str, int]]:
        def clash(a: tuple[Shape, str], b: tuple[Shape, str]) -> bool:
            return a[0] != b[0] and (a[1] != b[1] or a[1] == "write")

        met = {
            e
            for e, log in self.touched.items()
            if len(log) > 1 and any(clash(a, b) for a in log for b in log)
        }
        return met | self.collided


def _truncated(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


_INTEGER: dict[str, Callable[[Any, Any], Any]] = {
    "floordiv": _truncated, "mod": lambda a, b: a - b * _truncated(a, b),
}  # fmt: skip


def _apply(name: str, a: Any, b: Any) -> Any:
    if a is UNSET or b is UNSET:
        return UNSET
    if a is LOST or b is LOST:
        return LOST
    if isinstance(a, Pointer):
        return Pointer(a.array, a.at + (b if name == "add" else -b))
    if isinstance(b, Pointer):
        return Pointer(b.array, b.at + a)
    if name in _INTEGER:
        return _INTEGER[name](a, b)
    if name in ("and_", "or_") and isinstance(a, bool):
        return (a and b) if name == "and_" else (a or b)
    return getattr(operator, name)(a, b)


class Tile:
    """Elements in row-major order; shape `()` is a scalar."""

    def __init__(self, machine: Machine, shape: Shape, values: list[Any]) -> None:
        self.m, self.shape, self.values = machine, shape, values

    def over(self, shape: Shape) -> list[Any]:
        """The elements broadcast to a shape."""
        own = (1,) * (len(shape) - len(self.shape)) + self.shape
        steps, step = [0] * len(shape), 1
        for axis in reversed(range(len(shape))):
            assert own[axis] in (1, shape[axis]), (self.shape, shape)
            steps[axis] = step if own[axis] > 1 else 0
            step *= own[axis]
        return [self.values[sum(i * s for i, s in zip(at, steps, strict=True))] for at in _indices(shape)]

    def __getitem__(self, key: Any) -> Tile:
        left = iter(self.shape)
        return Tile(self.m, tuple(1 if k is None else next(left) for k in key), self.values)

    def one(self) -> Any:
        (value,) = self.values
        if isinstance(value, Unknown):
            raise NoAnswer
        return value

    def __bool__(self) -> bool:
        return bool(self.one())

    def __index__(self) -> int:
        return int(self.one())

    def __hash__(self) -> int:
        raise TypeError


def _binary(name: str, swapped: bool = False) -> Callable[[Tile, Any], Tile]:
    def method(self: Tile, other: Any) -> Tile:
        return self.m.binary(name, other, self) if swapped else self.m.binary(name, self, other)

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod", "and_", "or_"):
    _method = f"__{_name.rstrip('_')}__"
    setattr(Tile, _method, _binary(_name))
    setattr(Tile, f"__r{_method[2:]}", _binary(_name, True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tile, f"__{_name}__", _binary(_name))


def _indices(shape: Shape) -> list[Shape]:
    out: list[Shape] = [()]
    for extent in shape:
        out = [(*i, k) for i in out for k in range(extent)]
    return out


def _wider(a: Shape, b: Shape) -> Shape:
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


@dataclass
class Window:
    """A block pointer."""

    base: Tile
    shape: Sequence[Any]
    strides: Sequence[Any]
    offsets: Sequence[Any]
    block: Shape


class Machine:
    """One launch: memory, the running program, and the functions of `tl`."""

    def __init__(self, memory: dict[str, list[Any]], grid: Shape) -> None:
        self.memory, self.grid, self.record = memory, grid, Record(written={name: {} for name in memory})

    def tile(self, v: Any) -> Tile:
        return v if isinstance(v, Tile) else Tile(self, (), [v])

    def binary(self, name: str, a: Any, b: Any) -> Tile:
        a, b = self.tile(a), self.tile(b)
        shape = _wider(a.shape, b.shape)
        pairs = zip(a.over(shape), b.over(shape), strict=True)
        return Tile(self, shape, [_apply(name, x, y) for x, y in pairs])

    def use(self, value: Any) -> Any:
        if value is UNSET:
            self.record.unset = True
            return LOST
        return value

    # --- memory -------------------------------------------------------------------------------

    def places(
        self, pointers: Any, mask: Any, checks: Sequence[int]
    ) -> tuple[Shape, list[tuple[int, Pointer]]]:
        """The shape of an access, and the lanes that take part."""
        if isinstance(pointers, Window):
            pointers, mask = self.window(pointers, checks)
        pointers = self.tile(pointers)
        lanes = self.tile(True if mask is None else mask)
        shape = _wider(pointers.shape, lanes.shape)
        out = []
        for k, (p, on) in enumerate(zip(pointers.over(shape), lanes.over(shape), strict=True)):
            on = self.use(on)
            if on is LOST:
                raise NoAnswer
            if on:
                if not isinstance(self.use(p), Pointer):
                    raise NoAnswer
                out.append((k, p))
        return shape, out

    def window(self, w: Window, checks: Sequence[int]) -> tuple[Tile, Tile]:
        place, inside = w.base, self.tile(True)
        for axis, extent in enumerate(w.block):
            shape = tuple(extent if k == axis else 1 for k in range(len(w.block)))
            at = Tile(self, shape, list(range(extent))) + w.offsets[axis]  # type: ignore[operator]
            place = place + at * w.strides[axis]
            if axis in checks:
                inside = inside & (at >= 0) & (at < w.shape[axis])
        return place, inside

    def element(self, p: Pointer) -> bool:
        if 0 <= p.at < len(self.memory[p.array]):
            return True
        self.record.outside.add((p.array, p.at))
        return False

    def read(self, p: Pointer, mode: str) -> Any:
        if not self.element(p):
            return LOST
        self.record.note(p, mode)
        value = self.memory[p.array][p.at]
        return LOST if value is None else value

    def write(self, p: Pointer, value: Any) -> None:
        value = self.use(value)
        self.memory[p.array][p.at] = value
        self.record.written[p.array][p.at] = value

    def load(self, pointers: Any, mask: Any = None, other: Any = None, boundary_check: Sequence[int] = (),
             padding_option: str = "") -> Tile:  # fmt: skip
        shape, lanes = self.places(pointers, mask, boundary_check)
        if isinstance(pointers, Window):
            other = 0 if padding_option else None
        values = self.tile(UNSET if other is None else other).over(shape)
        for k, p in lanes:
            values[k] = self.read(p, "read")
        return Tile(self, shape, values)

    def store(self, pointers: Any, value: Any, mask: Any = None, boundary_check: Sequence[int] = ()) -> None:
        shape, lanes = self.places(pointers, mask, boundary_check)
        values, seen = self.tile(value).over(shape), set()
        for k, p in lanes:
            if self.element(p):
                if p in seen:
                    self.record.collided.add((p.array, p.at))
                seen.add(p)
                self.record.note(p, "write")
                self.write(p, values[k])

    def atomic_add(self, pointers: Any, value: Any, mask: Any = None) -> Tile:
        shape, lanes = self.places(pointers, mask, ())
        values, old = self.tile(value).over(shape), [LOST] * math.prod(shape)
        for k, p in lanes:
            if self.element(p):
                old[k] = self.read(p, "atomic")
                self.write(p, _apply("add", old[k], self.use(values[k])))
        return Tile(self, shape, old)

    # --- values -------------------------------------------------------------------------------

    def reduced(self, v: Tile, axis: int, fold: Callable[[list[Any]], Any]) -> Tile:
        shape = v.shape[:axis] + v.shape[axis + 1 :]
        groups: dict[Shape, list[Any]] = {at: [] for at in _indices(shape)}
        for at, value in zip(_indices(v.shape), v.values, strict=True):
            groups[at[:axis] + at[axis + 1 :]].append(value)
        known = [next((v for v in (UNSET, LOST) if v in g), None) or fold(g) for g in groups.values()]
        return Tile(self, shape, known)

    def trans(self, v: Tile) -> Tile:
        rows, columns = v.shape
        return Tile(
            self, (columns, rows), [v.values[r * columns + c] for c in range(columns) for r in range(rows)]
        )

    def language(self) -> Any:
        tl: Any = types.ModuleType("triton.language")
        tl.constexpr, tl.float32, tl.int32 = int, "float32", "int32"
        tl.program_id = lambda axis: Tile(self, (), [self.record.program[axis]])
        tl.num_programs = lambda axis: Tile(self, (), [self.grid[axis]])
        tl.arange = lambda first, last: Tile(self, (last - first,), list(range(first, last)))
        tl.zeros = lambda shape, dtype: Tile(self, tuple(shape), [0.0] * math.prod(shape))
        tl.cdiv = lambda a, b: (self.tile(a) + b - 1) // b  # type: ignore[operator]
        tl.sum = lambda v, axis: self.reduced(v, axis, sum)
        tl.max = lambda v, axis: self.reduced(v, axis, max)
        tl.load, tl.store, tl.atomic_add, tl.trans = self.load, self.store, self.atomic_add, self.trans
        tl.make_block_ptr = lambda base, shape, strides, offsets, block_shape, order: Window(
            base, shape, strides, offsets, tuple(block_shape)
        )
        tl.advance = lambda w, by: Window(
            w.base,
            w.shape,
            w.strides,
            [self.tile(a) + b for a, b in zip(w.offsets, by, strict=True)],
            w.block,
        )  # type: ignore[operator]
        return tl

    def run(self, kernel: Callable[..., Any], arguments: dict[str, Any]) -> bool:
        """Every program of the grid in turn; False where one of them is not told to its end."""
        x, y, z = self.grid
        given = {name: Tile(self, (), [v]) if isinstance(v, Pointer) else v for name, v in arguments.items()}
        given = {
            name: Tile(self, (), [v]) if type(v) is int and name.islower() else v for name, v in given.items()
        }
        for program in ((i, j, k) for k in range(z) for j in range(y) for i in range(x)):
            self.record.program = program
            try:
                kernel(**given)
            except (NoAnswer, ZeroDivisionError):
                return False
        return True
