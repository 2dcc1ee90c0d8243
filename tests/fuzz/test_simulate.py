"""Frontend and interpreter against plain Python: the same accesses, races and final contents."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from fuzz.generate import Program, seeded
from fuzz.launches import launches
from fuzz.simulate import Record, simulate
from kernels import kernel

from gpulint import interp
from gpulint.interp.launch import ConcreteLaunch, Outcome

BATCHES, BATCH = 10, 25
MANY = 100_000  # reports: every racing element is compared


def disagreement(program: Program, launch: ConcreteLaunch) -> str:
    """How the two differ on a launch, or ''; both must have run to the end to differ."""
    found = simulate(program.text, launch)
    outcome = interp.run(kernel(program.text), dataclasses.replace(launch, max_reports=MANY))
    if found is None or not outcome.complete:
        return ""
    record, contents = found
    if record.out_of_range or outcome.of("out-of-range"):
        both = record.out_of_range and outcome.of("out-of-range")
        return "" if both else f"out of range in Python: {record.out_of_range}, {outcome.violations[:2]}"
    return _races(record, outcome) or _contents(launch, contents, outcome)


def _races(record: Record, outcome: Outcome) -> str:
    ours = {(v.array, v.element) for v in outcome.of("race")}
    return f"races differ: {record.races() ^ ours}" if record.races() != ours else ""


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
        if "syncthreads" in program.text or "shared" in program.text:
            continue
        for launch in launches(program, 2):
            problem = disagreement(program, launch)
            assert not problem, f"seed {seed}: {problem}\n{program.text}\n{launch}"
