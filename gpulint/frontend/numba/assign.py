"""Assignment: to names, tuples, elements, fields and parts of arrays."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from gpulint.frontend.numba import expressions as ex
from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.attributes import extent, record_field
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.subscripts import Place, hold, item, place, record_element, take, view
from gpulint.frontend.numba.values import SCALARS, Array, Foreign, Record, Shape, Tuple, Unresolved, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, UNKNOWN
from gpulint.ir.walk import walk


def assign(cx: Context, targets: Sequence[ast.expr], value: ast.expr, node: ast.stmt) -> None:
    """`a = b = value`."""
    found = evaluated(cx, targets[0], value)
    for target in targets:
        store(cx, target, found, node)


def evaluated(cx: Context, target: ast.expr, value: ast.expr) -> Value:
    """The value, lowered as an index where the target is used as one, unloaded where it is a record."""
    fact = cx.frame.facts.get(target.id) if isinstance(target, ast.Name) else None
    if fact is not None and fact.record and not fact.array and isinstance(value, ast.Subscript):
        found = place(cx, value)
        if isinstance(found, Place) and not found.view and not found.array.field:
            return Record(found.array.name, found.array, hold(cx, found.subscripts))
        return take(cx, found, value) if isinstance(found, Place) else found
    if fact is not None and fact.index:
        cx.index += 1
        try:
            return ex.lower(cx, value)
        finally:
            cx.index -= 1
    return ex.lower(cx, value)


def store(cx: Context, target: ast.expr, value: Value, node: ast.AST) -> None:
    """`target = value`."""
    if isinstance(target, ast.Name):
        if isinstance(value, Unresolved) and not cx.frame.facts.get(target.id).array:
            cx.frame.env[target.id] = value
            return
        cx.bind(target.id, value, cx.span(node))
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(cx, target, value, node)
    elif isinstance(target, ast.Subscript):
        _into(cx, place(cx, target), value, target)
    elif isinstance(target, ast.Attribute):
        _into_field(cx, target, value)
    else:
        raise NotHandled(f"assignment to a {type(target).__name__.lower()}", target)


def _unpack(cx: Context, target: ast.Tuple | ast.List, value: Value, node: ast.AST) -> None:
    items = unpacked(cx, value, len(target.elts), node)
    starred = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
    if starred is not None:
        rest = len(items) - len(target.elts) + 1
        items = [*items[:starred], Tuple(tuple(items[starred : starred + rest])), *items[starred + rest :]]
    if len(items) != len(target.elts) and isinstance(value, Tuple) and cx.settled:
        parts = (v.name.rpartition("[")[0] for v in items if isinstance(v, (Array, n.Var)))
        cx.assumes("items", (base for base in parts if base))
        cx.impossible(node)
        return
    if len(items) != len(target.elts):
        raise NotHandled(f"{len(items)} values for {len(target.elts)} names", node)
    if len(items) > 1:
        items = _spilled(cx, target, items)
    for t, v in zip(target.elts, items, strict=False):
        store(cx, t.value if isinstance(t, ast.Starred) else t, v, node)


def unpacked(cx: Context, value: Value, count: int, node: ast.AST) -> list[Value]:
    """The items of something iterable with as many items."""
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, Shape):
        return [item(cx, value, i, node) for i in range(count)]
    if isinstance(value, Array):
        points = [Place(value, (n.Const(i, INT64),), (value.type.ndim or 1) > 1) for i in range(count)]
        return [take(cx, p, node) for p in points]
    if isinstance(value, Unresolved):
        return [Unresolved(f"{value.text}[{i}]", value.node, value.scope) for i in range(count)]
    if isinstance(value, Foreign):
        items = [cx.opaque(f"item {i}", (value.held,), UNKNOWN, node) for i in range(count)]
        return [Foreign(cx.temp(e, "item")) for e in items]
    raise NotHandled("unpacking of something that is not a tuple", node)


def _spilled(cx: Context, target: ast.Tuple | ast.List, items: list[Value]) -> list[Value]:
    """`a, b = b, a`: values that name a local bound by the same statement go through temporaries."""
    bound: set[str] = set()
    out: list[Value] = []
    for t, v in zip(target.elts, items, strict=False):
        if isinstance(v, SCALARS) and any(isinstance(e, n.Var) and e.name in bound for e in walk(v)):
            v = cx.temp(v)
        out.append(v)
        if isinstance(t, ast.Name):
            bound.add(cx.canonical(t.id))
    return out


def _into(cx: Context, target: Place | Value, value: Value, node: ast.Subscript) -> None:
    if isinstance(target, Array):
        target = Place(target, (), target.type.ndim != 0)
    if not isinstance(target, Place):
        raise NotHandled("assignment to a subscript of something that is not an array", node)
    if target.view:
        fill(cx, view(cx, target, node), value, node)
        return
    _store_element(cx, target, value, node)


def _store_element(cx: Context, target: Place, value: Value, node: ast.AST) -> None:
    if isinstance(value, Array) and target.array.type.ndim == 0 and value.type.ndim:
        from gpulint.frontend.numba.memory import read

        read(cx, value, node)  # a nested array, of which the whole field counts as written
        value = cx.opaque("array", (), UNKNOWN, node)
    if isinstance(value, Record) or (isinstance(value, Tuple) and not target.array.field):
        value = cx.opaque("record", (), target.array.type.element, node)
    stored = ops.scalar(cx, value, node)
    cx.emit(
        n.Store(target.array.name, target.subscripts, stored, True, target.array.field, span=cx.span(node))
    )


def _owner(cx: Context, target: ast.Attribute) -> Value | Place:
    """What a field that is assigned lies in."""
    if isinstance(target.value, ast.Subscript):
        return place(cx, target.value)
    root: ast.expr = target.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Subscript) and isinstance(target.value, ast.Attribute):
        return record_element(cx, target.value, target.attr)
    return ex.lower(cx, target.value)


def _into_field(cx: Context, target: ast.Attribute, value: Value) -> None:
    owner = _owner(cx, target)
    if isinstance(owner, Place) and not owner.view:
        owner = Record("", owner.array, owner.subscripts)
    if isinstance(owner, Record) and owner.array is None:
        found = record_field(cx, owner, target.attr, target)
        if isinstance(found, Array) and found.type.ndim == 0:
            _store_element(cx, Place(found, (), False), value, target)
            return
    if isinstance(owner, Array) and owner.type.ndim == 0:
        owner = Record("", owner, ())
    if not isinstance(owner, Record) or owner.array is None:
        raise NotHandled(f"assignment to the attribute {target.attr}", target)
    inner = owner.array.inner(target.attr)
    _store_element(cx, Place(inner, owner.subscripts, False), value, target)


def fill(cx: Context, target: Array, value: Value, node: ast.AST) -> None:
    """Whole-array assignment: a loop of stores, the value repeated along axes that it lacks."""
    rank = target.type.ndim
    if rank is None:
        raise NotHandled("assignment to all of an array of unknown rank", node)
    if not isinstance(value, Array):
        value = ops.scalar(cx, value, node) if not isinstance(value, Tuple) else value
    if isinstance(value, Tuple):
        _fill_from_tuple(cx, target, value, node)
        return
    _fill_axis(cx, target, value, (), rank, node)


def _fill_from_tuple(cx: Context, target: Array, value: Tuple, node: ast.AST) -> None:
    if target.type.ndim != 1:
        raise NotHandled("assignment of a tuple to several axes", node)
    for i, v in enumerate(value.items):
        at = (n.Const(i, INT64),)
        cx.emit(n.Store(target.name, at, ops.scalar(cx, v, node), True, target.field, span=cx.span(node)))


def _fill_axis(
    cx: Context, target: Array, value: Value, at: tuple[n.Expr, ...], rank: int, node: ast.AST
) -> None:
    span = cx.span(node)
    if len(at) == rank:
        if isinstance(value, Array):
            source = at[rank - (value.type.ndim if value.type.ndim is not None else rank) :]
            value = cx.loaded(value, source, value.field, span)
        assert isinstance(value, SCALARS)
        cx.emit(n.Store(target.name, at, value, False, target.field, span=span))
        return
    counter = cx.names.unique(f"{target.name}.i")
    with cx.capture() as inner:
        _fill_axis(cx, target, value, (*at, n.Var(counter, INT64)), rank, node)
    stop = extent(cx, target, len(at), node)
    cx.emit(n.For(counter, n.Const(0, INT64), stop, n.Const(1, INT64), tuple(inner), INT64, span))


def augmented(cx: Context, s: ast.AugAssign) -> None:
    """`target op= value`; the place of a subscript is worked out once."""
    if isinstance(s.target, ast.Name):
        old = ex.lower(cx, ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
        value = evaluated(cx, s.target, s.value)
        cx.index += (wanted := cx.frame.facts.get(s.target.id).index)
        new = ex.apply(cx, type(s.op), old, value, s)
        cx.index -= wanted
        cx.bind(s.target.id, new, cx.span(s))
        return
    target = place(cx, s.target) if isinstance(s.target, ast.Subscript) else _field_place(cx, s.target)
    if not isinstance(target, Place):
        raise NotHandled("augmented assignment to something that is not an array", s)
    if target.view:
        _augment_part(cx, view(cx, target, s.target), s)
        return
    target = replace(target, indices=hold(cx, target.subscripts) if _rebinds(s.value) else target.indices)
    old = cx.loaded(target.array, target.subscripts, target.array.field, cx.span(s.target))
    new = ex.apply(cx, type(s.op), old, ex.lower(cx, s.value), s)
    _store_element(cx, target, new, s.target)


def _rebinds(value: ast.expr) -> bool:
    return any(isinstance(e, ast.NamedExpr) for e in ast.walk(value))


def _field_place(cx: Context, target: ast.Attribute) -> Place | Value:
    owner = _owner(cx, target)
    if isinstance(owner, Place) and not owner.view:
        return Place(owner.array.inner(target.attr), owner.indices, False)
    if isinstance(owner, Record) and owner.array is None:
        found = record_field(cx, owner, target.attr, target)
        if isinstance(found, Array) and found.type.ndim == 0:
            return Place(found, (), False)
    if isinstance(owner, Record) and owner.array is not None:
        return Place(owner.array.inner(target.attr), owner.subscripts, False)
    raise NotHandled(f"assignment to the attribute {target.attr}", target)


def _augment_part(cx: Context, target: Array, s: ast.AugAssign) -> None:
    value = ex.lower(cx, s.value)
    rank = target.type.ndim
    if rank is None:
        raise NotHandled("assignment to all of an array of unknown rank", s)
    _augment_axis(cx, target, value, (), rank, s)


def _augment_axis(
    cx: Context, target: Array, value: Value, at: tuple[n.Expr, ...], rank: int, s: ast.AugAssign
) -> None:
    if len(at) == rank:
        old = cx.loaded(target, at, target.field, cx.span(s.target))
        if isinstance(value, Array):
            value = cx.loaded(value, at[rank - (value.type.ndim or rank) :], value.field, cx.span(s.value))
        _store_element(cx, Place(target, at, False), ex.apply(cx, type(s.op), old, value, s), s.target)
        return
    counter = cx.names.unique(f"{target.name}.i")
    with cx.capture() as inner:
        _augment_axis(cx, target, value, (*at, n.Var(counter, INT64)), rank, s)
    stop = extent(cx, target, len(at), s)
    one, zero = n.Const(1, INT64), n.Const(0, INT64)
    cx.emit(n.For(counter, zero, stop, one, tuple(inner), INT64, cx.span(s)))
