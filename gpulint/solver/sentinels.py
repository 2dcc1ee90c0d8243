"""Numbers that stand for no element in an index array: an offset made of one lies before the array.

What an index array holds is the caller's. But where the code itself says that elements may be negative (the
host function's docstring does, or the kernel tests the same array's elements for it at another access), an
access that takes such an element for a place is at fault. It is refuted by a launch in which the element is
that number, wherever the access's own guard lets it be.
"""

from __future__ import annotations

from gpulint.dataflow.access import Access
from gpulint.solver import ranges
from gpulint.solver.search import Ask
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import Obligation
from gpulint.term import App, Bool, Cmp, Scope, Sym, apps, conjuncts, eq, ge, symbols
from gpulint.term.build import of_atom


def ask(s: Setting, o: Obligation) -> Ask | None:
    """What would show that an access uses a number that stands for none; None where none is told of."""
    if o.property != "in-range" or o.access is None or o.axis is None or not s.tiles or s.site is None:
        return None
    seen = s.see(o.access)
    offset = seen.checks[o.axis][0]
    told = {x: v for x in apps(offset, op="load") if (v := _told(s, o.access, x)) is not None}
    if not told or not all(_anywhere(s, seen.domain, x) for x in told):
        return None
    given: list[Bool] = [eq(of_atom(x), v) for x, v in told.items()]
    before = ranges.violated(o.access, o.axis, seen.checks, (False, True))
    return Ask(o, (seen.domain, before, *given), (seen,), "out-of-range", o.access.array.name)


def _told(s: Setting, a: Access, load: App) -> int | None:
    """The negative number that an element may be, as the host's words or the kernel's other accesses say."""
    known = s.binding.elements.get(load.data) if s.binding is not None else None
    if known is not None and known.low is not None and (known.low.lo or -1) >= 0:
        return None
    if known is not None and known.sentinel is not None:
        return known.sentinel
    others = (x for x in s.accesses.accesses if x.span != a.span)
    return -1 if any(_tests(c, load.data) for x in others for c in conjuncts(x.guard)) else None


def _tests(c: Bool, array: str) -> bool:
    """Whether a condition is that an element of the array is not negative."""
    loads = apps(c, op="load") if isinstance(c, Cmp) else ()
    return any(x.data == array and c == ge(of_atom(x), 0) for x in loads)


def _anywhere(s: Setting, domain: Bool, load: App) -> bool:
    """Whether nothing but the launch's size and the tensors' says which elements of the array are used.

    A number of the caller, or one loaded, may count those that are none of these.
    """
    for c in conjuncts(domain):
        if not symbols(c) & symbols(*load.args) and not any(x == load for x in apps(c, op="load")):
            continue
        if any(x != load for x in apps(c, op="load")):
            return False
        if any(_number(x) for x in symbols(c)):
            return False
    return True


def _number(x: Sym) -> bool:
    """Whether a symbol is a number that the caller gives by itself."""
    return x.scope is Scope.LAUNCH and not any(m in x.name for m in (".shape[", ".size", "numel()"))
