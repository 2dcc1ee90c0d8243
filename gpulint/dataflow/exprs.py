"""IR expressions to graph nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpulint.dataflow.flow import State
from gpulint.dataflow.graph import ArrayValue, Place
from gpulint.ir import nodes as n
from gpulint.ir.collectives import COLLECTIVES
from gpulint.ir.types import BOOL


def lower(st: State, e: n.Expr) -> int:
    """The node of an expression, evaluated where the walk stands."""
    make = _LOWER.get(type(e))
    if make is None:  # a value that this walk does not know: anything
        return st.node("fresh", op=type(e).__name__.lower(), type=e.type, span=e.span)
    return make(st, e)


def arrays(st: State, name: str) -> ArrayValue:
    """The arrays that a name stands for; none when it is not known to be an array."""
    value = st.env.get(name)
    if isinstance(value, tuple):
        return value
    if value is None and name in st.graph.bases:
        return (Place(name),)
    return ()


def _const(st: State, e: n.Const) -> int:
    key = ("const", type(e.value), e.value, e.type)
    return st.leaf(key, lambda: st.node("const", data=e.value, type=e.type, span=e.span))


def _var(st: State, e: n.Var) -> int:
    value = st.env.get(e.name)
    if isinstance(value, int):
        return value
    made = st.node("fresh", op="undefined", name=e.name, type=e.type, span=e.span)
    if value is None:
        st.env[e.name] = made
    return made


def _coord(st: State, e: n.Coord) -> int:
    return st.leaf(("coord", e.kind, e.axis),
                   lambda: st.node("coord", op=e.kind, data=e.axis, type=e.type, span=e.span))  # fmt: skip


def _shape(kind: str) -> Callable[[State, Any], int]:
    def lower_shape(st: State, e: Any) -> int:
        value = arrays(st, e.array)
        data = (value, getattr(e, "axis", 0), getattr(e, "unit", ""), e.array)
        if not value:
            return st.node("fresh", op=f"{kind} of {e.array}", type=e.type, span=e.span)
        needs = [i for p in value for i in (*p.nodes, *(st.graph.bases[p.base].shape or ()))]

        def make() -> int:
            return st.node(kind, needs, data=data, type=e.type, span=e.span, expr=e)

        return make() if needs else st.leaf((kind, data), make)

    return lower_shape


def _unary(st: State, e: n.Unary) -> int:
    operand = lower(st, e.operand)
    if e.op == "not":
        return st.negate(operand)
    return st.node("op", (operand,), op=e.op, type=e.type, span=e.span, expr=e)


def _binary(st: State, e: n.Binary) -> int:
    sides = lower(st, e.left), lower(st, e.right)
    return st.node("op", sides, op=e.op, type=e.type, span=e.span, expr=e)


def _compare(st: State, e: n.Compare) -> int:
    sides = lower(st, e.left), lower(st, e.right)
    return st.node("compare", sides, op=e.op, type=BOOL, span=e.span, expr=e)


def _logic(st: State, e: n.Logic) -> int:
    return st.junction(e.op, [lower(st, o) for o in e.operands])


def _choose(st: State, e: n.Choose) -> int:
    condition = lower(st, e.condition)
    known = st.truth(condition)
    if known is not None:
        return lower(st, e.then if known else e.other)
    path = st.path
    st.path = (*path, condition)
    then = lower(st, e.then)
    st.path = (*path, st.negate(condition))
    other = lower(st, e.other)
    st.path = path
    return st.node("gamma", (condition, then, other), type=e.type, span=e.span, expr=e)


def _cast(st: State, e: n.Cast) -> int:
    return st.node("cast", (lower(st, e.operand),), type=e.type, span=e.span, expr=e)


def _opaque(st: State, e: n.Opaque) -> int:
    operands = [lower(st, o) for o in e.operands]
    kind = "fresh" if e.fresh else "opaque"
    made = st.node(kind, operands, op=e.name, type=e.type, span=e.span, expr=e)
    meeting = st.graph.events[-1] if e.fresh and e.name in COLLECTIVES and st.graph.events else None
    if meeting is not None and getattr(meeting.stmt, "collective", "") == e.name:
        meeting.node = made
    return made


def _lane(st: State, e: n.Lane) -> int:
    size = lower(st, e.size)
    return st.leaf(("lane", e.axis, size),
                   lambda: st.node("lane", (size,), data=e.axis, type=e.type, span=e.span))  # fmt: skip


def _relane(st: State, e: n.Relane) -> int:
    parts = [lower(st, x) for x in (e.operand, *e.lanes)]
    return st.node("relane", parts, type=st.graph.nodes[parts[0]].type, span=e.span)


_LOWER: dict[type, Callable[[State, Any], int]] = {
    n.Const: _const, n.Var: _var, n.Coord: _coord, n.Extent: _shape("extent"), n.Size: _shape("size"),
    n.Stride: _shape("stride"), n.Unary: _unary, n.Binary: _binary, n.Compare: _compare, n.Logic: _logic,
    n.Choose: _choose, n.Cast: _cast, n.Opaque: _opaque, n.Lane: _lane, n.Relane: _relane,
}  # fmt: skip
