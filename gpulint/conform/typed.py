"""Launches that break what is checked without any clause: sizes that devices take, types, memory.

Each is one step beyond what is taken: one thread, one byte, one element, one argument.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from gpulint.compile.signature import ArraySpec
from gpulint.compile.tile.signature import PointerSpec
from gpulint.conform.broken import cluster
from gpulint.conform.outside import Given, Launch, Outside, itemsize
from gpulint.conform.predicates import doubled
from gpulint.contract.limits import COOPERATIVE, DEVICES, DeviceLimits
from gpulint.ir.symbols import AXES
from gpulint.ir.types import BoolType, FloatType, IntType
from gpulint.runtime import errors as e
from gpulint.runtime.arrays import CODES, dtype_of
from gpulint.runtime.plan import Argument, Plan

MOST = 2**31 - 2**20  # elements and threads that a proof takes at the most, when it says so
OTHER = {"f": "i", "i": "f", "u": "i", "b": "i"}  # kinds of elements of the same size
PER_THREAD = 2  # the default stream that each thread of the host has for itself


def launches(
    plan: Plan, base: Launch, limits: DeviceLimits, threads: int, resident: int
) -> Iterator[Outside]:
    """All that the plan has occasion for, from a launch within the contract.

    The code runs with at most so many `threads` a block, and `resident` blocks of the launch at a time.
    """
    yield from _grid(plan, base, limits)
    if not plan.tile:
        yield from _block(plan, base, limits, threads)
        yield from _shared(plan, base, limits)
    yield from _device(plan, base, resident)
    for a in plan.arguments:
        yield from _array(plan, base, a) if a.memory else _number(plan, base, a)
    yield from _arguments(plan, base)
    yield from _overlaps(plan, base)


def _beyond(kind: type[e.LaunchRefused], how: str, launch: Launch, *says: Any) -> Outside:
    return Outside(kind.__name__, how, launch, (kind,), tuple(map(str, says)))


def _with(sizes: tuple[int, ...], axis: int, value: int) -> tuple[int, ...]:
    return (*sizes[:axis], value, *sizes[axis + 1 :])


# --- sizes


def _grid(p: Plan, base: Launch, limits: DeviceLimits) -> Iterator[Outside]:
    yield _beyond(e.GridRank, "four grid sizes", replace(base, grid=(1, 1, 1, 1)), "(1, 1, 1, 1)", "three")
    for axis, name in enumerate(AXES):
        none = replace(base, grid=_with(base.grid, axis, 0))
        yield _beyond(e.GridZero, f"grid.{name} is 0", none, f"grid.{name} is 0", "at least 1")
        top = limits.grid[axis]
        more = replace(base, grid=_with(base.grid, axis, top + 1))
        yield _beyond(e.GridAxisTooLarge, f"grid.{name} is {top + 1}", more, top + 1, top)
    count = MOST // (1 if p.tile else base.block[0]) + 1
    if "int32-sizes" in p.assume and count <= limits.grid[0]:
        large = replace(base, grid=_with(base.grid, 0, count))
        along = count * (1 if p.tile else base.block[0])
        yield _beyond(e.LaunchTooLarge, f"grid.x is {count}", large, along, MOST)


def _block(p: Plan, base: Launch, limits: DeviceLimits, threads: int) -> Iterator[Outside]:
    yield _beyond(e.BlockRank, "no block size", replace(base, block=()), "()", "one to three")
    for axis, name in enumerate(AXES):
        none = replace(base, block=_with(base.block, axis, 0))
        yield _beyond(e.BlockZero, f"block.{name} is 0", none, f"block.{name} is 0", "at least 1")
        top = limits.block[axis]
        large = replace(base, block=_with((1, 1, 1), axis, top + 1))
        yield _beyond(e.BlockAxisTooLarge, f"block.{name} is {top + 1}", large, top + 1, top)
        for size in (base.block[axis] - 1, base.block[axis] + 1):
            other = _with(base.block, axis, size)
            if p.block is not None and 1 <= size <= top and math.prod(other) <= limits.threads:
                launch = replace(base, block=other)
                yield _beyond(e.BlockDiffers, f"block.{name} is {size}", launch, other, p.block)
    over = limits.threads + 1
    wide = next(n for n in range(2, over) if over % n == 0 and n <= limits.block[1])
    crowd = replace(base, block=(over // wide, wide, 1))
    yield _beyond(e.TooManyThreads, f"{over} threads a block", crowd, over, limits.threads)
    if p.block is None and threads < limits.threads:
        row = replace(base, block=(threads + 1, 1, 1))
        yield _beyond(e.FunctionThreadsTooMany, f"{threads + 1} threads a block", row, threads + 1, threads)


def _shared(p: Plan, base: Launch, limits: DeviceLimits) -> Iterator[Outside]:
    yield _beyond(e.SharedNegative, "-1 bytes are asked for", replace(base, shared=-1), -1, 0)
    over = limits.opt_in_shared - p.static_shared + 1
    says = (p.static_shared, over, limits.opt_in_shared)
    yield _beyond(e.SharedTooLarge, f"{over} bytes are asked for", replace(base, shared=over), *says)


def _device(p: Plan, base: Launch, resident: int) -> Iterator[Outside]:
    older = [d for d in DEVICES.values() if d.cc < p.arch]
    for d in sorted(older, key=lambda d: -d.cc)[:1]:
        before = replace(base, arch=d.arch)
        yield _beyond(e.CapabilityTooLow, f"the limits of {d.arch}", before, d.cc, p.arch)
    if p.cooperative and resident:
        count = resident + 1 + -(resident + 1) % cluster(p)
        many, other = replace(base, grid=(count, 1, 1)), replace(base, stream=PER_THREAD)
        for o in (
            _beyond(e.GridNotResident, f"{count} blocks", many, count, resident),
            _beyond(e.StreamUnfit, "a stream of each thread", other, "stream"),
        ):
            yield replace(o, breaks=f"`{COOPERATIVE}`")


# --- arguments


def _arguments(p: Plan, base: Launch) -> Iterator[Outside]:
    count = len(p.arguments)
    for more in (-1, 1):
        how = f"{count + more} arguments"
        yield _beyond(e.ArgumentCount, how, replace(base, more=more), count + more, count)


def _array(p: Plan, base: Launch, a: Argument) -> Iterator[Outside]:
    given: Given = base.arguments[a.name]
    size = itemsize(a)

    def but(kind: type[e.LaunchRefused], how: str, *says: Any, **changed: Any) -> Outside:
        return _beyond(
            kind, f"{a.name}: {how}", base.passing(a.name, replace(given, **changed)), a.name, *says
        )

    yield _beyond(e.NotAnArray, f"{a.name}: a number", base.passing(a.name, 3), a.name, "int")
    kind, other = _other(a)
    yield but(e.ElementTypeDiffers, f"elements {other}", kind, typestr=other)
    many = (MOST + 1, *[1] * (len(given.shape) - 1))
    if isinstance(a.spec, ArraySpec):
        more = (*given.shape, 1)
        yield but(e.RankDiffers, "one more axis", len(more), len(given.shape), shape=more)
    if "non-empty" in p.assume:
        yield but(e.EmptyArray, "no elements", "0", shape=_with(given.shape, 0, 0), values=())
    if "int32-sizes" in p.assume:
        yield but(e.ArrayTooLarge, f"{MOST + 1} elements", MOST + 1, MOST, shape=many, values=())
    yield but(e.NullPointer, "no memory", given.count, null=True)
    unit = size if isinstance(a.spec, PointerSpec) else a.spec.alignment  # type: ignore[union-attr]
    if unit > 1:
        yield but(e.Misaligned, "one byte on", unit, moved=1)
    gaps = doubled(given, size)
    if gaps is not None and isinstance(a.spec, ArraySpec) and a.spec.contiguous:
        yield but(e.NotContiguous, "gaps between elements", gaps, given.shape, strides=gaps)
    if a.written:
        yield but(e.ReadOnly, "read-only", "writes", read_only=True)
    wide = next((k for k, n in enumerate(given.shape) if n > 1), None)
    if a.written and wide is not None and isinstance(a.spec, ArraySpec) and not a.spec.contiguous:
        whole = tuple(size * math.prod(given.shape[k + 1 :]) for k in range(len(given.shape)))
        once = _with(whole, wide, 0)
        yield but(e.SelfOverlap, "an element in several places", once, strides=once)


def _other(a: Argument) -> tuple[str, str]:
    """What the elements are called, and the code of others of the same size."""
    if isinstance(a.spec, ArraySpec) and a.spec.record is not None:
        return str(a.spec.record), f"|V{a.spec.size + a.spec.alignment}"
    if isinstance(a.spec, PointerSpec):
        name, code = a.spec.dtype, CODES.get(a.spec.dtype, "f2")
    else:
        assert isinstance(a.spec, ArraySpec)
        name = dtype_of(a.spec.element)[0]
        code = CODES[name]
    letter = "u" if code == "f2" or code == "i1" else OTHER[code[0]]
    return name, f"<{letter}{code[1:]}"


def _number(p: Plan, base: Launch, a: Argument) -> Iterator[Outside]:
    assert not a.memory
    t = a.spec.type  # type: ignore[union-attr]
    yield _beyond(e.NotANumber, f"{a.name}: a text", base.passing(a.name, "1"), a.name, "str")
    if isinstance(t, (FloatType, BoolType)):
        return
    assert isinstance(t, IntType)
    yield _beyond(e.NotANumber, f"{a.name}: a fraction", base.passing(a.name, 1.5), a.name, "1.5")
    low, high = t.lo, t.hi
    if "int32-sizes" in p.assume:
        low, high = max(low, -(2**31)), min(high, 2**31 - 1)
    for value in (low - 1, high + 1):
        launch = base.passing(a.name, value)
        yield _beyond(e.ScalarDoesNotFit, f"{a.name} is {value}", launch, value, low, high)


def _overlaps(p: Plan, base: Launch) -> Iterator[Outside]:
    """Each array from the last element of another on, where the kernel writes one of them."""
    for a, b in combinations([x for x in p.arguments if x.memory], 2):
        if not (a.written or b.written):
            continue
        given: Given = base.arguments[a.name]
        end = given.count * itemsize(a)
        for moved, kinds in ((end - 1, (e.ArraysOverlap,)), (end + itemsize(b) - 1, ())):
            at = moved // itemsize(b) * itemsize(b)
            launch = base.passing(b.name, replace(base.arguments[b.name], within=a.name, moved=at))
            how = f"{b.name} {at} bytes on from the start of {a.name}, which has {end}"
            yield Outside("ArraysOverlap", how, launch, kinds, (a.name, b.name) if kinds else ())
