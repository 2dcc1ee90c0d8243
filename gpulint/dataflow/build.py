"""Kernel IR to dataflow graph: one walk over the structured statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpulint.dataflow.exprs import arrays, lower
from gpulint.dataflow.flow import State
from gpulint.dataflow.graph import ArrayValue, Base, Event, Graph, Place, Slice, Step
from gpulint.dataflow.loops import for_loop, while_loop
from gpulint.interp.values import itemsize
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.statements import DESCRIPTOR
from gpulint.ir.tiles import DIALECTS, shapes
from gpulint.ir.types import UNKNOWN, ArrayType
from gpulint.ir.walk import statements


class Unknown(Exception):
    """A statement that the walk does not know: nothing can be said of the kernel."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.span = span


def build(kernel: n.Kernel) -> Graph:
    """The graph of a kernel. Raises TooLarge beyond `graph.MAX_NODES` values, Unknown."""
    tile = kernel.dialect in DIALECTS
    st = State(Graph(tile=tile, shapes=shapes(kernel) if tile else ()))
    _declare(st, kernel)
    walk(st, kernel.body)
    return st.graph


def _declare(st: State, kernel: n.Kernel) -> None:
    for p in kernel.params:
        if isinstance(p.type, ArrayType):
            t = p.type
            rank = t.ndim if t.ndim is not None else _rank(kernel, p.name)
            st.graph.bases[p.name] = Base(p.name, t.space, t.element, rank, True, p.span)
            st.env[p.name] = (Place(p.name),)
        else:
            st.env[p.name] = st.node("param", type=p.type, span=p.span, name=p.name, data=p)


def _rank(kernel: n.Kernel, name: str) -> int | None:
    """The rank that the accesses of an array imply, when they agree."""
    accesses = (n.Load, n.Store, n.Atomic)
    found = [s for s in statements(kernel.body) if isinstance(s, accesses) and s.array == name]
    ranks = {len(s.subscripts) for s in found}
    return ranks.pop() if len(ranks) == 1 else None


def walk(st: State, body: Iterable[n.Stmt]) -> None:
    """Run the statements; what follows a jump is not reached."""
    for s in body:
        if not st.live:
            return
        st.span = s.span
        run = _WALK.get(type(s))
        if run is None:
            raise Unknown(f"{type(s).__name__} statements are not analysed", s.span)
        run(st, s)


def _event(st: State, kind: str, s: Any, value: ArrayValue = (), subscripts: Iterable[n.Expr] = (),
           values: Iterable[n.Expr] = ()) -> Event:  # fmt: skip
    subs = tuple(lower(st, e) for e in subscripts)
    given = tuple(lower(st, e) for e in values)
    event = Event(kind, s, st.path, tuple(st.loops), tuple(st.phase), value, subs, given)
    event.repeats = st.repeats
    _tile(st, event)
    st.graph.events.append(event)
    return event


def _tile(st: State, event: Event) -> None:
    """The tile part of an access: its mask is one more condition of its path."""
    s = event.stmt
    event.lanes = tuple(lower(st, e) for e in getattr(s, "lanes", ()))
    mask = getattr(s, "mask", None) if event.kind in ("load", "store", "atomic") else None
    if mask is not None:
        event.mask = lower(st, mask)
        if st.truth(event.mask) is not True:
            event.path = (*event.path, event.mask)
    if isinstance(s, n.Load) and s.other is not None:
        event.other = lower(st, s.other)


def _assign(st: State, s: n.Assign) -> None:
    st.env[s.target] = lower(st, s.value)


def _touch(st: State, s: Any) -> ArrayValue:
    """The arrays of an access; an access to something unknown is unsupported."""
    value = arrays(st, s.array)
    if not value:
        st.graph.unsupported.append((f"access to {s.array}, which is not a known array", s.span))
        st.graph.tainted.update(st.graph.bases)
    return value


def _load(st: State, s: n.Load) -> None:
    value = _touch(st, s)
    if not value:
        st.env[s.target] = st.node("fresh", op=f"value of {s.array}", type=s.type, span=s.span)
        return
    event = _event(st, "load", s, value, s.subscripts)
    needs = (*event.subscripts, *_needs(st, value), *_extras(event))
    event.node = st.node("load", needs, data=event, type=s.type, span=s.span)
    st.env[s.target] = event.node


def _extras(event: Event) -> list[int]:
    return [i for i in (event.mask, event.other) if i is not None]


def _needs(st: State, value: ArrayValue) -> list[int]:
    return [i for p in value for i in (*p.nodes, *(st.graph.bases[p.base].shape or ()))]


def _store(st: State, s: n.Store) -> None:
    value = _touch(st, s)
    if value:
        _event(st, "store", s, value, s.subscripts, (s.value,))


def _atomic(st: State, s: n.Atomic) -> None:
    value = _touch(st, s)
    if value:
        event = _event(st, "atomic", s, value, s.subscripts, s.operands)
        type = st.graph.bases[value[0].base].element
        event.node = st.node("result", data=event, type=type, span=s.span, op=f"atomic {s.op}")
    if s.target:
        result = event.node if value else None
        st.env[s.target] = st.node("fresh", op="atomic", span=s.span) if result is None else result


