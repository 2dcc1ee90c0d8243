"""Running the host code of generated tile programs as plain Python, with stand-ins for torch and triton."""

from __future__ import annotations

import math
import random
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from fuzz.choose import Seeded
from fuzz.launches import MAX_REPORTS
from fuzz.tilegen import TileProgram
from fuzz.tileoracle import Machine, Pointer, Record

from gpulint.interp.launch import ConcreteArray, ConcreteLaunch

Inputs = Mapping[str, Any]  # numbers; `a`: shape and strides
MOST = 600  # elements of an array, or programs of a launch
STEPS = 400_000


class Refused(Exception):
    """The host or the device refuses: nothing is launched."""


@dataclass(eq=False)
class Tensor:
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    data: list[Any]  # the elements of its memory; None for no value
    dtype: str = "float32"

    def stride(self, axis: int) -> int:
        return self.strides[axis]

    def numel(self) -> int:
        return math.prod(self.shape)

    def is_contiguous(self) -> bool:
        return self.strides == _dense(self.shape)

    def clone(self) -> Tensor:
        return Tensor(self.shape, self.strides, list(self.data), self.dtype)

    def __setitem__(self, key: int, value: Any) -> None:
        if not self.data:
            raise Refused
        self.data[key] = value

    def __iadd__(self, value: Any) -> Tensor:
        self.data[:] = [v + value for v in self.data]
        return self


@dataclass(frozen=True)
class Call:
    """One launch: the program grid, the arguments by name, arrays with the values that they start with."""

    grid: tuple[int, int, int]
    arrays: Mapping[str, tuple[str, tuple[Any, ...]]]  # dtype, elements
    scalars: Mapping[str, int]
    kernel: Any = field(compare=False, default=None)

    def launch(self) -> ConcreteLaunch:
        """The same for the interpreter: each tensor as the memory that a pointer to it reaches."""
        arrays = {
            name: ConcreteArray((len(values),), lambda i, v=values: v[i[0]], dtype=dtype)
            for name, (dtype, values) in self.arrays.items()
        }
        scalars: dict[str, Any] = dict(self.scalars)
        return ConcreteLaunch(self.grid, (1, 1, 1), arrays, scalars, max_steps=STEPS, max_reports=MAX_REPORTS)

    def record(self) -> tuple[Record, bool]:
        """What plain Python says of the launch, and whether that is all of it."""
        m = Machine({name: list(values) for name, (_, values) in self.arrays.items()}, self.grid)
        pointers: dict[str, Any] = {name: Pointer(name, 0) for name in self.arrays}
        MODULE.language = m.language()
        self.kernel.__globals__["tl"] = MODULE.language
        return m.record, m.run(self.kernel, {**pointers, **self.scalars})


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))


def _made(shape: Any, fill: Any, dtype: str) -> Tensor:
    extents = tuple(shape) if isinstance(shape, tuple) else (shape,)
    if any(n < 0 for n in extents):
        raise Refused
    return Tensor(extents, _dense(extents), [fill] * min(math.prod(extents), MOST + 1), dtype)


def _torch() -> Any:
    torch: Any = types.ModuleType("torch")
    torch.Tensor = Tensor
    torch.float32, torch.int32, torch.int64 = "float32", "int32", "int64"
    for name, fill in (("zeros", 0), ("ones", 1), ("empty", None)):
        setattr(torch, name, lambda shape, device="", dtype="float32", fill=fill: _made(shape, fill, dtype))

    def counting(n: int, device: str = "", mixed: bool = False) -> Tensor:
        out = _made(n, 0, "int64")
        out.data[:] = range(len(out.data))
        if mixed:
            random.Random(n).shuffle(out.data)
        return out

    torch.arange = counting
    torch.randperm = lambda n, device="": counting(n, mixed=True)
    return torch


MODULE: Any = types.ModuleType("triton")
MODULE.language = types.ModuleType("triton.language")
MODULE.language.constexpr = int
MODULE.cdiv = lambda a, b: -(-a // b)
MODULE.next_power_of_2 = lambda n: 1 << max(0, n - 1).bit_length()


class Kernel:
    def __init__(self, function: Any, calls: list[Call]) -> None:
        self.function, self.calls = function, calls

    def __getitem__(self, grid: Any) -> Any:
        def launch(*args: Any, **constants: Any) -> None:
            names = self.function.__code__.co_varnames[: self.function.__code__.co_argcount]
            given = {**dict(zip(names, args, strict=False)), **constants}
            sizes = grid(given) if callable(grid) else grid
            x, y, z = (*sizes, 1, 1)[:3]
            if min(x, y, z) < 1:
                raise Refused
            arrays = {k: (v.dtype, tuple(v.data)) for k, v in given.items() if isinstance(v, Tensor)}
            scalars = {k: v for k, v in given.items() if not isinstance(v, Tensor)}
            self.calls.append(Call((x, y, z), arrays, scalars, self.function))

        return launch


@contextmanager
def _installed() -> Iterator[None]:
    modules = {"torch": _torch(), "triton": MODULE, "triton.language": MODULE.language}
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


class Host:
    """A program, ready to be run on inputs."""

    def __init__(self, program: TileProgram) -> None:
        self.program, self.calls = program, []
        MODULE.jit = lambda function: Kernel(function, self.calls)
        self.space: dict[str, Any] = {}
        with _installed():
            exec(compile(program.text, "generated.py", "exec"), self.space)

    def launches(self, inputs: Inputs, most: int = MOST) -> list[Call]:
        """The launches that `main` makes of its inputs, but for too large ones."""
        self.calls.clear()
        given: dict[str, Any] = {name: inputs[name] for name in self.program.numbers}
        if self.program.given:
            shape, strides = inputs["a"]
            size = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if 0 not in shape else 0
            given["a"] = Tensor(shape, strides, [1 + k % 7 for k in range(min(size, MOST + 1))])
        with suppress(Refused, AssertionError, ZeroDivisionError):
            self.space["main"](**given)
        return [
            c for c in self.calls
            if math.prod(c.grid) <= most and all(len(v) <= most for _, v in c.arrays.values())
        ]  # fmt: skip


def draw(program: TileProgram, count: int) -> list[Inputs]:
    """Small inputs of `main`."""
    ch = Seeded(f"{program.seed}/inputs")
    out: list[Inputs] = []
    for _ in range(count):
        n = ch.integer(1, 20) if ch.chance(60) else ch.integer(1, 8)
        m = n if ch.chance(30) else ch.integer(1, 9)
        if not program.given:
            out.append({"n": n, "m": m})
            continue
        n = min(n, 9)
        out.append({"a": ((n, m), (m if ch.chance(60) else m + ch.integer(1, 3), 1))})
    return out
