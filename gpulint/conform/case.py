"""One launch, its inputs and what the reference interpreter makes of it, as plain data that can travel."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from gpulint.compile.signature import ArraySpec
from gpulint.conform import contents, sizes
from gpulint.conform.contents import Number
from gpulint.conform.subject import MEMORY, Subject
from gpulint.interp.environment import environment
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Violation
from gpulint.interp.machine import run
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements, walk
from gpulint.runtime.arrays import dtype_of

STEPS = 4_000_000
ORDERS = range(1, 7)  # seeds of the orders of threads that a sum is asked of
TRIES = 12  # draws for each launch that is wanted
FENCES = ("fence_device", "fence_system")
UNKNOWN = ("unknown-branch", "not-executable", "step-limit")  # where the interpreter cannot go on
HARMLESS = ("negative-index", "wrap")  # a subscript that counts from the end; arithmetic that wraps as it may


@dataclass(frozen=True)
class Case:
    """A launch: `given` holds the elements of each array before it, `wanted` after it, in row-major order.

    None in `wanted` is an element that the interpreter does not know, or that hangs on the order of threads.
    `sums` holds the sums of arrays of which only that is the same in every order. `shared`: dynamic shared
    memory in bytes. Records are listed field by field. `open`: why the interpreter did not come to the end,
    if it did not; nothing is then known of the arrays that the kernel writes.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    shapes: dict[str, tuple[int, ...]]
    numbers: dict[str, Number]
    given: dict[str, list[Number]]
    wanted: dict[str, list[Number | None]] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    open: str = ""

    def plain(self) -> dict[str, Any]:
        """The case as JSON takes it."""
        return asdict(self)

    def __str__(self) -> str:
        parts = [f"{name} {'x'.join(map(str, shape))}" for name, shape in self.shapes.items()]
        parts += [f"{name} = {value}" for name, value in self.numbers.items()]
        return f"grid {_dims(self.grid)}, block {_dims(self.block)}, {', '.join(parts)}"


def _dims(d: tuple[int, int, int]) -> str:
    return "x".join(map(str, d)).removesuffix("x1").removesuffix("x1")


def read(plain: dict[str, Any]) -> Case:
    """A case from its JSON form."""
    shapes = {name: tuple(shape) for name, shape in plain["shapes"].items()}
    x, y, z = plain["grid"]
    bx, by, bz = plain["block"]
    return Case(**{**plain, "shapes": shapes, "grid": (x, y, z), "block": (bx, by, bz)})


def cases(p: Subject, count: int, seed: int = 0) -> Iterator[Case]:
    """At most `count` different launches within the contract, the same ones for a seed."""
    seen: set[str] = set()
    draw = random.Random(f"{p.kernel.qualname}/{seed}")
    for _ in range(TRIES * count):
        made = _drawn(p, draw)
        if made is not None and str(made) not in seen:
            seen.add(str(made))
            yield made
        if len(seen) == count:
            return


def _drawn(p: Subject, draw: random.Random) -> Case | None:
    found = sizes.draw(p, draw)
    if found is None:
        return None
    numbers = contents.scalars(p, found.numbers, draw)
    arrays = {name: ConcreteArray(shape) for name, shape in found.shapes.items()}
    env = environment(p.kernel, ConcreteLaunch(found.grid, found.block, arrays, numbers))
    given = {}
    for q, s in zip(p.kernel.params, p.signature, strict=True):
        if isinstance(s, MEMORY):
            values = contents.elements(p, q.name, s, found.shapes[q.name], env, draw)
            if values is None:
                return None
            given[q.name] = values
    shared = _shared(p.kernel, math.prod(found.block), draw)
    return Case(found.grid, found.block, shared, dict(found.shapes), numbers, given)


