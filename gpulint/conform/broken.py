"""Launches that break one clause about sizes, by as little as one of its numbers allows.

Whether a clause holds is asked of the reference interpreter's environment, not of the checks under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpulint.compile.signature import ArraySpec, ScalarSpec
from gpulint.compile.tile.signature import NumberSpec
from gpulint.conform.outside import Given, Launch, Outside, itemsize
from gpulint.contract.clause import Clause
from gpulint.contract.limits import DeviceLimits
from gpulint.interp.environment import Environment, environment
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.ir import symbols
from gpulint.ir.symbols import AXES
from gpulint.ir.types import IntType
from gpulint.runtime import errors as e
from gpulint.runtime.arrays import Device
from gpulint.runtime.plan import Argument, Plan, bare
from gpulint.term import Int, Sym, Unbound, holds
from gpulint.term import symbols as free

BYTES = 64 << 20  # of an array
SINGLE, DOUBLINGS = 8, 22  # steps tried one by one, and then twice as long each
NUMBER = 2**31 - 1


def broken(plan: Plan, launches: Sequence[Launch], limits: DeviceLimits, threads: int) -> Iterator[Outside]:
    """For each clause and each number in it that can break it, upwards and downwards, the nearest launch.

    `launches` lie within the contract; the code runs with at most so many `threads` a block.
    """
    moves = Moves(plan, limits)
    for c in {str(c): c for c in plan.clauses if not c.predicate}.values():
        for name in sorted({s.name for s in free(c.condition) if not s.boolean}):
            for way in (1, -1):
                found = [x for x in (_edge(moves, x, c, name, way, threads) for x in launches) if x]
                if found:
                    yield min(found, key=lambda o: not o.alone)


@dataclass(frozen=True)
class Moves:
    """The numbers of launches of a plan that can be changed: those that devices and types take."""

    plan: Plan
    limits: DeviceLimits

    def values(self, launch: Launch) -> dict[str, int]:
        """Every number that clauses may speak of, by name."""
        return self.environment(launch).numbers

    def environment(self, launch: Launch) -> Environment:
        arrays = {k: g for k, g in launch.arguments.items() if isinstance(g, Given)}
        scalars = {k: v for k, v in launch.arguments.items() if isinstance(v, (int, float))}
        block = (1, 1, 1) if self.plan.tile else launch.block
        told = ConcreteLaunch(
            launch.grid, block, {k: ConcreteArray(g.shape) for k, g in arrays.items()}, scalars
        )
        out = environment(bare(self.plan.arguments), told).numbers
        for name, g in arrays.items():
            for axis, stride in enumerate(g.strides or ()):
                out[_name(symbols.stride(name, axis))] = stride
                out[_name(symbols.stride(name, axis, "element"))] = stride // self._size(name)
        return Environment(out)

    def broken(self, launch: Launch) -> list[Clause]:
        """Clauses about sizes and strides that do not hold, in their order. Raises Unbound, KeyError."""
        env = self.environment(launch)
        return [c for c in self.plan.clauses if not self._holds(c, launch, env)]

    def _holds(self, c: Clause, launch: Launch, env: Environment) -> bool:
        if c.predicate == "contiguous":
            given: Given = launch.arguments[c.arrays[0]]
            return given.strides in (None, self._packed(c.arrays[0], given))
        return bool(c.predicate) or holds(c.condition, env)

    def unit(self, name: str) -> int:
        """The least step of a number: an element, of a stride in bytes."""
        array, _, rest = name.partition(".")
        return self._size(array) if rest.startswith("strides[") else 1

    def moved(self, launch: Launch, name: str, value: int) -> Launch | None:
        """The launch with another value of a number; None where nothing takes it."""
        kind, _, axis = name.partition(".")
        if kind in ("grid", "block") and axis in AXES:
            return self._geometry(launch, kind, AXES.index(axis), value)
        for a in self.plan.arguments:
            given = launch.arguments[a.name]
            if isinstance(given, Given):
                other = self._array(a, given, name, value)
                if other is not given:
                    return None if other is None else launch.passing(a.name, other)
            elif a.name == name and isinstance(a.spec, (ScalarSpec, NumberSpec)):
                t = a.spec.type
                taken = isinstance(t, IntType) and max(t.lo, -NUMBER) <= value <= min(t.hi, NUMBER)
                return launch.passing(name, value) if taken else None
        return None

    def _array(self, a: Argument, given: Given, name: str, value: int) -> Given | None:
        """The array with another extent or stride: itself where the number is none of its own."""
        shape = self._shape(a.name, given, name, value)
        if shape is not None:
            fits = min(shape) >= 1 and math.prod(shape) * itemsize(a) <= BYTES
            return replace(given, shape=shape) if fits else None
        strides = self._strides(a, given, name, value)
        if strides is None:
            return None if name.startswith((f"{a.name}.strides[", f"{a.name}.stride(")) else given
        piled = Device(0, given.shape, strides, "", itemsize(a)).overlaps_itself
        return None if a.written and piled else replace(given, strides=strides)

    def _geometry(self, launch: Launch, kind: str, axis: int, value: int) -> Launch | None:
        most = self.limits.grid if kind == "grid" else self.limits.block
        old: tuple[int, ...] = launch.grid if kind == "grid" else launch.block or ()
        if not old or not 1 <= value <= most[axis]:
            return None
        sizes = (*old[:axis], value, *old[axis + 1 :])
        if kind == "block" and math.prod(sizes) > self.limits.threads:
            return None
        return replace(launch, grid=sizes) if kind == "grid" else replace(launch, block=sizes)

    def _shape(self, array: str, given: Given, name: str, value: int) -> tuple[int, ...] | None:
        for axis in range(len(given.shape)):
            if name == _name(symbols.extent(array, axis, len(given.shape))):
                return (*given.shape[:axis], value, *given.shape[axis + 1 :])
        return None

    def _strides(self, a: Argument, given: Given, name: str, value: int) -> tuple[int, ...] | None:
        """Strides of an array that may be strided, with another one."""
        if not isinstance(a.spec, ArraySpec) or a.spec.contiguous or value < 1:
            return None
        size = itemsize(a)
        now = given.strides or self._packed(a.name, given)
        for axis in range(len(given.shape)):
            for unit, each in (("byte", 1), ("element", size)):
                if name == _name(symbols.stride(a.name, axis, unit)) and value * each % size == 0:
                    return (*now[:axis], value * each, *now[axis + 1 :])
        return None

    def _packed(self, array: str, given: Given) -> tuple[int, ...]:
        return tuple(self._size(array) * math.prod(given.shape[k + 1 :]) for k in range(len(given.shape)))

    def _size(self, array: str) -> int:
        return next(itemsize(a) for a in self.plan.arguments if a.name == array)


def _name(term: Int) -> str:
    atom = term.atom
    assert isinstance(atom, Sym)
    return atom.name


def _edge(moves: Moves, launch: Launch, c: Clause, name: str, way: int, threads: int) -> Outside | None:
    """The launch nearest to one within the contract, along one number and one way, that breaks a clause."""
    at = moves.values(launch).get(name)
    if at is None:
        return None

    unit = way * moves.unit(name)

    def breaks(step: int) -> bool | None:
        found = moves.moved(launch, name, at + unit * step)
        try:
            return None if found is None else not holds(c.condition, moves.environment(found))
        except (KeyError, Unbound, ZeroDivisionError):
            return None

    step = _first(breaks)
    found = moves.moved(launch, name, at + unit * step) if step else None
    if found is None:
        return None
    before = _before(moves.plan, found, name, threads)
    values = moves.values(found)
    return told(moves, found, c, f"{name} is {values[name]}", before)


def _first(breaks: Callable[[int], bool | None]) -> int:
    """The least step at which something breaks; 0 where none is found before steps that are not taken."""
    last = 0
    for step in (*range(1, SINGLE), *(SINGLE << k for k in range(DOUBLINGS))):
        if breaks(step) is None:
            most = _between(last, step, lambda x: breaks(x) is None) - 1
            return _between(last, most, lambda x: bool(breaks(x))) if breaks(most) else 0
        if breaks(step):
            return _between(last, step, lambda x: bool(breaks(x)))
        last = step
    return 0


def _between(low: int, high: int, beyond: Callable[[int], bool]) -> int:
    """The least number above `low` that is `beyond`, as `high` is, where all above it are too."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def _before(
    plan: Plan, launch: Launch, name: str, threads: int
) -> tuple[type[e.LaunchRefused], tuple[Any, ...]] | None:
    """What refuses another block or grid before any clause is looked at, and what it says."""
    if name.startswith("block.") and plan.block is not None:
        return e.BlockDiffers, (launch.block, plan.block)
    if name.startswith("block.") and (count := math.prod(launch.block)) > threads:
        return e.FunctionThreadsTooMany, (count, threads)
    if name.startswith("grid.") and (blocks := math.prod(launch.grid)) % (size := cluster(plan)):
        return e.ClusterUneven, (blocks, size)
    return None


def told(
    moves: Moves, launch: Launch, c: Clause, how: str,
    before: tuple[type[e.LaunchRefused], tuple[Any, ...]] | None = None,
) -> Outside | None:  # fmt: skip
    """A launch that breaks a clause with the refusal that it must meet: the first clause that it breaks."""
    try:
        all_broken = list({str(x): x for x in moves.broken(launch)}.values())
    except (KeyError, Unbound, ZeroDivisionError):
        return None
    first = all_broken[0]
    if before is not None:
        kind, says = before
    elif first.predicate:
        kind, says = e.NotContiguous, (f"`{first}`", launch.arguments[first.arrays[0]].strides)
    else:
        values = moves.values(launch)
        sides = [f"{s.name} is {values[s.name]}" for s in free(first.condition)]
        kind, says = e.ClauseBroken, (f"`{first}`", *sides)
    return Outside(f"`{c}`", how, launch, (kind,), tuple(map(str, says)), len(all_broken) == 1)


def cluster(plan: Plan) -> int:
    """Blocks of a cluster; 1 where the contract has none."""
    return next((c.bounds[0].value or 1 for c in plan.clauses if c.predicate == "cluster"), 1)
