"""A kernel compiled for the interpreter, kept for further launches of the same kernel."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from gpulint.interp.expressions import FIRST_NAME, Names
from gpulint.interp.statements import StatementCompiler
from gpulint.interp.values import POISON
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements

KEPT = 64
_programs: OrderedDict[int, tuple[n.Kernel, Program]] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Program:
    """`body` is a generator function when `waiting`. `written` names every array that the kernel
    may write, through aliases and views too."""

    kernel: n.Kernel
    names: Names
    body: Any
    waiting: bool
    grid_sync: bool
    written: frozenset[str]
    cost: int

    def environment(self) -> list[Any]:
        return [POISON] * (FIRST_NAME + len(self.names.slots))


def program(kernel: n.Kernel) -> Program:
    """The compiled kernel; compiling twice is avoided by identity."""
    found = _programs.get(id(kernel))
    if found is not None and found[0] is kernel:
        _programs.move_to_end(id(kernel))
        return found[1]
    made = _compile(kernel)
    _programs[id(kernel)] = (kernel, made)
    if len(_programs) > KEPT:
        _programs.popitem(last=False)
    return made


def _compile(kernel: n.Kernel) -> Program:
    names = Names()
    for p in kernel.params:
        names.slot(p.name)
    waiting, body = StatementCompiler(names).block(kernel.body)
    every = list(statements(kernel.body))
    grid = any(isinstance(s, n.Barrier) and s.kind == "grid" for s in every)
    return Program(kernel, names, body, waiting, grid, written_arrays(every), 1 + len(every))


def written_arrays(every: list[n.Stmt]) -> frozenset[str]:
    """Names of arrays that a store, an atomic or an unsupported statement may reach."""
    out: set[str] = set()
    for s in every:
        if isinstance(s, (n.Store, n.Atomic)):
            out.add(s.array)
        elif isinstance(s, n.Unsupported):
            out.update(s.arrays)
    links = [(s.target, s.array) for s in every if isinstance(s, (n.View, n.Alias))]
    size = -1
    while size != len(out):
        size = len(out)
        out.update(array for target, array in links if target in out)
    return frozenset(out)
