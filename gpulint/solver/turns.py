"""Persistent loops: the number of a tile in place of a program and its turn.

`for tile in range(program, tiles, programs)` takes the tiles `program + programs * k`. Since
`0 <= program < programs`, (program, k) and the tile correspond one to one. Where quotients and remainders of
the tile stand in the terms of an access, these are rewritten over one symbol for it, by the substitution
`program = tile - programs * k`, which is kept only if k vanishes from every term that had both; the
definition of the tile stays in the domain, so that nothing is lost. A grid-stride loop likewise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpulint.dataflow.access import Loop
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.space import Seen
from gpulint.term import (
    Atom,
    Bool,
    Int,
    Scope,
    Sym,
    add,
    and_,
    apps,
    conjuncts,
    eq,
    mul,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import of_atom

PREFIX = "turn "
QUOTIENTS = ("floordiv", "mod", "truncdiv", "truncmod")


def seen(s: Seen) -> Seen:
    """The access over the tiles of its persistent loops, where its terms take these apart."""
    for loop in s.source.loops:
        for base, step in _steps(s):
            if _walks(loop, base, step, s) and _taken_apart(s, loop.counter, base):
                s = _over(s, loop.counter, base, step)
    return s


def _steps(s: Seen) -> Iterator[tuple[Int, Int]]:
    """The numberings of blocks or threads along an axis, each with how many there are."""
    for axis in space.AXES:
        yield names.block(axis), names.grid_size(axis)
        if axis in s.axes:
            yield space.gid(axis), space.total(axis)


def _walks(loop: Loop, base: Int, step: Int, s: Seen) -> bool:
    if loop.value is None:
        return False
    walked = add(base, mul(step, of_atom(loop.counter)))
    value = space.over((loop.value,), s.axes)
    return loop.value == walked or (value is not None and value[0] == walked)


def _taken_apart(s: Seen, counter: Sym, base: Int) -> bool:
    """Whether some quotient or remainder is of both the coordinate and the loop's counter."""
    both = {counter, space.atom_of(base)}
    found = (a for op in QUOTIENTS for a in apps(s.domain, *s.subscripts, op=op))
    return any(both <= symbols(a.args[0]) for a in found)


def _over(s: Seen, counter: Sym, base: Int, step: Int) -> Seen:
    turn = sym(f"{PREFIX}{counter.name}", Scope.POINT, 0)
    where = space.atom_of(base)
    back: dict[Atom, Int | Bool] = {where: sub(turn, mul(step, of_atom(counter)))}
    out = s.mapped(lambda c: subst(c, back), lambda i: subst(i, back))
    others = [c for c in conjuncts(s.domain) if where not in symbols(c)]
    left = and_(*(c for c in conjuncts(out.domain) if c not in others))
    if {counter, where} & symbols(left, *out.subscripts, *(t for c in out.checks for t in c)):
        return s
    defined = eq(turn, add(base, mul(step, of_atom(counter))))
    return replace(out, domain=and_(out.domain, defined))
