"""Assignments to names, tuples, attributes and elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from gpulint.frontend.host.access import unpack
from gpulint.frontend.host.cells import put, stored
from gpulint.frontend.host.elements import touch
from gpulint.frontend.host.inplace import DESCRIBING, reshaped
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.memories import among
from gpulint.frontend.host.operators import binary
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Arr,
    Bounds,
    Const,
    Map,
    Num,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_array,
    as_int,
)
from gpulint.term import ge


def assign(m: Machine, s: State, targets: Sequence[ast.expr], expr: ast.expr) -> None:
    """`targets = expr`."""
    before = len(m.namer.order)
    value = m.eval(s, expr)
    made = m.namer.order[before:]
    for target in targets:
        if isinstance(target, ast.Name):
            s.env[target.id] = value = _renamed(m, value, target.id, made)
            s.defs[target.id] = expr
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(expr, ast.Tuple):
            bind_target(m, s, target, value, text_of(expr))
            if len(expr.elts) == len(target.elts):
                s.defs.update(
                    {t.id: e for t, e in zip(target.elts, expr.elts, strict=False) if isinstance(t, ast.Name)}
                )
        else:
            bind_target(m, s, target, value, text_of(expr))


def _renamed(m: Machine, v: Value, name: str, made: Sequence[str]) -> Value:
    """A new unknown reads best under the name that the code gives it."""
    if isinstance(v, Unknown) and v.name in made and v.kind != "object":
        why = m.notes.get(v.name, "")
        return replace(m.unknown(name, why, v.kind), free=v.free, sharing=v.sharing)
    if isinstance(v, Arr) and v.shape is None and v.shape_of in made:
        new = m.unknown(name, m.notes.get(v.shape_of, "")).name
        return replace(v, name=name, shape_of=new, buffer=new if v.buffer == v.shape_of else v.buffer)
    return replace(v, name=name) if isinstance(v, Arr) and v.fresh else v


def bind_target(m: Machine, s: State, target: ast.expr, value: Value, text: str) -> None:
    """Gives any target a value."""
    if isinstance(target, ast.Name):
        s.env[target.id] = value
        s.defs.pop(target.id, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpacked(m, s, target, value, text)
    elif isinstance(target, ast.Attribute):
        owner = m.eval(s, target.value)
        if target.attr in DESCRIBING and not (isinstance(owner, Unknown) and owner.kind == "object"):
            reshaped(m, s, owner)
        elif isinstance(owner, Unknown):
            s.heap[f"{owner.name}.{target.attr}"] = value
    elif isinstance(target, ast.Subscript):
        _element(m, s, target, value)
    elif isinstance(target, ast.Starred):
        bind_target(m, s, target.value, among(m.opaque(text_of(target.value)), value), text)


def _unpacked(m: Machine, s: State, target: ast.Tuple | ast.List, value: Value, text: str) -> None:
    starred = any(isinstance(t, ast.Starred) for t in target.elts)
    if starred and m.tiles and isinstance(value, (ShapeOf, Seq)) and _spread(m, s, target, value, text):
        return
    if m.tiles and isinstance(value, Unknown) and value.name.endswith(".saved_tensors") and not starred:
        for t in target.elts:  # what forward saved: inputs, each under the name that it gets here
            bind_target(m, s, t, m.unknown(text_of(t), ""), text)
        return
    value = s.cells.get(value.name, value) if isinstance(value, Unknown) else value
    parts = None if starred else unpack(m, s, value, len(target.elts), text)
    for k, t in enumerate(target.elts):
        if parts is not None:
            bind_target(m, s, t, parts[k], f"{text}[{k}]")
        else:
            name = t.id if isinstance(t, ast.Name) else f"{text}[{k}]"
            part = among(m.unknown(name, f"`{name}` comes from `{text}`"), value)
            bind_target(m, s, t, part, f"{text}[{k}]")


def _spread(m: Machine, s: State, target: ast.Tuple | ast.List, value: ShapeOf | Seq, text: str) -> bool:
    """`*lead, n = x.shape`: the starred name takes what the others leave."""
    at = next(k for k, t in enumerate(target.elts) if isinstance(t, ast.Starred))
    after = len(target.elts) - at - 1
    starred = target.elts[at]
    assert isinstance(starred, ast.Starred)
    if isinstance(value, Seq):
        if len(value.items) < at + after:
            return False
        rest: Value = Seq(value.items[at : len(value.items) - after])
        ends: list[Value | None] = [*value.items[:at], *value.items[len(value.items) - after :]]
    elif value.tail:
        return False
    else:
        s.assume(ge(value.array.ndim, at + after + value.start + value.drop))
        rest = replace(value, start=value.start + at, drop=value.drop + after)
        extents = [value.extent(k) for k in (*range(at), *range(-after, 0))]
        ends = [Num(e) if e is not None else None for e in extents]
    for k, (t, v) in enumerate(zip((*target.elts[:at], *target.elts[at + 1 :]), ends, strict=True)):
        bind_target(m, s, t, v if v is not None else m.opaque(text), f"{text}[{k}]")
    bind_target(m, s, starred.value, rest, text)
    return True


def _element(m: Machine, s: State, target: ast.Subscript, value: Value) -> None:
    owner = m.eval(s, target.value)
    index = m.eval(s, target.slice)
    array = as_array(owner) if not isinstance(owner, Unknown) or owner.kind == "array" else None
    if array is not None:
        touch(s, array)
        full = index in (Bounds(None, None, None), Const(...)) and array.whole
        known = s.touched.get(array.buffer, array.initialised)
        s.touched[array.buffer] = True if full or known is True else None
    elif isinstance(owner, Unknown):
        stored(s, owner, value)
    elif array is None:
        new = _changed(m, target, owner, index, value)
        held = isinstance(owner, (Seq, Map)) and put(s, owner, new)
        if not held and isinstance(target.value, ast.Name):
            s.env[target.value.id] = new


def _changed(m: Machine, target: ast.Subscript, owner: Value, index: Value, value: Value) -> Value:
    """What a list or dictionary holds after `owner[index] = value`."""
    position = as_int(index)
    k = position.value if position is not None else None
    if isinstance(owner, Seq) and k is not None and -len(owner.items) <= k < len(owner.items):
        items = list(owner.items)
        items[k] = value
        return Seq(tuple(items))
    if isinstance(owner, Map) and (isinstance(index, Const) or k is not None):
        rest = tuple((key, v) for key, v in owner.items if key != index)
        return Map((*rest[:64], (index, value)))
    new = m.opaque(text_of(target.value), "has elements that are not known")
    return among(new, owner, value)


def augment(m: Machine, s: State, node: ast.AugAssign) -> None:
    """`target op= value`; an array is changed in place."""
    value = m.eval(s, node.value)
    if isinstance(node.target, (ast.Name, ast.Attribute)):
        load = _loaded(node.target)
        old = m.eval(s, load)
        if isinstance(old, Arr):
            touch(s, old)
            return
        text = f"{text_of(node.target)} (updated)"
        new = binary(m, node.op, old, value, text)
        if not isinstance(old, (Seq, Map)) or not put(s, old, new):
            bind_target(m, s, node.target, new, text)
    elif isinstance(node.target, ast.Subscript):
        _element(m, s, node.target, m.opaque(text_of(node.target)))


def _loaded(target: ast.Name | ast.Attribute) -> ast.expr:
    new: ast.expr
    if isinstance(target, ast.Name):
        new = ast.Name(target.id, ast.Load())
    else:
        new = ast.Attribute(target.value, target.attr, ast.Load())
    return ast.copy_location(new, target)
