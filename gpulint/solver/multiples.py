"""A launch whose host code says that one size is a multiple of another, in terms of how many times.

`assert BLOCK_M % BLOCK_N == 0` makes `BLOCK_M` the product `BLOCK_N * m` for some whole number m: Python
would have raised an error for a divisor of zero. Written so, quotients of such sizes are polynomials. Sound:
each launch of the site is one for some m, so that what holds for every m holds for it. Only numbers are
written so: extents of tensors are what other sizes are compared with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from gpulint.contract.bind import Binding
from gpulint.solver.blame import owner
from gpulint.term import Bool, Int, Scope, Sym, apps, eq, ge, le, mul, subst, sym
from gpulint.term.build import of_atom

T = TypeVar("T", Int, Bool)


def told(b: Binding) -> Binding:
    """The binding with multiples of other symbols written as products."""
    for f in b.facts:
        for rest in apps(f, op="mod"):
            x, y = (t.atom for t in rest.args)
            if f == eq(of_atom(rest), 0) and isinstance(x, Sym) and isinstance(y, Sym) and x is not y:
                b = _product(b, x, y)
    return b


def _product(b: Binding, x: Sym, y: Sym) -> Binding:
    """The binding with a fresh factor times `y` in place of `x`."""
    name = f"{x.name} // {y.name}"
    if name in b.taken or x in b.links or x.scope is not Scope.LAUNCH or owner(x.name) != x.name:
        return b
    positive = x.lo is not None and x.lo >= 0 and y.lo is not None and y.lo >= 1
    times = mul(of_atom(y), sym(name, Scope.LAUNCH, 0 if positive else None))

    def apart(term: T) -> T:
        return subst(term, {x: times})

    bounds = [ge(times, x.lo)] if x.lo is not None else []
    bounds += [le(times, x.hi)] if x.hi is not None else []
    return replace(
        b, mapping={k: apart(v) for k, v in b.mapping.items()},
        facts=tuple(dict.fromkeys((*map(apart, b.facts), *bounds))),
        device_facts=tuple(map(apart, b.device_facts)), flags={k: apart(v) for k, v in b.flags.items()},
        links={**{k: apart(v) for k, v in b.links.items()}, x: times}, taken=b.taken | {name},
        elements={k: e.linked({x: times}) for k, e in b.elements.items()},
    )  # fmt: skip
