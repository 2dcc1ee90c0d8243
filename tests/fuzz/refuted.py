"""Whether the witness of a refuted verdict really breaks it: run again from its numbers alone.

The launch is made anew from the numbers that a user is told: through the host code as plain Python
where there is a launch site, from the kernel's parameters where there is none. Then the interpreter and,
where Python tells, `simulate` must both find the violation at the element named.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping

from fuzz.check import kind_of
from fuzz.expressions import ArrayParam
from fuzz.generate import Program
from fuzz.host import HostProgram
from fuzz.launches import Contents
from fuzz.runhost import launches_of
from fuzz.simulate import record_of

from gpulint import interp
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Outcome
from gpulint.ir.nodes import Kernel
from gpulint.solver.filling import filled
from gpulint.solver.verdict import REFUTED, KernelResult, Verdict, Witness

MOST = 4_000  # threads that are run
STEPS = 60_000
MANY = 20_000  # reports of one place: the one named may be the last
OTHERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)  # for inputs that a witness leaves out: they have no part in it
FILLS = ((0,), (1,), (-1,), (3,), (3, 0), (0, 3), tuple(range(64)), (0, 0, 1, 2))


def unfounded(
    result: KernelResult, kernel: Kernel, program: Program, host: HostProgram | None = None
) -> list[str]:
    """What is wrong with the refuted verdicts, in words."""
    out = []
    for v in result.verdicts:
        if v.kind == REFUTED and v.obligation.property != "contract" and v.obligation.kind != "negative":
            problem = _problem(v, kernel, program, host)
            if problem:
                o = v.obligation
                what = f"{o.property} ({o.kind}) at {o.span.row}:{o.span.column}"
                out.append(f"{what} is refuted by {v.witness}: {problem}")
    return out


def _problem(v: Verdict, kernel: Kernel, program: Program, host: HostProgram | None) -> str:
    w = v.witness
    if w is None or not w.replayed:
        return "no witness that was replayed"
    if v.obligation.property == "no-wrap":
        return ""  # sizes too large to run whole
    problem = ""  # where no launch is like the witness's, it left out what `OTHERS` does not guess
    for launch in _launches(w, program, host if v.site is not None else None):
        answer = _breaks(v, w, kernel, program, launch)
        if not answer:
            return ""
        if (launch.grid, launch.block) == (w.grid, w.block):
            problem = answer
    made = v.site is not None and host is not None
    free = not made and any(a.role == "index" for a in program.arrays)
    return "" if free else problem  # contents that nobody made are part of no witness


def _launches(w: Witness, program: Program, host: HostProgram | None) -> Iterable[ConcreteLaunch]:
    if host is not None:
        more = dict.fromkeys((*OTHERS, *(v + k for v in w.params.values() for k in (0, 1))))  # a loop's end
        for other, extent in itertools.product(more, OTHERS if host.given else (1,)):
            inputs = {name: w.params.get(name, other) for name in host.numbers}
            shapes = {a.name: _shape(w.params, a, host.given, extent) for a in host.given}
            yield from launches_of(host, {**inputs, **shapes}, MOST)
        return
    for values in (*FILLS, None):
        arrays = {}
        for a in program.arrays:
            shape = _shape(w.params, a, ())
            held = Contents(shape, values) if values is not None else filled(None, shape)
            arrays[a.name] = ConcreteArray(shape, held, dtype=a.dtype)
        scalars = {name: w.params.get(name, 1) for name in program.scalars}
        yield ConcreteLaunch(w.grid, w.block, arrays, scalars)


def _shape(
    params: Mapping[str, int], a: ArrayParam, peers: Iterable[ArrayParam], other: int = 1
) -> tuple[int, ...]:
    """The shape that the numbers tell; untold extents are those of a peer, which may have been compared."""

    def told(name: str, axis: int) -> int | None:
        return params.get(f"{name}.shape[{axis}]", params.get(f"{name}.size") if a.ndim == 1 else None)

    same = [a.name, *(b.name for b in peers if b.ndim == a.ndim)]
    return tuple(
        next((n for name in same if (n := told(name, axis)) is not None), other) for axis in range(a.ndim)
    )


def _breaks(v: Verdict, w: Witness, kernel: Kernel, program: Program, launch: ConcreteLaunch) -> str | None:
    """'' when the launch shows the violation, None when it is too large to tell, else what it shows."""
    if (launch.grid, launch.block) != (w.grid, w.block):
        return f"its inputs launch {launch.grid} x {launch.block}"
    if math.prod((*launch.grid, *launch.block)) > MOST:
        return None
    outcome = interp.run(kernel, dataclasses.replace(launch, max_reports=MANY, max_steps=STEPS))
    if outcome.of("not-executable"):  # an array of a rank that the kernel does not show
        return None
    if v.obligation.property == "covered":
        return _uncovered(w, launch, outcome)
    kind = kind_of(v.obligation)
    assert kind is not None
    asked = [*outcome.of(kind)]
    if kind == "uninitialised":  # another thread's write may come later than in this order
        asked += outcome.of("race")
    ours = [x for x in asked if v.obligation.span in (x.span, x.other_span)]
    if kind == "uninitialised":  # an atomic elsewhere may be the first to read what nobody wrote
        ours = asked
    raced = {x.array for x in outcome.of("race")}  # what it holds hangs on the order of the threads
    indirect = any(
        a.role == "index" and (v.site is None or a.name in raced or _unset(launch, a.name))
        for a in program.arrays
    )
    if not any(x.array == w.array and (indirect or x.element == w.element) for x in ours):
        if not outcome.complete:
            return None
        return f"a run shows {[(x.kind, x.array, x.element) for x in outcome.violations[:4]]}"
    if any(math.prod(a.shape) > MOST for a in launch.arrays.values()):
        return ""
    record, _, whole = record_of(program.text, launch)
    races = record.races()
    seen = {
        "race": (w.array, w.element) in races or (indirect and bool(races)),
        "out-of-range": record.out_of_range, "divergence": record.diverged,
        "missing-lane": record.missing,
        "uninitialised": record.uninitialised or (w.array, w.element) in races,
    }[kind]  # fmt: skip
    cut = kind != "out-of-range" and record.out_of_range
    return "" if seen or cut or not whole else "plain Python shows nothing of it"


def _unset(launch: ConcreteLaunch, name: str) -> bool:
    """Whether an array is launched without values: the witness may choose any."""
    a = launch.arrays[name]
    return 0 not in a.shape and a.initial((0,) * len(a.shape)) is None


def _uncovered(w: Witness, launch: ConcreteLaunch, outcome: Outcome) -> str:
    shape = launch.arrays[w.array].shape
    if len(shape) != len(w.element) or not all(0 <= i < n for i, n in zip(w.element, shape, strict=True)):
        return f"the array has the shape {shape}"
    written = w.element in outcome.written.get(w.array, {})
    return "the element is written" if written else ""