def _view(st: State, s: n.View) -> None:
    shape = tuple(lower(st, e) for e in s.shape or ())
    step = Step(tuple(_index(st, i) for i in s.indices), s.transpose, shape)
    source = _touch(st, s)
    if source:
        st.env[s.target] = tuple(Place(p.base, (*p.steps, step), p.known and s.shape != ()) for p in source)
    else:
        st.env[s.target] = st.undefined(s.target)


def _index(st: State, i: n.Expr | n.Range) -> int | Slice:
    if isinstance(i, n.Range):
        start, stop, step = (None if e is None else lower(st, e) for e in (i.start, i.stop, i.step))
        return Slice(start, stop, step)
    return lower(st, i)


def _alias(st: State, s: n.Alias) -> None:
    value = arrays(st, s.array)
    st.env[s.target] = value or st.undefined(s.target)


def _alloc(st: State, s: n.Alloc) -> None:
    if s.shape is None and _overlaid(st, s):
        return
    name, count = s.target, 1
    while name in st.graph.bases:
        count += 1
        name = f"{s.target}~{count}"
    shape = None if s.shape is None else tuple(lower(st, e) for e in s.shape)
    rank = s.type.ndim if shape is None else len(shape)
    base = Base(name, s.type.space, s.type.element, rank if rank is not None else 1, False, s.span, shape)
    base.dynamic = s.shape is None
    st.graph.bases[name] = base
    st.env[s.target] = (Place(name),)


def _overlaid(st: State, s: n.Alloc) -> bool:
    """Dynamic shared arrays of a block begin at one address: those of one element size are one array.

    Of another size they overlap in part, which is not followed.
    """
    old = next((b for b in st.graph.bases.values() if b.dynamic), None)
    if old is None:
        return False
    if itemsize(old.element) != itemsize(s.type.element) or itemsize(old.element) is None:
        reason = "dynamic shared arrays of different element sizes, which overlap"
        st.graph.unsupported.append((reason, s.span))
        st.graph.tainted.update((old.name, s.target))
        return False
    st.env[s.target] = (Place(old.name),)
    return True


def _if(st: State, s: n.If) -> None:
    condition = lower(st, s.condition)
    st.branch(condition, lambda: walk(st, s.then), lambda: walk(st, s.other))


def _block(st: State, s: n.Block) -> None:
    frame = st.open("block", s.label)
    walk(st, s.body)
    st.close(frame)


def _barrier(st: State, s: n.Barrier) -> None:
    given = [e for e in (s.mask, s.operand) if e is not None]
    event = _event(st, "barrier", s, values=given)
    if s.kind in ("block", "grid"):
        st.phase[-1] += 1
        for loop in st.loops:
            st.graph.loops[loop].barrier = True
    if s.target:
        event.node = st.node("result", data=event, op=f"{s.kind} vote", span=s.span)
        st.env[s.target] = event.node


def _assume(st: State, s: n.Assume) -> None:
    condition = lower(st, s.condition)
    known = st.truth(condition)
    if known is False:
        st.jump("block")
    elif known is None:
        st.end_unless(condition)


def _unsupported(st: State, s: n.Unsupported) -> None:
    st.graph.unsupported.append((s.reason, s.span))
    _event(st, "unsupported", s)
    for a in s.arrays:
        st.graph.tainted.update(p.base for p in arrays(st, a))
    for t in s.targets:
        st.env[t] = st.node("fresh", op=t, name=t, span=s.span, type=UNKNOWN)


def _effect(st: State, s: n.Effect) -> None:
    """Prints and sleeps touch no array; what an `arange` and a descriptor are made of is kept."""
    if s.name == "arange" and len(s.operands) == 2:
        start, end = (lower(st, e) for e in s.operands)
        st.graph.aranges.append((start, end, s.span))
    if s.name.startswith(DESCRIPTOR):
        parts = tuple(lower(st, e) for e in s.operands)
        st.graph.descriptors.append((s.name.removeprefix(DESCRIPTOR), parts, s.span))


def _while(st: State, s: n.While) -> None:
    while_loop(st, s, walk)


def _for(st: State, s: n.For) -> None:
    for_loop(st, s, walk)


_WALK: dict[type, Callable[[State, Any], None]] = {
    n.Assign: _assign, n.Load: _load, n.Store: _store, n.Atomic: _atomic, n.View: _view, n.Alias: _alias,
    n.Alloc: _alloc, n.If: _if, n.For: _for, n.While: _while, n.Block: _block, n.Barrier: _barrier,
    n.Break: lambda st, s: st.jump("break"), n.Continue: lambda st, s: st.jump("continue"),
    n.Leave: lambda st, s: st.jump("block", s.label), n.Assume: _assume, n.Effect: _effect,
    n.Unsupported: _unsupported,
}  # fmt: skip

__all__ = ["build", "walk"]
