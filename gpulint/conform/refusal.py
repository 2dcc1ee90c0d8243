"""Launches outside of a contract, made through the checked launch: each must be refused, and for its reason.

The arrays lie in the device's memory and every check is the real one. What would be queued is noted
in place of it, so that a launch that should have been refused does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from gpulint.conform import broken, predicates, typed
from gpulint.conform.case import Case
from gpulint.conform.device import code_of, packed
from gpulint.conform.outside import Given, Launch, Outside, inside, itemsize
from gpulint.conform.subject import MEMORY
from gpulint.contract.limits import DEVICES, DeviceLimits
from gpulint.runtime.driver import Driver
from gpulint.runtime.errors import LaunchRefused
from gpulint.runtime.plan import Argument, Plan
from gpulint.runtime.prepare import Prepared, functions

SHOWN = 5


class Noting:
    """A driver that notes launches in place of queueing them, with another device's limits where asked."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.noted, self.arch = driver, 0, ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.driver, name)

    def limits(self) -> DeviceLimits:
        return DEVICES[self.arch] if self.arch else self.driver.limits()

    def launcher(self, *given: Any) -> Callable[[], None]:
        def note() -> None:
            self.noted += 1

        return note


@dataclass(frozen=True)
class Refused:
    """What came of the launches outside one kernel's contract.

    `clauses` counts its clauses, `broken` those that some launch breaks, `alone` those that one breaks and no
    other clause with it; nothing that a device takes breaks those that are `unbreakable`. `checks`: launches
    by the error that must refuse them. `taken`: launches just inside, which must not be refused.
    """

    clauses: int
    broken: int
    alone: int
    launches: int
    taken: int
    checks: dict[str, int] = field(default_factory=dict)
    unbreakable: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """All of it as JSON takes it."""
        return asdict(self)


def refused(plan: Plan, driver: Driver, cases: Sequence[Case]) -> Refused:
    """Try every launch outside that cases within the contract lead to."""
    on = Noting(driver)
    wrong, checks, taken = [], dict[str, int](), 0
    hit: dict[str, bool] = {}
    for o in outside(plan, driver, cases):
        said = judged(plan, on, o)
        wrong += [f"{o}: {said}"] if said else []
        taken += not o.wanted
        for kind in o.wanted:
            checks[kind.__name__] = checks.get(kind.__name__, 0) + 1
        if o.breaks.startswith("`"):
            hit[o.breaks] = hit.get(o.breaks, False) or o.alone
    clauses = list(dict.fromkeys(f"`{c}`" for c in plan.clauses))
    whole = tuple(c for c in clauses if c not in hit)
    return Refused(
        len(clauses), len(hit), sum(hit.values()), sum(checks.values()), taken, checks, whole,
        tuple(wrong[:SHOWN]),
    )  # fmt: skip


def outside(plan: Plan, driver: Driver, cases: Sequence[Case]) -> Iterator[Outside]:
    """Launches outside the contract, and just outside of what types and the device take."""
    launches = [inside(plan, c) for c in cases]
    if not launches:
        return
    base = max(launches, key=_least)
    limits = driver.limits()
    function = functions(plan, driver)[plan.entry]
    threads = driver.most_threads(function)
    block = plan.block if plan.tile else base.block
    resident = driver.resident(function, math.prod(block or ()), base.shared) if plan.cooperative else 0
    yield from broken.broken(plan, launches, limits, threads)
    yield from predicates.broken(plan, launches, limits)
    yield from typed.launches(plan, base, limits, threads, resident)


def _least(launch: Launch) -> int:
    """Elements of the smallest array."""
    return min((g.count for g in launch.arguments.values() if isinstance(g, Given)), default=0)


# --- one launch


def judged(plan: Plan, on: Noting, o: Outside) -> str:
    """What is wrong with how a launch was met; '' for nothing."""
    memory = Memory(plan, on.driver)
    on.noted, on.arch = 0, o.launch.arch
    try:
        passed = memory.arguments(o.launch)
        made = Prepared(
            plan, cast(Driver, on), o.launch.grid, o.launch.block, o.launch.shared, o.launch.stream
        )
        made(*passed)
    except LaunchRefused as error:
        return _differs(o, error) if on.noted == 0 else "it was refused after the launch"
    except Exception as error:  # whatever else is raised is no refusal
        return f"it fails with {type(error).__name__}: {error}"
    finally:
        memory.free()
    return "it is not refused" if o.wanted or on.noted != 1 else ""


def _differs(o: Outside, error: LaunchRefused) -> str:
    told = f"{type(error).__name__}: {error}"
    if type(error) not in o.wanted:
        names = ", ".join(k.__name__ for k in o.wanted)
        return f"it is refused by {told}, not by {names}" if names else f"it is refused by {told}"
    missing = [s for s in o.says if s not in str(error)]
    return f"the error does not tell {missing[0]}: {told}" if missing else ""


class Passed:
    """What an argument says of itself by the interface of device arrays."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.__cuda_array_interface__ = told


class Memory:
    """The arrays of one launch in the device's memory."""

    def __init__(self, plan: Plan, driver: Driver) -> None:
        self.plan, self.driver = plan, driver
        self.held: dict[str, int] = {}

    def arguments(self, launch: Launch) -> list[Any]:
        """The arguments in their order, with memory for every array."""
        out = [self._argument(a, launch) for a in self.plan.arguments]
        return out[: launch.more] if launch.more < 0 else [*out, *[1] * launch.more]

    def _argument(self, a: Argument, launch: Launch) -> Any:
        given = launch.arguments[a.name]
        if not isinstance(given, Given):
            return given
        assert isinstance(a.spec, MEMORY)
        start = self._start(given.within or a.name, launch)
        told = {
            "shape": given.shape, "strides": given.strides, "typestr": given.typestr or code_of(a.spec),
            "data": (0 if given.null else start + given.moved, given.read_only), "version": 3,
        }  # fmt: skip
        return Passed(told)

    def _start(self, name: str, launch: Launch) -> int:
        """Where the memory of an array starts: as much as it and all that lies within it takes."""
        if name not in self.held:
            a = next(x for x in self.plan.arguments if x.name == name)
            given: Given = launch.arguments[name]
            assert isinstance(a.spec, MEMORY)
            raw = packed(a.spec, given.values)
            size = max(len(raw), *(_reach(b, launch.arguments[b.name]) for b in self._in(name, launch)))
            self.held[name] = self.driver.allocate(size)
            self.driver.put(self.held[name], raw + bytes(size - len(raw)))
            for b in self._in(name, launch):
                g: Given = launch.arguments[b.name]
                assert isinstance(b.spec, MEMORY)
                if g.within:
                    self.driver.put(self.held[name] + g.moved, packed(b.spec, g.values))
        return self.held[name]

    def _in(self, name: str, launch: Launch) -> Iterator[Argument]:
        """An array and those that lie in its memory."""
        for b in self.plan.arguments:
            g = launch.arguments[b.name]
            if isinstance(g, Given) and name in (b.name, g.within):
                yield b

    def free(self) -> None:
        for pointer in self.held.values():
            self.driver.free(pointer)


def _reach(a: Argument, given: Given) -> int:
    """Bytes from the start of the memory to the end of the array; of what is only told to be large, none."""
    size = itemsize(a)
    strides = given.strides or tuple(size * math.prod(given.shape[k + 1 :]) for k in range(len(given.shape)))
    reach = given.moved + size + sum((n - 1) * s for n, s in zip(given.shape, strides, strict=True) if n)
    return reach if reach <= broken.BYTES else size
