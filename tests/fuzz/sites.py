"""Verdicts at a launch site against brute force over the inputs that the host code leaves free."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fuzz.check import KINDS, contradictions, harmless, satisfies
from fuzz.host import HostProgram
from fuzz.launches import brute
from fuzz.refuted import unfounded
from fuzz.runhost import draw, launches_of

from gpulint import launchers
from gpulint.dataflow import analyse
from gpulint.frontend.numba import lower
from gpulint.interp.launch import UNDEFINED_LANE, ConcreteLaunch, Outcome, Violation
from gpulint.ir.nodes import Kernel
from gpulint.solver.decide import decide
from gpulint.solver.options import FITTING_INPUTS, Options
from gpulint.solver.verdict import PROVED, KernelResult
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

MOST = 4  # launches of one run of the host code
Runs = Sequence[tuple[ConcreteLaunch, Outcome]]


def decided(text: str, filename: str = "k.py") -> tuple[Kernel, KernelResult]:
    """The kernel of a module and what the prover says of it at the launches in the module."""
    module = load_text(text, filename)
    assert isinstance(module, Module), module
    project = Project()
    project.add(module)
    sources = find(module, project)
    launches = launchers.find(module, project, sources, ())
    assert not launches.failures, launches.failures
    (source,) = [s for s in sources if s.device is not True]
    kernel = lower(source, project)
    return kernel, decide(kernel, analyse(kernel), launches.of(source), Options())


def examine(program: HostProgram, count: int) -> tuple[KernelResult, list[str]]:
    """What the prover says, and what of it runs over `count` inputs contradict, in words."""
    kernel, result = decided(program.text)
    drawn = draw(program, count)
    made = [x for i in drawn for x in launches_of(program, i)[:MOST]]
    runs = fitting(result, kernel, brute(kernel, made))
    found = [str(c) for c in contradictions(result, kernel, runs)]
    return result, found + broken(result, runs) + unfounded(result, kernel, program.kernel, program)


def fitting(result: KernelResult, kernel: Kernel, runs: Runs) -> Runs:
    """The runs that a result speaks of: of one that rests on inputs that fit, those that keep its clauses."""
    if FITTING_INPUTS not in result.assumed:
        return runs
    asked = {*result.inferred, *(c for v in result.verdicts for c in v.clauses)}
    return [r for r in runs if all(satisfies(c, kernel, r[0]) is True for c in asked)]


def broken(result: KernelResult, runs: Runs) -> list[str]:
    """Launches that break a site which is said to meet its contract, or leave a covered array open."""
    out = []
    meets = bool(result.sites) and all(s.status == "meets" for s in result.sites)
    only = len(result.sites) == 1  # else another launch may be the one that writes
    covered = [v for v in result.verdicts if v.obligation.property == "covered" and v.kind == PROVED]
    for launch, outcome in runs:
        if any(0 in a.shape for a in launch.arrays.values()):
            continue
        unknown = bool(outcome.of("uninitialised"))
        said = [x for x in outcome.violations if _counts(x, launch, unknown)]
        if said and (meets or result.status == "verified"):
            what = "the launch is said to meet the contract" if meets else "the kernel is said to be verified"
            out.append(f"{what}, but {_words(launch)}: {said[0]}")
        for v in covered if only and not said and outcome.complete else ():
            assert v.obligation.access is not None
            array = v.obligation.access.array.name
            written, wanted = len(outcome.written.get(array, {})), math.prod(launch.arrays[array].shape)
            if written < wanted:
                out.append(f"{array} is said to be covered, but {_words(launch)} writes {written} elements")
    return out[:1]


def _counts(v: Violation, launch: ConcreteLaunch, unknown: bool) -> bool:
    """Whether a launch that meets its contract must not show this.

    A plain read of an argument without a value is not asked about: other launches may have written it."""
    if v.kind == "uninitialised" and v.array in launch.arrays:
        return False
    return v.kind in (*KINDS.values(), UNDEFINED_LANE) and not harmless(v, unknown)


def _words(launch: ConcreteLaunch) -> str:
    shapes = {name: a.shape for name, a in launch.arrays.items()}
    return f"grid {launch.grid}, block {launch.block}, {shapes}, {dict(launch.scalars)}"
