"""Global indices in place of block and thread: the same elements are touched, whatever the launch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from fuzz.generate import Program, seeded
from fuzz.launches import launches
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.dataflow.access import Access
from gpulint.interp.environment import Environment, environment
from gpulint.interp.launch import ConcreteLaunch
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.term import Bool, Int, Sym, Unbound, evaluate, holds, symbols

Touched = set[tuple[int, ...]]
COUNTERS = range(8)
COORDINATES = ("threadIdx.", "blockIdx.", "gid.")


def coordinates(launch: ConcreteLaunch, axes: frozenset[int]) -> Iterator[dict[str, int]]:
    """Every point of the launch, along `axes` by its global index alone."""
    choices: list[list[dict[str, int]]] = []
    for axis in range(3):
        g, b, letter = launch.grid[axis], launch.block[axis], names.AXES[axis]
        if axis in axes:
            choices.append([{f"gid.{letter}": i} for i in range(g * b)])
        else:
            pairs = itertools.product(range(g), range(b))
            choices.append([{f"blockIdx.{letter}": i, f"threadIdx.{letter}": j} for i, j in pairs])
    for parts in itertools.product(*choices):
        yield {k: v for part in parts for k, v in part.items()}


def touched(
    domain: Bool, subscripts: tuple[Int, ...], base: Environment, launch: ConcreteLaunch, axes: frozenset[int]
) -> Touched:
    """The elements at the points in the domain, loop counters up to a bound."""
    free = sorted(
        s.name
        for s in symbols(domain, *subscripts)
        if not s.name.startswith(COORDINATES) and s.name not in base.numbers
    )
    totals = {f"grid.{x} * block.{x}": launch.grid[a] * launch.block[a] for a, x in enumerate(names.AXES)}
    free = [name for name in free if name not in totals]
    out: Touched = set()
    for point in coordinates(launch, axes):
        for counters in itertools.product(COUNTERS, repeat=len(free)):
            env = Environment({**base.numbers, **totals, **point, **dict(zip(free, counters, strict=True))})
            if holds(domain, env):
                out.add(tuple(evaluate(s, env) for s in subscripts))
    return out


def plain(a: Access) -> bool:
    """Whether the access is of coordinates, parameters and at most one loop counter alone."""
    own = {loop.counter for loop in a.loops}
    unknown = [s for s in symbols(a.domain, *a.subscripts) if isinstance(s, Sym) and s.boolean]
    strange = [
        s for s in symbols(a.domain, *a.subscripts)
        if s.scope.name in ("POINT", "LOOP") and not s.name.startswith(COORDINATES) and s not in own
    ]  # fmt: skip
    return not unknown and not strange and len(own) <= 1


def differences(program: Program) -> Iterator[str]:
    k = kernel(program.text)
    for launch in launches(program, 3):
        base = environment(k, launch)
        for a in analyse(k).accesses:
            if not plain(a):
                continue
            seen = space.see(a)
            try:
                before = touched(a.domain, a.subscripts, base, launch, frozenset())
                after = touched(seen.domain, seen.subscripts, base, launch, seen.axes)
            except (Unbound, ZeroDivisionError):
                continue
            yield "" if before == after else f"{a.text}: {before ^ after} over {seen.axes}, {launch}"


@pytest.mark.parametrize("batch", range(3))
def test_the_same_elements_are_touched(batch: int) -> None:
    compared = 0
    for seed in range(batch * 15, batch * 15 + 15):
        program = seeded(f"space/{seed}")
        for problem in differences(program):
            assert not problem, f"seed {seed}: {problem}\n{program.text}"
            compared += 1
    assert compared > 20


def test_block_and_thread_apart_are_kept_apart() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    x[cuda.blockIdx.x * cuda.blockDim.x + 2 * cuda.threadIdx.x] = 1\n")
    (a,) = analyse(k).accesses
    assert 0 not in space.see(a).axes


def test_the_usual_index_becomes_one_number() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    x[cuda.threadIdx.x + cuda.blockDim.x * cuda.blockIdx.x] = 1\n")
    (a,) = analyse(k).accesses
    assert 0 in space.see(a).axes and str(space.see(a).subscripts[0]) == "gid.x"
