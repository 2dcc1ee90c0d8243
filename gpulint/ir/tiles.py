"""Tile dialects, and the parameters that must be at least 1 for a kernel of theirs to compile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gpulint.ir import nodes as n
from gpulint.ir.check import own_expressions
from gpulint.ir.walk import statements, walk

DIALECTS = ("triton", "cutile")


def sized(kernel: n.Kernel) -> n.Kernel:
    """The kernel with `lo` = 1 for every constexpr parameter that is the size of a tile.

    Uses under a branch that may be taken at compile time do not count, nor those after such a
    branch that leaves: there the tile may never be made.
    """
    found = lengths(kernel, {})
    params = tuple(replace(p, lo=1) if p.constexpr and p.name in found else p for p in kernel.params)
    return replace(kernel, params=params) if params != kernel.params else kernel


def lengths(kernel: n.Kernel, known: Mapping[str, int]) -> set[str]:
    """The names that are lengths of tiles which are compiled for certain, given some constexpr parameters."""
    every = certain(kernel, known)
    return {e.name for s in every for e in _sizes(s) if isinstance(e, n.Var)}


def shapes(kernel: n.Kernel) -> tuple[tuple[n.Expr, ...], ...]:
    """The shapes of the tiles of accesses that are compiled for certain, each once."""
    return tuple(dict.fromkeys(tuple(getattr(s, "lanes", ())) for s in certain(kernel)))


def certain(kernel: n.Kernel, known: Mapping[str, int] | None = None) -> Iterator[n.Stmt]:
    """The statements that are compiled whatever the constexpr parameters are, less those that are known."""
    return _certain(kernel.body, _of_launch(kernel), known or {})


def _of_launch(kernel: n.Kernel) -> set[str]:
    """Parameters and locals that hold values of the launch, not of the compilation."""
    out = {p.name for p in kernel.params if not p.constexpr and not p.is_array}
    every = list(statements(kernel.body))
    out |= {s.target for s in every if isinstance(s, (n.Load, n.Atomic))}
    while True:
        given = (s for s in every if isinstance(s, n.Assign) and s.target not in out)
        more = {s.target for s in given if _at_run_time(s.value, out)}
        if not more:
            return out
        out |= more


def _certain(body: Iterable[n.Stmt], runtime: set[str], known: Mapping[str, int]) -> Iterator[n.Stmt]:
    for s in body:
        yield s
        if isinstance(s, n.If):
            if _at_run_time(s.condition, runtime):
                yield from _certain(s.then, runtime, known)
                yield from _certain(s.other, runtime, known)
            elif _leaves((*s.then, *s.other)):
                return
        elif isinstance(s, n.For) and not _runs_through(s, runtime, known):
            continue
        elif isinstance(s, (n.For, n.While, n.Block)):
            yield from _certain(s.body, runtime, known)
            if isinstance(s, n.Block) and _leaves(s.body, s.label):
                return


def _runs_through(loop: n.For, runtime: set[str], known: Mapping[str, int]) -> bool:
    """Whether the body is compiled: one that is unrolled as often as compile-time values say may not be."""
    bounds = (loop.start, loop.stop, loop.step)
    if any(_at_run_time(e, runtime) for e in bounds):
        return True
    start, stop, step = (_number(e, known) for e in bounds)
    if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step):
        return False
    return len(range(start, stop, step)) > 0


def _number(e: n.Expr, known: Mapping[str, int]) -> object:
    if isinstance(e, n.Const):
        return e.value
    return known.get(e.name) if isinstance(e, n.Var) else None


def _sizes(s: n.Stmt) -> list[n.Expr]:
    """The lengths of the tiles' axes that a statement names itself."""
    return [*getattr(s, "lanes", ()), *(e.size for e in own_expressions(s) if isinstance(e, n.Lane))]


def _at_run_time(condition: n.Expr, runtime: set[str]) -> bool:
    """Whether the branch is compiled both ways: its condition needs a value of the launch."""
    parts = walk(condition)
    return any(isinstance(e, n.Coord) or (isinstance(e, n.Var) and e.name in runtime) for e in parts)


def _leaves(body: Iterable[n.Stmt], label: str | None = None) -> bool:
    """Whether a statement may leave further out than the block with this label."""
    jumps = (s for s in statements(tuple(body)) if isinstance(s, (n.Leave, n.Break, n.Continue)))
    return any(not isinstance(s, n.Leave) or s.label != label for s in jumps)
