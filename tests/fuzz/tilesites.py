"""Verdicts on generated tile programs against brute force, and the interpreter against plain Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fuzz.check import KINDS, contradictions
from fuzz.sites import broken, fitting
from fuzz.tilegen import TileProgram
from fuzz.tilehost import Call, Host, draw

from gpulint import interp, launchers
from gpulint.dataflow import analyse
from gpulint.frontend import lower
from gpulint.interp.launch import RELOAD, UNDEFINED_LANE, Outcome, Violation
from gpulint.ir.nodes import Kernel
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import PROGRAM, REFUTED, KernelResult, Verdict, Witness
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

Run = tuple[Call, Outcome]
OTHERS = (1, 2, 3, 4, 5, 6, 7, 8, 9)  # for inputs that a witness leaves out: they have no part in it
MOST = 30_000
MANY = 20_000  # reports of one place
WHOLE = 4_000  # elements up to which plain Python is asked as well


def decided(text: str) -> tuple[Kernel, KernelResult]:
    """The kernel of a module and what the prover says of it at the launches in the module."""
    module = load_text(text, "k.py")
    assert isinstance(module, Module), module
    project = Project()
    project.add(module)
    sources = find(module, project)
    launches = launchers.find(module, project, sources, ())
    assert not launches.failures, launches.failures
    (source,) = sources
    kernel = lower(source, project)
    return kernel, decide(kernel, analyse(kernel), launches.of(source), Options())


def examine(program: TileProgram, count: int) -> tuple[KernelResult, list[str]]:
    """What the prover says, and what of it runs over `count` inputs contradict, in words."""
    kernel, result = decided(program.text)
    host = Host(program)
    calls = [c for inputs in draw(program, count) for c in host.launches(inputs)]
    runs = [(c, interp.run(kernel, c.launch())) for c in calls]
    said = fitting(result, kernel, [(c.launch(), outcome) for c, outcome in runs])
    found = [str(c) for c in contradictions(result, kernel, said)] + broken(result, said)
    return result, found + disagreements(kernel, calls) + unfounded(result, kernel, host)


# --- the interpreter against Python -------------------------------------------------------------------


def disagreements(kernel: Kernel, calls: Sequence[Call]) -> list[str]:
    """How the interpreter and plain Python differ on launches that both tell in full."""
    for call in calls:
        record, whole = call.record()
        outcome = interp.run(kernel, replace(call.launch(), max_reports=MANY))
        if not whole or not outcome.complete:
            continue
        theirs = {
            "races": record.races(), "out of range": record.outside, "lanes without a value": record.unset,
            "written": {(a, i) for a, values in record.written.items() for i in values},
        }  # fmt: skip
        ours = {
            "races": _places(outcome, "race"), "out of range": _places(outcome, "out-of-range"),
            "lanes without a value": bool(outcome.of(UNDEFINED_LANE)),
            "written": {(a, i) for a, values in outcome.written.items() for (i,) in values},
        }  # fmt: skip
        for what, value in theirs.items():
            if value != ours[what]:
                return [f"{what} in Python: {value}, in the interpreter: {ours[what]} ({_words(call)})"]
    return []


def _places(outcome: Outcome, kind: str) -> set[tuple[str, int]]:
    return {(v.array, v.element[0]) for v in outcome.of(kind)}


def _words(call: Call) -> str:
    sizes = {name: len(values) for name, (_, values) in call.arrays.items()}
    return f"grid {call.grid}, {sizes}, {dict(call.scalars)}"


# --- witnesses ----------------------------------------------------------------------------------------


def unfounded(result: KernelResult, kernel: Kernel, host: Host) -> list[str]:
    """What is wrong with the refuted verdicts at launch sites, in words.

    The launch is made anew from the numbers that a user is told, through the host code as Python; both the
    interpreter and the plain Python of the kernel must show what the witness says."""
    out = []
    for v in result.verdicts:
        o = v.obligation
        if (
            v.kind != REFUTED
            or v.site is None
            or o.property in ("contract", "no-wrap")
            or o.kind == "negative"
        ):
            continue
        if o.lanes is not None and o.lanes.wins:
            continue  # zero that takes part in an extreme: nothing that a run shows
        problem = _problem(v, kernel, host)
        if problem:
            where = f"{o.property} ({o.kind}) at {o.span.row}:{o.span.column}"
            out.append(f"{where} is refuted by {v.witness}: {problem}")
    return out


def _problem(v: Verdict, kernel: Kernel, host: Host) -> str:
    w = v.witness
    if w is None or not w.replayed:
        return "no witness that was replayed"
    problem = "no inputs launch what it says"
    for call in _launches(w, host):
        if call.grid == w.grid:
            problem = _differs(v, w, kernel, call)
            if not problem:
                return ""
    return problem


def _launches(w: Witness, host: Host) -> Iterator[Call]:
    def told(name: str) -> Sequence[int]:
        near = (v + k for v in w.params.values() for k in (0, 1))  # an input may have to equal another
        others = dict.fromkeys((*near, *OTHERS))
        return (w.params[name],) if name in w.params else tuple(others)

    if not host.program.given:
        for n, m in itertools.product(told("n"), told("m")):
            yield from host.launches({"n": n, "m": m}, MOST)
        return
    for shape in itertools.product(told("a.shape[0]"), told("a.shape[1]")):
        across = (w.params["a.stride(0)"],) if "a.stride(0)" in w.params else (shape[1], shape[1] + 1, 1)
        for first, second in itertools.product(across, (w.params.get("a.stride(1)", 1),)):
            yield from host.launches({"a": (shape, (first, second))}, MOST)


def _differs(v: Verdict, w: Witness, kernel: Kernel, call: Call) -> str:
    """'' when the launch shows the violation, else what it shows."""
    outcome = interp.run(kernel, replace(call.launch(), max_reports=MANY))
    o = v.obligation
    if o.property == "covered":
        if not w.element or w.element in outcome.written.get(w.array, {}):
            return "the element is written"
        return ""
    kind = UNDEFINED_LANE if o.lanes is not None else RELOAD if o.scope == PROGRAM else KINDS[o.property]
    asked = [*outcome.of(kind), *(outcome.of("race") if kind == "uninitialised" else ())]
    if not any(_same(x, v, w) for x in asked):
        shown = [(x.kind, x.array, x.element) for x in outcome.violations[:4]]
        return f"a run shows {shown}" if outcome.complete else ""
    if (
        kind == RELOAD
        or math.prod(call.grid) > WHOLE
        or any(len(values) > WHOLE for _, values in call.arrays.values())
    ):
        return ""
    record, whole = call.record()
    place = (w.array, w.element[0]) if w.element else ("", 0)
    seen = {
        "race": place in record.races(), "out-of-range": place in record.outside,
        UNDEFINED_LANE: record.unset, "uninitialised": True,
    }[kind]  # fmt: skip
    return "" if seen or not whole else "plain Python shows nothing of it"


def _same(x: Violation, v: Verdict, w: Witness) -> bool:
    return v.obligation.span in (x.span, x.other_span) and x.array == w.array and x.element == w.element
