"""Subscripts: elements, views, fields, tuples; chained subscripts become one access where the rank allows."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Union

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.attributes import extent, record_field
from gpulint.frontend.numba.attributes import of as attribute_of
from gpulint.frontend.numba.closures import array_closure
from gpulint.frontend.numba.context import Context, expression
from gpulint.frontend.numba.expressions import lower, scalar
from gpulint.frontend.numba.syntax import ARRAY_ATTRIBUTES, SCALAR_ATTRIBUTES
from gpulint.frontend.numba.types import unify
from gpulint.frontend.numba.values import (
    SCALARS,
    Array,
    Foreign,
    Function,
    Record,
    Shape,
    Tuple,
    Unresolved,
    Value,
)
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import fields
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, UNKNOWN, ArrayType

Index = Union[n.Expr, n.Range]


@dataclass(frozen=True)
class Place:
    """An element (`view` False) or a part of an array, as a target or a source."""

    array: Array
    indices: tuple[Index, ...]
    view: bool

    @property
    def subscripts(self) -> tuple[n.Expr, ...]:
        return tuple(i for i in self.indices if not isinstance(i, n.Range))


@expression(ast.Subscript)
def subscript(cx: Context, node: ast.Subscript) -> Value:
    found = place(cx, node)
    if not isinstance(found, Place):
        return found
    return take(cx, found, node)


def take(cx: Context, p: Place, node: ast.AST) -> Value:
    """Loads the element, or makes the view."""
    if p.view:
        return view(cx, p, node)
    return cx.loaded(p.array, p.subscripts, p.array.field, cx.span(node))


def view(cx: Context, p: Place, node: ast.AST) -> Array:
    kept = sum(isinstance(e, n.Range) for e in p.indices)
    rank = None if p.array.type.ndim is None else p.array.type.ndim - len(p.indices) + kept
    if not p.indices:
        return p.array
    target = cx.temporary(f"{p.array.name}.view")
    cx.emit(n.View(target, p.array.name, p.indices, False, cx.span(node)))
    return Array(target, replace(p.array.type, ndim=rank), p.array.field)


def place(cx: Context, node: ast.Subscript) -> Place | Value:
    """What a chain of subscripts denotes: a place in an array, or a value that is none."""
    groups: list[ast.Subscript] = []
    base: ast.expr = node
    while isinstance(base, ast.Subscript):
        groups.append(base)
        base = base.value
    value = lower(cx, base)
    current: Place | Value = value
    for group in reversed(groups):
        current = _step(cx, current, group)
    return current


def _step(cx: Context, current: Place | Value, node: ast.Subscript) -> Place | Value:
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return _field(cx, current, node.slice.value, node)
    if isinstance(current, Place) and not current.view:
        return _into_element(cx, current, node)
    if isinstance(current, Place):
        current = _narrowed(cx, current, node)
        if isinstance(current, Place):
            return current
    if isinstance(current, Unresolved):
        current = _global(cx, current, node)
    if isinstance(current, Array):
        return _of_array(cx, current, indices(cx, node.slice), node)
    if isinstance(current, (Tuple, Shape)):
        return _of_tuple(cx, current, node)
    if isinstance(current, Foreign):
        return Foreign(cx.temp(cx.opaque("item", (current.held, *_numbers(cx, node)), UNKNOWN, node), "item"))
    if isinstance(current, n.Var) and current.name in cx.params:
        rank = len(indices(cx, node.slice))
        return _of_array(cx, promote(cx, current, rank), indices(cx, node.slice), node)
    if isinstance(current, SCALARS):
        raise NotHandled("a subscript of a number", node)
    raise NotHandled(f"a subscript of {_kind(current)}", node)


def _numbers(cx: Context, node: ast.Subscript) -> tuple[n.Expr, ...]:
    return tuple(i for i in indices(cx, node.slice) if isinstance(i, SCALARS))


def promote(cx: Context, value: n.Var, rank: int | None) -> Array:
    """A parameter taken for a number until a use far away shows that it is an array."""
    if value.name not in cx.promoted:
        type_ = ArrayType(UNKNOWN, rank)
        cx.params[value.name] = replace(cx.params[value.name], type=type_)
        cx.arrays.add(value.name)
        cx.promoted[value.name] = Array(value.name, type_)
    return cx.promoted[value.name]


def _kind(value: Value) -> str:
    return "a function" if isinstance(value, Function) else f"a {type(value).__name__.lower()}"


def _global(cx: Context, value: Unresolved, node: ast.Subscript) -> Array:
    fact = cx.frame.facts.get(value.text)
    return array_closure(cx, value, fact.ndim, node)


def _narrowed(cx: Context, p: Place, node: ast.Subscript) -> Place | Array:
    """A further subscript of a part: joined with the first where that kept no axis."""
    if not any(isinstance(i, n.Range) for i in p.indices):
        return _of_array(cx, p.array, (*p.indices, *indices(cx, node.slice)), node)
    return view(cx, p, node)


def _of_array(cx: Context, a: Array, given: tuple[Index | None, ...], node: ast.AST) -> Place:
    """None in `given` stands for an ellipsis."""
    rank = a.type.ndim
    plain = [i for i in given if i is not None]
    if rank is not None and len(plain) > rank:
        raise NotHandled(f"{len(plain)} subscripts on {a.name}, which has {rank}", node)
    if None in given:
        at = given.index(None)
        after = [i for i in given[at + 1 :] if i is not None]
        if rank is None and after:
            raise NotHandled("an ellipsis in an array of unknown rank", node)
        fill = 0 if rank is None else rank - len(plain)
        whole = n.Range(None, None, None)
        plain = [i for i in given[:at] if i is not None] + [whole] * fill + after
    count = len(plain)
    part = any(isinstance(i, n.Range) for i in plain) or (rank is not None and count < rank) or None in given
    return Place(a, tuple(plain), part)


def indices(cx: Context, node: ast.expr) -> tuple[Index | None, ...]:
    """The indices of a subscript; tuples held in names are spread, an ellipsis is None."""
    out: list[Index | None] = []
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    cx.index += 1
    try:
        for part in parts:
            out.extend(_index(cx, part))
    finally:
        cx.index -= 1
    return tuple(out)


def _index(cx: Context, part: ast.expr) -> list[Index | None]:
    if isinstance(part, ast.Slice):
        bounds = [None if e is None else scalar(cx, e) for e in (part.lower, part.upper, part.step)]
        return [n.Range(*(None if isinstance(b, n.Const) and b.value is None else b for b in bounds))]
    if isinstance(part, ast.Constant) and part.value is Ellipsis:
        return [None]
    if isinstance(part, ast.Starred):
        part = part.value
    value = lower(cx, part)
    if isinstance(value, Tuple):
        return [ops.scalar(cx, v, part) for v in value.items]
    if isinstance(value, n.Const) and value.value is None:
        raise NotHandled("a new axis in a subscript", part)
    if isinstance(value, Array) and value.type.ndim != 0:
        raise NotHandled("an array as a subscript", part)
    return [ops.scalar(cx, value, part)]


# --- tuples


def _of_tuple(cx: Context, value: Tuple | Shape, node: ast.Subscript) -> Value:
    if isinstance(node.slice, ast.Slice) and isinstance(value, Tuple):
        return _sliced(cx, value, node.slice)
    (position,) = indices(cx, node.slice) or (None,)
    if isinstance(position, n.Const) and isinstance(position.value, int):
        return item(cx, value, position.value, node)
    if isinstance(value, Tuple) and position is not None and not isinstance(position, n.Range):
        return _selected(cx, value, position, node)
    if isinstance(value, Shape) and position is not None and not isinstance(position, n.Range):
        return cx.opaque(f"{value.array.name}.shape", (position,), INT64, node)
    raise NotHandled("a shape of unknown rank with a subscript that is not constant", node)


def _sliced(cx: Context, value: Tuple, s: ast.Slice) -> Value:
    bounds: list[int | None] = []
    for e in (s.lower, s.upper, s.step):
        known = scalar(cx, e) if e is not None else n.Const(None)
        if not isinstance(known, n.Const) or not isinstance(known.value, (int, type(None))):
            raise NotHandled("a slice of a tuple that is not constant", s)
        bounds.append(known.value)
    return Tuple(value.items[slice(*bounds)])


def item(cx: Context, value: Tuple | Shape, position: int, node: ast.AST) -> Value:
    """One item by a constant position."""
    if isinstance(value, Shape):
        if position < 0:
            raise NotHandled("a negative axis of an array of unknown rank", node)
        if value.strides:
            return n.Stride(value.array.name, position, INT64, "byte", cx.span(node))
        return extent(cx, value.array, position, node)
    if not -len(value.items) <= position < len(value.items):
        raise NotHandled("a tuple subscript out of range", node)
    return value.items[position]


def _selected(cx: Context, value: Tuple, position: n.Expr, node: ast.AST) -> Value:
    """`t[i]` of a uniform tuple: a chain of choices."""
    items = [ops.scalar(cx, v, node) for v in value.items]
    if not items:
        raise NotHandled("a subscript of an empty tuple", node)
    out = items[-1]
    for i in reversed(range(len(items) - 1)):
        equal = ops.compare(cx, "eq", position, n.Const(i, INT64), node)
        out = n.Choose(equal, items[i], out, unify(items[i].type, out.type), cx.span(node))
    return out


# --- records


def _field(cx: Context, current: Place | Value, name: str, node: ast.AST) -> Place | Value:
    if isinstance(current, Place):
        return replace(current, array=current.array.inner(name))
    if isinstance(current, Array):
        if current.type.ndim == 0:
            return cx.loaded(current, (), fields.inner(current.field, name), cx.span(node))
        return current.inner(name)
    if isinstance(current, Record):
        if current.array is not None:
            return Place(current.array.inner(name), current.subscripts, False)
        return record_field(cx, current, name, node)
    if isinstance(current, Unresolved):
        return Unresolved(f"{current.text}[{name!r}]", current.node, current.scope)
    raise NotHandled("a field of something that is not a record", node)


def _into_element(cx: Context, p: Place, node: ast.Subscript) -> Place:
    """`a[i][j]` past the rank: an array within a record, of which the whole field counts as touched."""
    if not p.array.field:
        raise NotHandled(f"a subscript of an element of {p.array.name}", node)
    indices(cx, node.slice)
    return p


def record_element(cx: Context, node: ast.Subscript | ast.Attribute, attr: str) -> Value:
    """`a[i]` or `a[i].field` before `.attr`: a record where the attribute can only be a field."""
    if isinstance(node, ast.Attribute):
        return _record_within(cx, node, attr)
    found = place(cx, node)
    if not isinstance(found, Place):
        return found
    if found.view or found.array.field or attr in ARRAY_ATTRIBUTES or attr in SCALAR_ATTRIBUTES:
        return take(cx, found, node)
    return Record(found.array.name, found.array, hold(cx, found.subscripts))


def _record_within(cx: Context, node: ast.Attribute, attr: str) -> Value:
    assert isinstance(node.value, (ast.Subscript, ast.Attribute))
    owner = record_element(cx, node.value, node.attr)
    plain = attr in ARRAY_ATTRIBUTES or attr in SCALAR_ATTRIBUTES
    if plain or not isinstance(owner, Record) or owner.array is None:
        return attribute_of(cx, owner, node.attr, node)
    return replace(owner, array=owner.array.inner(node.attr))


def hold(cx: Context, subscripts: tuple[n.Expr, ...]) -> tuple[n.Expr, ...]:
    """Subscripts whose values outlive changes of the locals that they name."""
    return tuple(e if isinstance(e, (n.Const, n.Var)) else cx.temp(e, "at") for e in subscripts)
