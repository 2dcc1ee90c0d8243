"""Whose fault a violation at a launch site would be: the launch's, or its caller's.

The host function leaves inputs free. An access past the end of an array whose size is one free
input, at an index that hangs on others, is a relation that the caller keeps and the code may state
as an assert: a witness against it proves nothing wrong with the launch. The same holds, while sizes are
taken to fit 32 bits, of a product of several inputs' sizes: what bounds it is a relation too.
"""

from __future__ import annotations

from gpulint.dataflow.access import Access, IntOp
from gpulint.frontend.host.site import HostArray
from gpulint.ir import symbols as names
from gpulint.solver.options import INT32_SIZES
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES
from gpulint.solver.verdict import Obligation
from gpulint.term import Int, Scope, Sym, symbols
from gpulint.term.build import of_atom

MARKS = (".shape[", ".size", ".strides[", ".stride(", ".span")


def owner(name: str) -> str:
    """The host object that a symbol belongs to: `a` for `a.shape[0]`."""
    for mark in MARKS:
        if mark in name:
            return name.split(mark)[0]
    return name


def of_launch(s: Setting, o: Obligation) -> bool:
    """Whether a violation of an obligation at the setting's site would be the launch's own."""
    if s.site is None:
        return True
    if o.property == "in-range" and o.access is not None and o.axis is not None:
        extent = s.term(o.access.checks[o.axis][1])
        index = _owners(s, o.access, o.access.checks[o.axis][0])
        size = {owner(x.name) for x in symbols(extent) if not x.boolean}
        return not size or index <= size
    if o.property == "no-wrap" and o.op is not None:
        return _width(s, o.op)
    return True


def _owners(s: Setting, a: Access, index: Int) -> set[str]:
    """The inputs that an index hangs on: through itself, its guard and loops, and the launch's size.

    A number of the caller that only sets the launch's size (threads a block) is no such input.
    """
    used = symbols(index, a.domain)
    geometry = [f(x) for x in AXES for f in (names.grid_size, names.block_size)]
    sizes = symbols(*geometry)
    direct = [of_atom(x) for x in used - sizes if x.scope is Scope.LAUNCH and not x.boolean]
    out = {owner(x.name) for x in symbols(*map(s.term, direct)) if not x.boolean}
    moved = [names.grid_size(x) for x in AXES if symbols(names.block(x)) & used]
    moved += [names.block_size(x) for x in AXES if symbols(names.thread(x)) & used]
    return out | {owner(x.name) for x in symbols(*map(s.term, moved)) if not x.boolean and not _plain(x)}


def _width(s: Setting, op: IntOp) -> bool:
    assert s.site is not None
    shapes = [t for a in s.site.arguments.values() if isinstance(a, HostArray) for t in a.shape or ()]
    terms = s.see(op).subscripts
    used = symbols(*terms)
    sizes = [s.term(names.grid_size(a)) for a in AXES if symbols(names.block(a)) & used]
    free = {x for x in symbols(*terms, *sizes) if x.scope is Scope.LAUNCH and not x.boolean}
    if free and all(_plain(x) and x not in symbols(*shapes) for x in free):
        return False  # numbers of the caller alone
    return INT32_SIZES not in s.options.assume or len({owner(x.name) for x in free}) < 2


def _plain(x: Sym) -> bool:
    return owner(x.name) == x.name
