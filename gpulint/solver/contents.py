"""When the contents of an index array may be held against a kernel.

A subscript loaded from an array is as good as what the caller put there: that every element is in
range, or that no two are equal, is a clause and not a fault. A witness that chooses such contents
counts only where the code itself says that they may be so: the host fills the array with values that
may repeat, or the kernel adds to what it loads from the place it stores to, which only makes sense
when several threads may do so.
"""

from __future__ import annotations

from gpulint.contract.hostarray import Elements
from gpulint.dataflow.access import Access
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements, walk
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROGRAM, Obligation
from gpulint.term import Bool, Int, apps, conjuncts, symbols


def tell(s: Setting, o: Obligation) -> bool:
    """Whether a witness against the obligation may choose what index arrays hold."""
    if o.op is not None:
        return all(_bounded(s, x.data) for x in apps(o.op.term, o.op.domain, op="load"))
    if o.access is None or o.property not in ("in-range", "disjoint"):
        return True
    arrays = s.accesses.arrays
    accesses = [a for a in (o.access, o.other) if a is not None]
    loaded = {x.data for a in accesses for x in apps(*a.subscripts, *_reach(a), op="load")}
    if o.property == "disjoint":  # where a counter starts makes no race
        loaded = {name for name in loaded if name not in arrays or not arrays[name].written}
    if not loaded:
        return True
    if o.property == "in-range":
        return all(_stated(s, name) for name in loaded)
    if o.scope == PROGRAM:  # whichever element of the range it is
        return all(_bounded(s, name) for name in loaded)
    if s.binding is not None:
        known = (s.binding.elements.get(name) for name in loaded)
        if any(e is not None and _repeats(e) for e in known):
            return True
    return any(accumulates(s.kernel, a) for a in accesses if a.mode == "write")


def made_to_repeat(s: Setting) -> bool:
    """Whether the host fills every array that the kernel loads from with values that may repeat."""
    loaded = {a.array.name for a in s.accesses.accesses if a.mode == "read" and a.array.is_param}
    known = [s.binding.elements.get(name) if s.binding is not None else None for name in loaded]
    return bool(loaded) and all(e is not None and _repeats(e) for e in known)


def _repeats(e: Elements) -> bool:
    """Whether the host fills an array with values that may repeat: one value throughout, at the least."""
    return e.injective is False or (e.low is not None and e.low == e.high)


def _bounded(s: Setting, array: str) -> bool:
    """Whether the elements of an array are known, or asked, to lie between two bounds."""
    asked = any(c.predicate == "within" and c.arrays == (array,) for c in s.premises)
    return asked or _stated(s, array)


def _stated(s: Setting, array: str) -> bool:
    """Whether the host code or a declared clause says between which bounds the elements of an array lie.

    That another access of the kernel asks for a range does not make every element of it a place that this
    access may be sent to: what this one asks for is the caller's to keep as well.
    """
    known = s.binding.elements.get(array) if s.binding is not None else None
    if known is not None and known.least is not None and known.most is not None:
        return True
    said = (c for c in s.premises if c.origin == "declared")
    return any(c.predicate == "within" and c.arrays == (array,) for c in said)


def doubted(s: Setting, o: Obligation) -> bool:
    """Whether the code itself says that index arrays of a pair may hold equal elements."""
    if o.property != "disjoint" or o.access is None or o.other is None:
        return False
    pair = (o.access, o.other)
    return any(apps(*a.subscripts, op="load") for a in pair) and tell(s, o)


def _reach(a: Access) -> list[Int | Bool]:
    """What limits the loop counters of an access: trip counts and conditions on them."""
    counters = {loop.counter for loop in a.loops}
    limits: list[Int | Bool] = [loop.trips for loop in a.loops]
    return limits + [c for c in conjuncts(a.guard) if counters & symbols(c)]


def accumulates(kernel: n.Kernel, a: Access) -> bool:
    """Whether a store adds to the element that it loaded from the same place: `x[i] = x[i] + v`."""
    store = a.stmt
    if not isinstance(store, n.Store):
        return False
    loads = {
        x.target for x in statements(kernel.body)
        if isinstance(x, n.Load) and x.array == store.array and x.subscripts == store.subscripts
    }  # fmt: skip
    value: n.Expr | None = store.value
    if isinstance(value, n.Var) and value.name not in loads:
        assigned = (x for x in statements(kernel.body) if isinstance(x, n.Assign))
        given = [x.value for x in assigned if x.target == value.name]
        value = given[-1] if given else None
    if not isinstance(value, n.Binary) or value.op not in ("add", "sub"):
        return False
    return any(isinstance(x, n.Var) and x.name in loads for x in walk(value))
