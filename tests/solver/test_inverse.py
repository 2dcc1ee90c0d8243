"""The point found for an element writes it: solved subscripts against runs of the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from fuzz.generate import Program, seeded
from fuzz.launches import brute, launches
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.dataflow.access import Access
from gpulint.interp.environment import Environment, environment
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.inverse import definite, hits, inverse
from gpulint.term import Bool, Scope, Unbound, and_, holds, subst, sym, symbols


def reached(a: Access) -> Bool | None:
    """The condition over `element0`, `element1` under which the point found writes that element."""
    element = tuple(sym(f"element{k}", Scope.POINT, 0) for k in range(len(a.subscripts)))
    wanted = definite(a)
    if wanted is None:
        return None
    seen = space.see(a, domain=wanted)
    found = inverse(seen, element)
    return None if found is None else and_(subst(seen.domain, found), hits(seen, found, element))


def claims(program: Program) -> Iterator[tuple[str, bool]]:
    """For each write, launch and element that the inverse says is written: whether it is."""
    k = kernel(program.text)
    writes = [(a, reached(a)) for a in analyse(k).accesses if a.mode == "write" and a.array.is_param]
    for launch, outcome in brute(k, launches(program, 6, empty=False)):
        if not outcome.complete or outcome.of("out-of-range"):
            continue
        base = environment(k, launch).numbers
        totals = {f"grid.{x} * block.{x}": launch.grid[i] * launch.block[i] for i, x in enumerate(names.AXES)}
        for a, condition in writes:
            shape = launch.arrays[a.array.name].shape
            for index in itertools.product(*map(range, shape)):
                point = {f"element{axis}": i for axis, i in enumerate(index)}
                try:
                    said = condition is not None and holds(
                        condition, Environment({**base, **totals, **point})
                    )
                except (Unbound, ZeroDivisionError):
                    continue
                if said:
                    written = index in outcome.written.get(a.array.name, {})
                    yield f"{a.text} writes {index} with {launch}", written


@pytest.mark.parametrize("batch", range(3))
def test_what_is_said_to_be_written_is(batch: int) -> None:
    count = 0
    for seed in range(batch * 25, batch * 25 + 25):
        program = seeded(f"inverse/{seed}")
        for what, written in claims(program):
            assert written, f"seed {seed}: {what}\n{program.text}"
            count += 1
    assert count > 50


@pytest.mark.parametrize(("start", "covered"), [("0", True), ("1", False), ("2 * n", False)])
def test_no_iteration_before_the_first_writes(start: str, covered: bool) -> None:
    text = f"@cuda.jit\ndef k(x, n):\n    for j in range({start}, x.size):\n        x[j] = j\n"
    [access] = [a for a in analyse(kernel(text)).accesses if a.mode == "write"]
    condition = reached(access)
    assert condition is not None
    numbers = {"element0": 0, "x.size": 5, "n": 1}
    assert holds(condition, {s: numbers[s.name] for s in symbols(condition)}) == covered
