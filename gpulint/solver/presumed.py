"""Clauses that are taken for granted: positive divisors, and in tile kernels sizes and strides.

They are ordinary clauses of the inferred contract (checked at every launch site), taken first since
truncating division and products with strides say nothing without them: `(n + b - 1) // b` of a negative n
rounds the other way.
"""

from __future__ import annotations

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import AccessSet
from gpulint.ir import symbols as names
from gpulint.solver.prover import Prover
from gpulint.solver.residual import Named
from gpulint.solver.setting import Setting
from gpulint.term import TRUE, App, Bool, Int, Scope, Sym, and_, apps, eq, ge, symbols
from gpulint.term.build import of_atom

TRUNCATING = ("truncdiv", "truncmod")
DIVISIONS = ("floordiv", "mod", *TRUNCATING)


def taken(s: Setting, named: Named) -> tuple[Clause, ...]:
    """What a tile kernel takes: sizes and strides, and quotients of parameters that divide above zero.

    `x // (heads // groups)` asks for `groups <= heads`: a quotient by a positive number is at least one
    where the dividend is no less than the divisor, whichever way it is rounded.
    """
    sizes = clauses(s.accesses, named)
    under = s.with_premises(sizes).prover
    more: list[Clause] = []
    for c in divisors(s.accesses, named):
        if c not in sizes and not under.prove(TRUE, c.condition, z3_too=False):
            more.append(_fitting(c, under))
    return (*sizes, *dict.fromkeys(more))


def _fitting(c: Clause, under: Prover) -> Clause:
    """That a quotient is at least one, as a comparison of its dividend and divisor."""
    (quotient,) = apps(c.condition)[:1] or (None,)
    if quotient is None or quotient.op not in ("floordiv", "truncdiv"):
        return c
    x, w = quotient.args
    alone = c.condition == ge(of_atom(quotient), 1)
    return Clause(ge(x, w)) if alone and under.prove(TRUE, ge(w, 1), z3_too=False) else c


def clauses(accesses: AccessSet, named: Named) -> tuple[Clause, ...]:
    """`n >= 1` for divisors and tile sizes, `n >= 0` for factors of a coordinate, exponents, and what is
    added up in a dividend."""
    positive: set[Sym] = set()
    factors: set[Sym] = set()
    for a in accesses.accesses:
        for x in apps(a.domain, *a.subscripts):
            if x.op in DIVISIONS:
                positive |= symbols(x.args[1])
                factors |= _scaling(x.args[0]) if isinstance(x.args[0], Int) else set()
                factors |= _summands(x.args[0]) if x.op in TRUNCATING else set()
            elif x.op == "pow":
                factors |= symbols(x.args[1])
        for _, size in a.lanes:
            positive |= symbols(size)
        for t in a.subscripts:
            for way in (t, *(x for s in apps(t, op="select") for x in s.args[1:] if isinstance(x, Int))):
                factors |= _scaling(way)
    positive = {s for s in positive if _parameter(s, named)}
    factors = {s for s in factors if _parameter(s, named)} - positive
    ordered = sorted(positive, key=lambda s: s.order), sorted(factors, key=lambda s: s.order)
    return (
        *(Clause(ge(of_atom(s), 1)) for s in ordered[0]),
        *(Clause(ge(of_atom(s), 0)) for s in ordered[1]),
    )


def _summands(t: Int | Bool) -> set[Sym]:
    """The parameters that a term grows with: factors of monomials that are added."""
    terms = t.terms if isinstance(t, Int) else ()
    return {a for mono, c in terms if c > 0 for a in mono if isinstance(a, Sym)}


def _scaling(t: Int) -> set[Sym]:
    """The symbols of a subscript that are factors beside a coordinate, those in the ways of a choice too."""
    out: set[Sym] = set()
    for mono, _ in t.terms:
        moving = [m for m in mono if not isinstance(m, Sym) or m.scope is not Scope.LAUNCH]
        if moving:
            out |= {m for m in mono if isinstance(m, Sym)}
        ways = [x for m in moving if isinstance(m, App) and m.op == "select" for x in m.args[1:]]
        for x in ways if len(moving) > 1 else ():
            if isinstance(x, Int) and len(x.terms) == 1:
                out |= {m for m in x.terms[0][0] if isinstance(m, Sym)}
    return out


def along_x() -> Clause:
    """The threads of a block go along x alone, and so do the lanes of its warps."""
    return Clause(and_(*(eq(names.block_size(axis), 1) for axis in (1, 2))), text="block.y == block.z == 1")


def divisors(accesses: AccessSet, named: Named) -> tuple[Clause, ...]:
    """Positive divisors made of parameters alone, in subscripts and guards: `i % n` says nothing without."""
    found: dict[Clause, None] = {}
    for a in accesses.accesses:
        for x in apps(a.domain, *a.subscripts):
            by = x.args[1] if x.op in DIVISIONS else None
            if not isinstance(by, Int) or (by.lo is not None and by.lo >= 1):
                continue
            if symbols(by) and (all(_parameter(s, named) for s in symbols(by)) or _share(by, named)):
                found[Clause(ge(by, 1))] = None
    return tuple(found)


def _share(by: Int, named: Named) -> bool:
    """Whether a divisor is a parameter by a tile's size: `width // BLOCK`, the tiles of a row."""
    q = by.atom
    if not isinstance(q, App) or q.op not in ("floordiv", "truncdiv"):
        return False
    x, w = (t.atom for t in q.args)
    return isinstance(x, Sym) and isinstance(w, Sym) and _parameter(x, named) and w in named.symbols


def _parameter(s: Sym, named: Named) -> bool:
    """Whether the symbol is an integer parameter whose sign nothing tells yet."""
    return s in named.symbols and s.scope is Scope.LAUNCH and "." not in s.name and s.lo is None
