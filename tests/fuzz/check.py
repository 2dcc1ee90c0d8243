"""Holding the prover against brute force: which verdicts do the runs contradict?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from gpulint.contract.clause import QUANTIFIED, Clause
from gpulint.interp.environment import Environment, environment
from gpulint.interp.launch import (
    MISSING_LANE,
    SAME_VALUE,
    UNDEFINED_LANE,
    ConcreteArray,
    ConcreteLaunch,
    Outcome,
    Violation,
)
from gpulint.ir.nodes import Kernel
from gpulint.ir.types import INT64
from gpulint.solver.verdict import PROVED, UNDER, KernelResult, Obligation, Verdict
from gpulint.term import App, Unbound, const, evaluate, holds
from gpulint.term.evaluate import Loader

KINDS = {
    "in-range": "out-of-range", "disjoint": "race", "no-wrap": "wrap", "convergent": "divergence",
    "initialised": "uninitialised",
}  # fmt: skip
RESTING = ("disjoint", "initialised", "convergent")  # each holds given that all threads meet all barriers
BREAKING = ("race", "out-of-range", "divergence", "uninitialised", MISSING_LANE)
MAX_ELEMENTS = 4096


@dataclass(frozen=True)
class Contradiction:
    """A verdict that says proved, and a launch within its conditions that breaks it."""

    verdict: Verdict
    launch: ConcreteLaunch
    violation: Violation

    def __str__(self) -> str:
        clauses = " and ".join(map(str, self.verdict.clauses)) or "no condition"
        shapes = {name: a.shape for name, a in self.launch.arrays.items()}
        return (
            f"{self.verdict.obligation.property} is {self.verdict.kind} under {clauses}"
            f" ({self.verdict.rung}), but with grid {self.launch.grid}, block {self.launch.block}, {shapes},"
            f" {dict(self.launch.scalars)}: {self.violation}"
        )


def elements(a: ConcreteArray) -> list[object]:
    """All initial elements of a small array in row-major order."""
    indices: list[tuple[int, ...]] = [()]
    for extent in a.shape:
        indices = [(*i, k) for i in indices for k in range(extent)]
        if len(indices) > MAX_ELEMENTS:
            raise ValueError("the array is too large to list")
    return [a.initial(i) for i in indices]


def satisfies(clause: Clause, kernel: Kernel, launch: ConcreteLaunch) -> bool | None:
    """Whether the launch meets the clause; None when that cannot be told here."""
    env = environment(kernel, launch)

    def loader(app: App, args: tuple[int, ...]) -> int:
        array = launch.arrays.get(app.data)
        if app.op != "load" or array is None or len(args) != len(array.shape):
            raise Unbound(app)
        if not all(0 <= i < n for i, n in zip(args, array.shape, strict=True)):
            raise Unbound(app)
        value = array.initial(args)
        if not isinstance(value, int):
            raise Unbound(app)
        return value

    try:
        if clause.predicate in QUANTIFIED:
            return _for_all(clause, env, loader)
        if not holds(clause.condition, env, loader):
            return False
        return _predicate(clause, launch, env) if clause.predicate else True
    except (Unbound, ZeroDivisionError):
        return None


def _for_all(clause: Clause, env: Environment, loader: Loader) -> bool:
    """Whether a clause on elements holds for all its coordinates."""
    boxes = []
    for at in _places(clause, env, loader):
        if not holds(clause.when, at, loader):
            continue
        if clause.predicate == "every" and not holds(clause.each, at, loader):
            return False
        ends = [evaluate(b, at, loader) for b in clause.bounds]
        boxes.append(list(zip(ends[::2], ends[1::2], strict=True)))
    pairs = combinations(boxes, 2) if clause.predicate == "apart" else ()
    return not any(all(max(a, c) < min(b, d) for (a, b), (c, d) in zip(x, y, strict=True)) for x, y in pairs)


def _places(clause: Clause, env: Environment, loader: Loader) -> list[Environment]:
    """The environments of all values of a clause's coordinates."""
    out = [env]
    for name, count in clause.over:
        out = [
            Environment({**at.numbers, str(name): k})
            for at in out
            for k in range(evaluate(count, at, loader))
        ]
    return out


def _predicate(clause: Clause, launch: ConcreteLaunch, env: Environment) -> bool | None:
    if any(name not in launch.arrays for name in clause.arrays):
        return None
    arrays = [launch.arrays[name] for name in clause.arrays]
    if clause.predicate == "noalias":
        buffers = [a.buffer for a in arrays if a.buffer]
        return len(set(buffers)) == len(buffers)
    if clause.predicate in ("contiguous", "aligned"):
        return True
    if clause.predicate not in ("injective", "sorted", "within", "above"):
        return None
    values: list[int] = [v for v in elements(arrays[0]) if isinstance(v, int)]
    if clause.predicate == "injective":
        return len(set(values)) == len(values)
    if clause.predicate == "sorted":
        return values == sorted(values)
    low, high = (evaluate(b, env) for b in (*clause.bounds, const(INT64.hi))[:2])
    return all(low <= v < high for v in values)


def admitted(verdict: Verdict, result: KernelResult, kernel: Kernel, launch: ConcreteLaunch) -> bool:
    """Whether the verdict speaks of this launch: its clauses and assumptions surely hold."""
    empty = any(0 in a.shape for a in launch.arrays.values())
    if empty and "non-empty" in (*result.assumed, *verdict.assumptions):
        return False
    return all(satisfies(c, kernel, launch) is True for c in (*result.declared, *verdict.clauses))


