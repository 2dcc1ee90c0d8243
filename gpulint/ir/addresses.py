"""A kernel reduced to where it writes one array: what only the values stored hang on is left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gpulint.ir import nodes as n
from gpulint.ir.walk import statements, walk


def writes_of(kernel: n.Kernel, array: str) -> n.Kernel:
    """The kernel that writes the same elements of a parameter array, with other values.

    Stores and atomics to other arrays, loads and assignments that no address, mask, condition or loop
    of the rest uses are gone, and every value stored is zero. The kernel as it is when loads, views of
    arrays or barriers have a part in that: then nothing is left out. Sound: what is removed writes no element
    of the array and gives nothing that is read by what stays.
    """
    every = list(statements(kernel.body))
    if any(isinstance(s, (n.View, n.Alias, n.Alloc, n.Barrier, n.Unsupported)) for s in every):
        return kernel
    used = _used(every, array)
    if any(isinstance(s, (n.Load, n.Atomic)) and s.target in used for s in every):
        return kernel
    return replace(kernel, body=_kept(kernel.body, used, array))


def _used(every: list[n.Stmt], array: str) -> set[str]:
    """The locals that addresses, masks, conditions and loops are computed from."""
    used: set[str] = set()
    for s in every:
        used |= _names(_direct(s, array))
    while True:
        more = {x for s in every if isinstance(s, n.Assign) and s.target in used for x in _names((s.value,))}
        if more <= used:
            return used
        used |= more


def _direct(s: n.Stmt, array: str) -> Iterable[n.Expr | None]:
    """The expressions of a statement that stays in which locals matter, assignments apart."""
    if isinstance(s, (n.Store, n.Atomic)):
        operands = s.operands if isinstance(s, n.Atomic) else ()
        return (*s.subscripts, *s.lanes, s.mask, *operands) if s.array == array else ()
    if isinstance(s, (n.If, n.While, n.Assume)):
        return (s.condition,)
    return (s.start, s.stop, s.step) if isinstance(s, n.For) else ()


def _names(exprs: Iterable[n.Expr | None]) -> set[str]:
    return {x.name for e in exprs if e is not None for x in walk(e) if isinstance(x, n.Var)}


def _kept(body: tuple[n.Stmt, ...], used: set[str], array: str) -> tuple[n.Stmt, ...]:
    out: list[n.Stmt] = []
    for s in body:
        if isinstance(s, n.Store) and s.array == array:
            out.append(replace(s, value=n.Const(0)))
        elif isinstance(s, n.Atomic) and s.array == array:
            out.append(s)
        elif isinstance(s, n.If):
            out.append(replace(s, then=_kept(s.then, used, array), other=_kept(s.other, used, array)))
        elif isinstance(s, n.While):
            out.append(replace(s, before=_kept(s.before, used, array), body=_kept(s.body, used, array)))
        elif isinstance(s, (n.For, n.Block)):
            out.append(replace(s, body=_kept(s.body, used, array)))
        elif not isinstance(s, (n.Store, n.Atomic, n.Load, n.Effect)) and _matters(s, used):
            out.append(s)
    return tuple(out)


def _matters(s: n.Stmt, used: set[str]) -> bool:
    return not isinstance(s, n.Assign) or s.target in used
