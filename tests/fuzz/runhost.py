"""Running the host code of generated programs as plain Python: which launch do given inputs lead to?

Stand-ins for NumPy and `numba.cuda` know shapes and first values only. Shares nothing with the
frontend for host code.
"""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from fuzz.choose import Seeded
from fuzz.expressions import ArrayParam
from fuzz.host import HostProgram
from fuzz.launches import MAX_REPORTS, MAX_STEPS, Contents

from gpulint.interp.launch import ConcreteArray, ConcreteLaunch

Inputs = Mapping[str, Any]  # numbers, and shapes of arrays
MOST = 400  # elements of an array, or threads of a launch


class Refused(Exception):
    """The host or the device refuses: nothing is launched."""


@dataclass
class Buffer:
    """An array of the host or the device. `fill`: what it holds; `None` for no value, or `arange`."""

    shape: tuple[int, ...]
    dtype: str
    fill: Any

    def __post_init__(self) -> None:
        if any(n < 0 for n in self.shape):
            raise Refused

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, tuple) else (shape,)


def _numpy() -> Any:
    np: Any = types.ModuleType("numpy")
    for name in ("int32", "int64", "float32", "float64"):
        setattr(np, name, name)
    np.zeros = lambda shape, dtype="float64": Buffer(_shape(shape), dtype, 0)
    np.ones = lambda shape, dtype="float64": Buffer(_shape(shape), dtype, 1)
    np.arange = lambda n, dtype="int64": Buffer((max(n, 0),), dtype, "arange")
    return np


def _cuda(calls: list[Any]) -> Any:
    class Kernel:
        def __getitem__(self, config: Any) -> Any:
            def launch(*args: Any) -> None:
                if min(*_shape(config[0]), *_shape(config[1]), 1) < 1:
                    raise Refused
                calls.append((config[0], config[1], args))

            return launch

    def jit(*args: Any, **options: Any) -> Any:
        return Kernel() if args and callable(args[0]) else lambda f: Kernel()

    cuda: Any = types.ModuleType("numba.cuda")
    cuda.jit = jit
    cuda.to_device = lambda a: Buffer(a.shape, a.dtype, a.fill)
    cuda.device_array = lambda shape, dtype="float64": Buffer(_shape(shape), dtype, None)
    cuda.device_array_like = lambda a: Buffer(a.shape, a.dtype, None)
    return cuda


@contextmanager
def _installed(cuda: Any) -> Iterator[None]:
    numba: Any = types.ModuleType("numba")
    numba.cuda = cuda
    modules = {"numba": numba, "numba.cuda": cuda, "numpy": _numpy()}
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


def launch_of(program: HostProgram, inputs: Inputs, most: int = MOST) -> ConcreteLaunch | None:
    """The first launch that `main` makes of its inputs; None when it makes none or too large a one."""
    made = launches_of(program, inputs, most)
    return made[0] if made else None


def launches_of(program: HostProgram, inputs: Inputs, most: int = MOST) -> list[ConcreteLaunch]:
    """The launches that `main` makes of its inputs, up to one that is refused, but for too large ones."""
    calls: list[Any] = []
    with _installed(_cuda(calls)):
        space: dict[str, Any] = {}
        exec(compile(program.text, "generated.py", "exec"), space)
        numbers = [inputs[name] for name in program.numbers]
        arrays = [Buffer(tuple(inputs[a.name]), a.dtype, "counting") for a in program.given]
        with suppress(Refused, ValueError, AssertionError, ZeroDivisionError):
            space["main"](*numbers, *arrays)
    made = (_launch(program, *call, most) for call in calls)
    return [x for x in made if x is not None]


def _launch(program: HostProgram, grid: Any, block: Any, args: Any, most: int) -> ConcreteLaunch | None:
    sizes = [(*_shape(x), 1, 1)[:3] for x in (grid, block)]
    if (
        min(min(s) for s in sizes) < 1
        or math.prod(sizes[1]) > 1024
        or math.prod(map(math.prod, sizes)) > most
    ):
        return None
    kernel = program.kernel
    arrays = {a.name: _concrete(a, b) for a, b in zip(kernel.arrays, args, strict=False)}
    if any(math.prod(a.shape) > most for a in arrays.values()):
        return None
    scalars = dict(zip(kernel.scalars, args[len(kernel.arrays) :], strict=True))
    return ConcreteLaunch(*sizes, arrays, scalars, max_steps=MAX_STEPS, max_reports=MAX_REPORTS)


def _concrete(a: ArrayParam, b: Buffer) -> ConcreteArray:
    size = max(1, b.size)
    values = {"arange": range(size), "counting": range(1, 8)}.get(b.fill, (b.fill,))
    return ConcreteArray(b.shape, Contents(b.shape, tuple(values)), dtype=a.dtype)


def draw(program: HostProgram, count: int) -> list[Inputs]:
    """Small inputs of `main`, mostly ones that belong together."""
    ch = Seeded(f"{program.seed}/inputs")
    out: list[Inputs] = []
    for _ in range(count):
        n = ch.integer(1, 9) if ch.chance(90) else ch.integer(-1, 0)
        m = n if ch.chance(40) else ch.integer(1, 7)
        inputs: dict[str, Any] = {"n": n, "m": m}
        for a in program.given:
            own = [max(0, n if ch.chance(60) else ch.integer(0, 9)) for _ in range(a.ndim)]
            inputs[a.name] = tuple(own)
        out.append(inputs)
    return out