def matching(o: Obligation, outcome: Outcome) -> list[Violation]:
    """The violations that are about this obligation."""
    unknown = _unknown(outcome)
    return [v for v in outcome.violations if _about(o, v) and not harmless(v, unknown)]


def _beside(verdict: Verdict, violation: Violation, outcome: Outcome) -> bool:
    """Whether the verdict rests on another obligation, which this run breaks.

    Stores are of one value, and an element has one, given that loads and stores are in range and initialised.
    """
    if verdict.rung in ("same value", "sites", "sites or clauses") and violation.modes == ("write", "write"):
        return _unknown(outcome)
    return verdict.obligation.property == "initialised" and bool(outcome.of("out-of-range"))


def _unknown(outcome: Outcome) -> bool:
    """Whether values were read where there are none: two stores of them may store one value or not."""
    return bool(outcome.of("out-of-range") or outcome.of("uninitialised"))


def kind_of(o: Obligation) -> str | None:
    """The kind of violation that breaks the obligation."""
    return MISSING_LANE if o.kind == "shuffle" else KINDS.get(o.property)


def _about(o: Obligation, v: Violation) -> bool:
    """Whether the violation may be about the obligation."""
    if o.lanes is not None:
        return (v.kind, v.span, v.other_span) == (UNDEFINED_LANE, o.lanes.load.span, o.lanes.span)
    if kind_of(o) != v.kind:
        return False
    if o.access is not None and v.array != o.access.array.name:
        return False
    if o.property == "disjoint" and o.access is not None and o.other is not None:
        if v.detail == SAME_VALUE:
            return False
        places = {(o.access.span, o.access.mode), (o.other.span, o.other.mode)}
        return places == set(zip((v.span, v.other_span), v.modes, strict=True)) and _in_scope(o, v)
    if o.property == "in-range" and o.access is not None:
        return v.span == o.access.span and v.modes == (o.access.mode,) and _on_axis(o, v)
    return v.span == (o.op.span if o.op is not None else o.span)


def _in_scope(o: Obligation, v: Violation) -> bool:
    """Whether the race is between points of the kind that the obligation asks about."""
    if not o.scope or v.other is None:
        return True
    return (v.point[0] == v.other[0]) == (o.scope != "blocks")


def harmless(v: Violation, unknown: bool = False) -> bool:
    """Two writes of one value: the element is the same in either order.

    `unknown`: values may be read where there are none, so that nobody knows whether they are one."""
    if v.kind != "race" or v.modes != ("write", "write"):
        return False
    return v.detail == SAME_VALUE or (unknown and v.span == v.other_span)


def _on_axis(o: Obligation, v: Violation) -> bool:
    """Whether the subscript that the obligation asks about is one of those that failed."""
    assert o.access is not None
    if o.axis is None or through_view(v) or o.axis >= len(v.element):
        return True
    i, extent = v.element[o.axis], v.extents[o.axis]
    return not (-extent if o.access.negative_wraps else 0) <= i < extent


def contradictions(
    result: KernelResult, kernel: Kernel, runs: Iterable[tuple[ConcreteLaunch, Outcome]]
) -> list[Contradiction]:
    """Every proved or proved-under verdict, valid for any parameters, that a run contradicts.

    What is said of races, of shared memory and of each barrier counts only where every barrier is
    said to be met by all threads. Where several obligations share a source range (the checks of a
    view and of the access through it, the operations of one call), all of them must claim to hold
    before a violation counts.
    """
    general = [v for v in result.verdicts if v.obligation.property in KINDS]
    barriers = [v for v in general if v.obligation.property == "convergent"]
    out = []
    for launch, outcome in runs:
        if not outcome.violations:
            continue
        claims = {id(v): _claims(v, result, kernel, launch) for v in general}
        if not all(claims[id(v)] for v in barriers):
            claims.update({id(v): False for v in general if v.obligation.property in RESTING})
        for verdict in general:
            found = matching(verdict.obligation, outcome) if claims[id(verdict)] else []
            found = [v for v in found if not _beside(verdict, v, outcome)]
            for violation in found:
                sharers = [v for v in general if _about(v.obligation, violation)]
                if all(claims[id(v)] for v in sharers):
                    out.append(Contradiction(verdict, launch, violation))
                    break
    return out


def unasked(
    result: KernelResult, kernel: Kernel, runs: Iterable[tuple[ConcreteLaunch, Outcome]]
) -> list[str]:
    """What goes wrong on launches for which everything is said to hold, whether an obligation asks or not."""
    general = [v for v in result.verdicts if v.obligation.property in KINDS]
    out = []
    for launch, outcome in runs:
        if not outcome.violations or not all(_claims(v, result, kernel, launch) for v in general):
            continue
        wrong = [v for v in outcome.violations if v.kind in BREAKING and not harmless(v)]
        if wrong:
            sizes = f"grid {launch.grid}, block {launch.block}, {dict(launch.scalars)}"
            out.append(f"everything is proved, but with {sizes}: {wrong[0]}")
    return out


def _claims(verdict: Verdict, result: KernelResult, kernel: Kernel, launch: ConcreteLaunch) -> bool:
    return (
        verdict.site is None and verdict.kind in (PROVED, UNDER) and admitted(verdict, result, kernel, launch)
    )


def through_view(v: Violation) -> bool:
    """Whether subscripts and extents are those of a view, not of the array itself."""
    return v.detail.startswith("through the view")