def _shared(kernel: n.Kernel, threads: int, draw: random.Random) -> int:
    """Bytes of dynamic shared memory: for a kernel that asks for it, some for each thread."""
    asked = [s for s in statements(kernel.body) if isinstance(s, n.Alloc) and s.shape is None]
    if not asked:
        return 0
    widest = max(dtype_of(s.type.element)[1] for s in asked)
    return widest * draw.choice((threads, threads, 2 * threads, threads // 2))


# --- what the interpreter makes of it


def interpreted(p: Subject, case: Case) -> tuple[Case, list[Violation]]:
    """The case with what is in the arrays after the launch, and what went wrong in it.

    It runs with the threads in order and in the opposite order: where the two differ, the result hangs on
    the order in which atomics come by, and an element by itself says nothing. Where the kernel uses what an
    atomic found, no element of an array that it writes does; a sum of them is asked for where a few random
    orders give it too.
    """
    one, wrong = _run(p, case)
    other, more = _run(p, case, backwards=True)
    wanted: dict[str, list[Number | None]] = {}
    sums: dict[str, float] = {}
    handed = _hands_out(p.kernel)
    stopped = [v for v in (*wrong, *more) if v.kind in UNKNOWN]
    ways = [one, other]
    if handed and not stopped:
        ways += [_run(p, case, shuffled=seed)[0] for seed in ORDERS]
    for name, values in one.items():
        written = p.accesses.arrays[name].written
        if written and stopped:
            wanted[name] = [None] * len(values)
            continue
        loose = handed and written
        pairs = zip(values, other[name], strict=True)
        wanted[name] = [a if not loose and a is not None and _same(a, b) else None for a, b in pairs]
        totals = [_total(way[name]) for way in ways]
        if loose and totals[0] is not None and all(_same(totals[0], x) for x in totals):
            sums[name] = totals[0]
    why = "; ".join(dict.fromkeys(f"line {v.span.row}: {v.detail or v.kind}" for v in stopped))
    full = replace(case, wanted=wanted, sums=sums, open=why)
    return full, [v for v in (*wrong, *more) if v.kind not in UNKNOWN]


def _hands_out(kernel: n.Kernel) -> bool:
    """Whether the kernel uses what an atomic found in memory."""
    found = {s.target for s in statements(kernel.body) if isinstance(s, n.Atomic) and s.target}
    return any(isinstance(x, n.Var) and x.name in found for x in walk(kernel))


def _total(values: list[Number | None]) -> float | None:
    """The sum of elements that are all known."""
    known = [x for x in values if x is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _same(a: Number, b: Number | None) -> bool:
    return b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def _run(
    p: Subject, case: Case, backwards: bool = False, shuffled: int = 0
) -> tuple[dict[str, list[Number | None]], list[Violation]]:
    specs = dict(zip((q.name for q in p.kernel.params), p.signature, strict=True))
    arrays = {name: ConcreteArray(shape, _start(case, name)) for name, shape in case.shapes.items()}
    launch = ConcreteLaunch(
        case.grid, case.block, arrays, case.numbers, dynamic_shared=case.shared, max_steps=STEPS,
        backwards=backwards, shuffled=shuffled,
    )  # fmt: skip
    outcome = run(p.kernel, launch)
    out: dict[str, list[Number | None]] = {}
    for name, shape in case.shapes.items():
        spec = specs[name]
        if isinstance(spec, ArraySpec) and spec.record is not None:
            out[name] = [None] * len(case.given[name])  # the fields of a record are not told apart at its end
            continue
        values: list[Number | None] = list(case.given[name])
        for at, value in outcome.written[name].items():
            values[_flat(at, shape)] = _number(value)
        out[name] = values
    fences = any(isinstance(s, n.Barrier) and s.kind in FENCES for s in statements(p.kernel.body))
    ordered = ("race",) if fences else ()  # what a fence makes known, the interpreter does not follow
    return out, [v for v in outcome.violations if v.kind not in (*HARMLESS, *ordered)]


def _number(value: object) -> Number | None:
    """A stored value as a plain number; None where it is none."""
    if isinstance(value, (bool, float)):
        return value
    return int(value) if isinstance(value, int) else None


def _start(case: Case, name: str) -> Any:
    shape = case.shapes[name]
    places = itertools.product(*(range(e) for e in shape))
    return dict(zip(places, case.given[name], strict=False)).__getitem__


def _flat(at: tuple[int, ...], shape: tuple[int, ...]) -> int:
    out = 0
    for i, extent in zip(at, shape, strict=True):
        out = out * extent + i
    return out
