"""Launches that break a predicate of the contract: on the elements of arrays, on memory, on the device."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gpulint.compile.tile.signature import PointerSpec
from gpulint.conform.broken import Moves, told
from gpulint.conform.outside import Given, Launch, Outside, itemsize
from gpulint.contract.clause import QUANTIFIED, Clause
from gpulint.contract.limits import DEVICES, DeviceLimits
from gpulint.interp.environment import Environment
from gpulint.ir.types import IntType
from gpulint.runtime import errors as e
from gpulint.runtime.plan import Plan
from gpulint.term import evaluate


def broken(plan: Plan, launches: Sequence[Launch], limits: DeviceLimits) -> Iterator[Outside]:
    """For each predicate, the launches nearest to one within the contract that break it, if there are any."""
    for c in {str(c): c for c in plan.clauses if c.predicate}.values():
        for launch in launches:
            found = list(_of(plan, c, launch, limits))
            if found:
                yield from found
                break


def _of(plan: Plan, c: Clause, launch: Launch, limits: DeviceLimits) -> Iterator[Outside]:
    if c.predicate in ("injective", "sorted", "within", "above"):
        yield from _contents(plan, c, launch, limits)
    elif c.predicate in ("noalias", "aligned", "contiguous"):
        yield from _memory(plan, c, launch, limits)
    elif c.predicate not in QUANTIFIED:
        yield from _limits(plan, c, launch, limits)


# --- elements


def _contents(plan: Plan, c: Clause, launch: Launch, limits: DeviceLimits) -> Iterator[Outside]:
    name = c.arrays[0]
    values = list(launch.arguments[name].values)
    env = Moves(plan, limits).environment(launch)
    for other, says in _others(plan, c, values, env):
        changed = launch.passing(name, replace(launch.arguments[name], values=tuple(other)))
        all_broken = [x for x in plan.clauses if x.arrays == (name,) and not _true(x, other, env)]
        first = all_broken[0]
        yield Outside(
            f"`{c}`", f"other elements of {name}", changed, (e.ContentsBroken,),
            (f"`{first}`", *(says if first == c else ())), len(all_broken) == 1,
        )  # fmt: skip


def _others(
    plan: Plan, c: Clause, values: list[int], env: Environment
) -> Iterator[tuple[list[int], tuple[str, ...]]]:
    """Elements by which a clause does not hold, one or two of them changed, and what the error must tell."""
    name = c.arrays[0]
    if c.predicate == "injective" and len(values) > 1:
        yield [values[-1], *values[1:]], ("1 elements repeat",)
    if c.predicate == "sorted" and len(values) > 1 and values[0] != values[-1]:
        k = next(k for k in range(len(values) - 1) if values[k] != values[k + 1])
        swapped = [*values[:k], values[k + 1], values[k], *values[k + 2 :]]
        yield swapped, (f"{name}[{k}] is {swapped[k]}", f"{name}[{k + 1}] is {values[k]}")
    if c.predicate in ("within", "above") and values:
        low = evaluate(c.bounds[0], env)
        if _fits(plan, name, low - 1):
            yield [low - 1, *values[1:]], (f"least element is {low - 1}", f"not {low}")
        if c.predicate == "within" and _fits(plan, name, high := evaluate(c.bounds[1], env)):
            yield [*values[:-1], high], (f"largest element is {high}", f"not < {high}")


def _true(c: Clause, values: Sequence[int], env: Environment) -> bool:
    """Whether elements are as a clause says."""
    if c.predicate == "injective":
        return len(set(values)) == len(values)
    if c.predicate == "sorted":
        return list(values) == sorted(values)
    if c.predicate == "above":
        return all(v >= evaluate(c.bounds[0], env) for v in values)
    if c.predicate == "within":
        return all(evaluate(c.bounds[0], env) <= v < evaluate(c.bounds[1], env) for v in values)
    return True


def _fits(plan: Plan, array: str, value: int) -> bool:
    """Whether the elements of an array can be so much."""
    spec = next(a.spec for a in plan.arguments if a.name == array)
    t = getattr(spec, "element", None)
    return isinstance(t, IntType) and t.lo <= value <= t.hi


# --- memory


def _memory(plan: Plan, c: Clause, launch: Launch, limits: DeviceLimits) -> Iterator[Outside]:
    name = c.arrays[0]
    given: Given = launch.arguments[name]
    a = next(a for a in plan.arguments if a.name == name)
    size = itemsize(a)
    if c.predicate == "aligned":
        unit = c.bounds[0].value or 1
        if unit > size:
            moved = launch.passing(name, replace(given, moved=size))
            yield Outside(f"`{c}`", f"{name} is {size} bytes on", moved, (e.Misaligned,), (name, str(unit)))
    elif c.predicate == "contiguous":
        strides = doubled(given, size)
        if strides is not None and not isinstance(a.spec, PointerSpec):
            spread = launch.passing(name, replace(given, strides=strides))
            found = told(Moves(plan, limits), spread, c, f"{name} has the strides {strides}")
            yield from [found] if found is not None else []
    else:
        for other in c.arrays[1:]:
            moved = launch.passing(other, replace(launch.arguments[other], within=name))
            how = f"{other} lies in the memory of {name}"
            yield Outside(f"`{c}`", how, moved, (e.ArraysOverlap,), (name, other))


def doubled(given: Given, size: int) -> tuple[int, ...] | None:
    """Strides with a gap after every element, or None for an array of one element, where none shows."""
    if given.count < 2:
        return None
    return tuple(2 * size * math.prod(given.shape[k + 1 :]) for k in range(len(given.shape)))


# --- the device


def _limits(plan: Plan, c: Clause, launch: Launch, limits: DeviceLimits) -> Iterator[Outside]:
    amount = c.bounds[0].value if c.bounds else None
    if amount is None:
        return
    if c.predicate == "max_shared" and amount < limits.opt_in_shared and not plan.tile:
        shared = amount - plan.static_shared + 1
        says = (str(amount + 1), str(amount))
        changed = replace(launch, shared=shared)
        yield Outside(f"`{c}`", f"{shared} bytes are asked for", changed, (e.SharedAboveContract,), says)
    if c.predicate == "min_cc":
        older = [d for d in DEVICES.values() if d.cc < amount]
        for d in sorted(older, key=lambda d: -d.cc)[:1]:
            says = (str(d.cc), str(max(amount, plan.arch)))
            changed = replace(launch, arch=d.arch)
            yield Outside(f"`{c}`", f"the limits of {d.arch}", changed, (e.CapabilityTooLow,), says)
    if c.predicate == "cluster" and amount > 1:
        x, y, z = launch.grid
        grid = next((g, y, z) for g in range(x + 1, x + amount + 1) if g * y * z % amount)
        says = (str(math.prod(grid)), str(amount))
        yield Outside(f"`{c}`", f"grid {grid}", replace(launch, grid=grid), (e.ClusterUneven,), says)
