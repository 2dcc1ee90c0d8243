"""A checked launch: prepared for a grid and a block once, then called with arguments.

Every call is held against the contract of the kernel and the assumptions of its proof. What was decided for a
call is remembered by the addresses, shapes and strides of its arrays and by its numbers, so that the same
arguments again cost a look-up. The contents of index arrays are not remembered: they may have changed.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpulint.compile.tile.signature import PointerSpec
from gpulint.contract.clause import Clause
from gpulint.contract.limits import DeviceLimits
from gpulint.interp.environment import Environment
from gpulint.runtime import checks
from gpulint.runtime import errors as e
from gpulint.runtime.arrays import Device, describe, glance
from gpulint.runtime.checks import Number
from gpulint.runtime.driver import Driver
from gpulint.runtime.plan import Plan

KEPT = 64  # calls remembered by one prepared launch
DEFAULT_SHARED = 48 * 1024

_C: dict[str, Any] = {
    "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "float": ctypes.c_float, "double": ctypes.c_double, "fp32": ctypes.c_float,
}  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """What was decided for some arguments: the launch, ready to be queued.

    `values` keeps the parameters alive that it points to. `open`: clauses about the elements of arrays, which
    are looked at in every call.
    """

    launch: Callable[[], None]
    values: tuple[Any, ...]
    open: tuple[Clause, ...]
    arrays: dict[str, Device]
    environment: Environment


class Prepared:
    """One kernel with a grid, a block, dynamic shared memory and a stream, ready to be called.

    Raises what `runtime.errors` lists: at once for what the sizes decide, when called for the arguments.
    """

    def __init__(
        self, plan: Plan, driver: Driver, grid: int | Sequence[int], block: int | Sequence[int] | None = None,
        shared: int = 0, stream: int = 0, trusted: str = "", waived: str = "",
    ) -> None:  # fmt: skip
        """`trusted`: why the elements of index arrays are as the contract says, so that none is looked at.

        `waived`: why the launch may go ahead although its contract is not checked; the device's limits and
        the types of the arguments still are.
        """
        self.plan, self.driver, self.stream = plan, driver, stream
        self.trusted, self.waived = trusted, waived
        self.block, self.grid = checks.block_of(plan, block, shared), checks.dims(grid, "grid")
        self.shared = shared = shared + plan.shared
        self.limits: DeviceLimits = driver.limits()
        checks.geometry(plan, self.limits, self.grid, self.block, shared)
        self.functions = functions(plan, driver)
        for name, function in self.functions.items():
            most = driver.most_threads(function)
            threads = self.block[0] * self.block[1] * self.block[2]
            if threads > most:
                raise e.FunctionThreadsTooMany(f"{threads} threads a block; the code runs with {most}")
            if plan.static_shared + shared > DEFAULT_SHARED:
                driver.allow_shared(function, shared)
            if name == plan.entry and checks.least_blocks(plan):
                checks.occupancy(plan, driver.blocks(function, threads, shared))
            if plan.cooperative:
                checks.together(driver.resident(function, threads, shared), self.grid, stream)
        self.scratch = Scratch(plan, driver, self.grid, stream)
        self.unmasked: Prepared | None = None
        if plan.unmasked is not None and not waived:
            self.unmasked = Prepared(plan.unmasked, driver, grid, None, 0, stream)
        self.decided: dict[Any, Decision] = {}
        self.seen: dict[Any, Decision] = {}

    def __call__(self, *arguments: Any) -> None:
        """Check the arguments and launch. Returns as soon as the launch is queued."""
        key = tuple(map(glance, arguments))
        found = self.seen.get(key)
        if found is None:
            found = self.decide(arguments)
            if None not in key:
                if len(self.seen) >= KEPT:
                    self.seen.clear()
                self.seen[key] = found
        for c in found.open:
            self.look(c, found)
        found.launch()

    def decide(self, arguments: Sequence[Any]) -> Decision:
        """What to launch for these arguments, remembered or worked out."""
        plan = self.plan
        if len(arguments) != len(plan.arguments):
            raise e.ArgumentCount(f"{len(arguments)} arguments; the kernel takes {len(plan.arguments)}")
        given: dict[str, Device] = {}
        numbers: dict[str, Number] = {}
        for a, argument in zip(plan.arguments, arguments, strict=True):
            if a.memory:
                found_ = describe(argument, a.name)
                given[a.name] = checks.reach(a, found_) if isinstance(a.spec, PointerSpec) else found_
            else:
                numbers[a.name] = checks.scalar(a, argument, plan.assume)
        key = (tuple(given.values()), tuple(numbers.values()))
        found = self.decided.get(key)
        if found is None:
            found = self._decision(given, numbers)
            if len(self.decided) >= KEPT:
                self.decided.clear()
            self.decided[key] = found
        return found

    def _decision(self, given: dict[str, Device], numbers: dict[str, Number]) -> Decision:
        plan = self.plan
        for a in plan.arguments:
            if a.name in given:
                checks.array(a, given[a.name], plan.assume)
                self._placed(a.name, given[a.name])
        env = checks.environment(plan, given, numbers, self.grid, self.block)
        left: tuple[Clause, ...] = ()
        if not self.waived:
            checks.overlaps(plan, given)
            left = checks.clauses(plan, given, env)
        made = self
        if self.unmasked is not None and checks.meets(plan.when, env):
            made = self.unmasked
        return made._ready(given, numbers, env, () if self.trusted else left)

    def _ready(
        self, given: dict[str, Device], numbers: dict[str, Number], env: Environment, left: tuple[Clause, ...]
    ) -> Decision:
        """The launch of arguments that were checked."""
        plan = self.plan
        values = [self._value(p, given, numbers) for p in plan.parameters]
        name, grid = plan.entry, self.grid
        second = None if self.waived else checks.second(plan, given, self.grid, self.block)
        if second is not None:
            points = self.grid[0] * self.block[0]
            name, grid = second.entry, (-(-points // (second.points * self.block[0])), 1, 1)
            values.append(ctypes.c_int64(points))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        launch = self.driver.launcher(
            self.functions[name], grid, self.block, self.shared, self.stream, pointers, plan.cooperative
        )
        return Decision(launch, tuple(values), left, given, env)

    def _value(
        self, p: tuple[str, str, str, int], given: dict[str, Device], numbers: dict[str, Number]
    ) -> Any:
        if p[1] == "counter":
            return ctypes.c_uint64(self.driver.counter(self.stream))
        if p[1] == "scratch":
            return ctypes.c_uint64(self.scratch.pointer if p[3] == 0 else 0)
        return value(p, given, numbers)

    def _placed(self, name: str, a: Device) -> None:
        where = self.driver.device_of(a.pointer) if a.count else None
        if where is not None and where != self.driver.number:
            raise e.DeviceDiffers(f"`{name}` is on device {where}; the launch is for {self.driver.number}")

    def look(self, c: Clause, found: Decision) -> None:
        """Check a clause about the elements of an array by fetching them."""
        a = found.arrays[c.arrays[0]]
        kind = {"int": "bhiq", "uint": "BHIQ"}.get(a.dtype.rstrip("0123456789"))
        if kind is None or not a.contiguous:
            raise e.ContentsUnknown(f"`{c}` cannot be checked: {c.arrays[0]} is strided or no integer array")
        letter = kind[{1: 0, 2: 1, 4: 2, 8: 3}[a.itemsize]]
        raw = self.driver.fetch(a.pointer, a.count * a.itemsize) if a.count else b""
        checks.contents(c, struct.unpack(f"<{a.count}{letter}", raw), found.environment)


class Scratch:
    """Memory of the device for the programs of a Triton kernel, as long as the launch is kept.

    Launches of one stream follow each other, so that they can share it.
    """

    def __init__(self, plan: Plan, driver: Driver, grid: tuple[int, int, int], stream: int) -> None:
        self.driver, self.pointer = driver, 0
        if plan.scratch:
            if stream == checks.PER_THREAD:
                raise e.StreamUnfit("launches of several threads would share memory; name a stream")
            self.pointer = driver.allocate(plan.scratch * grid[0] * grid[1] * grid[2])

    def __del__(self) -> None:
        if self.pointer:
            self.driver.free(self.pointer)


def functions(plan: Plan, driver: Driver) -> dict[str, ctypes.c_void_p]:
    """The functions of a plan's code, loaded once a process."""
    names = (plan.entry, *([plan.second.entry] if plan.second else []))
    key = (id(driver), plan.code, names)
    if key not in _loaded:
        module = driver.load(plan.code)
        # with the driver: another one must not come to lie where this one was
        _loaded[key] = driver, {name: driver.function(module, name) for name in names}
    return _loaded[key][1]


_loaded: dict[tuple[int, str | bytes, tuple[str, ...]], tuple[Driver, dict[str, ctypes.c_void_p]]] = {}


def value(p: tuple[str, str, str, int], given: dict[str, Device], numbers: dict[str, Number]) -> Any:
    """A parameter of the compiled function as C holds it."""
    name, kind, type_, axis = p
    if kind == "pointer":
        return ctypes.c_uint64(given[name].pointer)
    if kind == "extent":
        return ctypes.c_int64(given[name].shape[axis])
    if kind == "stride":
        return ctypes.c_int64(given[name].strides[axis])
    number = numbers[name]
    if type_ == "half":
        return ctypes.c_uint16(struct.unpack("<H", struct.pack("<e", float(number)))[0])
    return _C[type_](number)
