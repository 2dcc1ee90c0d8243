"""Frontend and interpreter against plain Python: the same accesses, races and final contents."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from fuzz import barriers, warps
from fuzz.generate import Program, seeded
from fuzz.launches import launches
from fuzz.simulate import Record, record_of
from kernels import kernel

from gpulint import interp
from gpulint.interp.launch import ConcreteLaunch, Outcome

BATCHES, BATCH = 10, 25
STOPPING = ("divergence", "uninitialised", "missing-lane")
MANY = 100_000  # reports: every racing element is compared


def disagreement(program: Program, launch: ConcreteLaunch) -> str:
    """How the two differ on a launch, or ''.

    Where Python stops (threads diverge, or read what nobody wrote) the two must agree that it does."""
    record, contents, whole = record_of(program.text, launch)
    outcome = interp.run(kernel(program.text), dataclasses.replace(launch, max_reports=MANY))
    if record.diverged and not record.out_of_range and not outcome.of("divergence"):
        return "Python's threads diverge"
    cut = record.out_of_range or outcome.of("divergence")
    if record.uninitialised and not cut and not outcome.of("uninitialised"):
        return "Python's threads read what nobody wrote"
    if record.missing and not cut and not outcome.of("missing-lane"):
        return "Python's threads use what no lane gave"
    if not whole or not outcome.complete:
        return ""
    if not record.out_of_range and any(map(outcome.of, STOPPING)):
        return f"Python runs through, and {outcome.violations[:2]}"
    if record.out_of_range or outcome.of("out-of-range"):
        both = record.out_of_range and outcome.of("out-of-range")
        return "" if both else f"out of range in Python: {record.out_of_range}, {outcome.violations[:2]}"
    return _races(record, outcome) or _contents(launch, contents, outcome)


def _races(record: Record, outcome: Outcome) -> str:
    """Where atomics meet other accesses, the interpreter may know of an order that Python does not."""
    ours, theirs = {(v.array, v.element) for v in outcome.of("race")}, record.races()
    different = (theirs ^ ours) - (record.atomics() - ours)
    return f"races differ: {different}" if different else ""


def _contents(launch: ConcreteLaunch, contents: dict[str, dict[Any, Any]], outcome: Outcome) -> str:
    for name, values in contents.items():
        for index, value in values.items():
            given = outcome.written[name].get(index, launch.arrays[name].initial(index))
            if given is None or not math.isclose(given, value):
                return f"{name}{index} is {given}, in Python {value}"
    return ""


@pytest.mark.parametrize("batch", range(BATCHES))
def test_interpreter_agrees_with_python(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        program = seeded(seed)
        for launch in launches(program, 2):
            problem = disagreement(program, launch)
            assert not problem, f"seed {seed}: {problem}\n{program.text}\n{launch}"


@pytest.mark.parametrize("batch", range(4))
def test_interpreter_agrees_with_python_on_barriers(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        program = barriers.seeded(seed)
        for launch in launches(program, 3):
            problem = disagreement(program, launch)
            assert not problem, f"seed {seed}: {problem}\n{program.text}\n{launch}"


@pytest.mark.parametrize("batch", range(4))
def test_interpreter_agrees_with_python_on_warps(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        program = warps.seeded(seed)
        for launch in launches(program, 2):
            problem = disagreement(program, launch)
            assert not problem, f"seed {seed}: {problem}\n{program.text}\n{launch}"
