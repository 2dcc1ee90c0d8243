"""Loads, stores and atomics through pointers, one element of the tile at a time."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton import types as tt
from gpulint.frontend.triton.calls import Given, intrinsic
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.values import (
    NONE,
    DType,
    Pointer,
    Shape,
    Tile,
    Unresolved,
    Value,
    Window,
    constant,
    is_none,
)
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, UNKNOWN, ArrayType, Type

_LOADED = r"\.v(\.\d+)?$"  # how `load` names a value that no local holds
SCOPES = {"cta": "block", "gpu": "device", "sys": "system"}


@dataclass(frozen=True)
class Access:
    """Where an access goes: an element of `array` for each element of a tile, where the mask is true."""

    array: str
    subscripts: tuple[n.Expr, ...]
    shape: Shape
    mask: n.Expr | None
    element: Type


def pointer(cx: Context, value: Value, node: ast.AST) -> Pointer | None:
    """The pointer that the value is; None while the uses of parameters are still being found."""
    if isinstance(value, Pointer):
        return value
    if isinstance(value, Tile) and value.roots:
        cx.kinds.point(value.roots)
        cx.sink(value.expr)
        return None
    if isinstance(value, Tile):
        return _loaded(cx, value, node)
    if isinstance(value, Unresolved):
        cx.parameter(value.text, ArrayType(UNKNOWN, 1), cx.span(node))
        return Pointer(value.text, n.Const(0, INT64))
    raise NotHandled("an access through something that is not a pointer", node)


def _loaded(cx: Context, value: Tile, node: ast.AST, element: Type = UNKNOWN) -> Pointer:
    """A pointer that is no parameter: an array of its own, at an unknown offset for each value."""
    source = next((v.name for v in _variables(value.expr)), "pointer")
    name = f"*{re.sub(_LOADED, '', source)}"
    cx.parameter(name, ArrayType(element, 1), cx.span(node))
    offset = n.Opaque("address", (value.expr,), INT64, span=cx.span(node))
    return Pointer(name, offset, value.shape, element)


def _variables(e: n.Expr) -> list[n.Var]:
    from gpulint.ir.walk import walk

    return [v for v in walk(e) if isinstance(v, n.Var)]


def recast(cx: Context, value: Value, to: DType, node: ast.AST) -> Value:
    """A conversion to a pointer type."""
    if isinstance(value, Pointer):
        before, wanted = tt.size(value.element), tt.size(to.type)
        same = before == wanted and before is not None
        text = "" if same else (to.text or "another type")
        return Pointer(value.base, value.offset, value.shape, to.type, value.recast or text)
    if isinstance(value, Tile) and value.roots and not is_none(value):
        cx.kinds.point(value.roots)
        return value
    if isinstance(value, Tile):
        return _loaded(cx, value, node, to.type)
    raise NotHandled("a conversion to a pointer", node)


def access(
    cx: Context, p: Pointer, mask: Value, others: Sequence[Tile], node: ast.AST
) -> tuple[Access, list[Tile]]:
    """The access with pointer, mask and other tiles over their common shape."""
    masks = [] if is_none(mask) else [ops.truth(cx, mask, node)]
    shape = shapes.common([p.shape, *(m.shape for m in masks), *(t.shape for t in others)])
    p = shapes.broadcast(cx, p, shape)
    over = [shapes.broadcast(cx, t, shape) for t in (*masks, *others)]
    guard: n.Expr | None = over[0].expr if masks else None
    if isinstance(guard, n.Const) and guard.value:
        guard = None
    offset = p.offset
    if p.recast:
        name = f"offset of {p.base} seen as {p.recast}"
        offset = n.Opaque(name, (offset,), INT64, span=cx.span(node))
    cx.sink(offset, guard)
    return Access(p.base, (offset,), shape, guard, p.element), over[len(masks) :]


def load(cx: Context, a: Access, other: n.Expr | None, node: ast.AST) -> Tile:
    """Writes the load of an access."""
    type_ = a.element
    target, value = cx.loaded(f"{a.array}.v", a.shape, type_, cx.span(node))
    cx.emit(
        n.Load(
            target,
            a.array,
            a.subscripts,
            type_,
            False,
            "",
            a.shape,
            a.mask,
            other if a.mask is not None else None,
            cx.span(node),
        )
    )
    cx.defs.setdefault(target, set())
    return value


@intrinsic("tl.load tl.core.load", "pointer mask other boundary_check padding_option")
def load_(cx: Context, given: Given, node: ast.AST) -> Value:
    where = given.get("pointer")
    if isinstance(where, Window):
        from gpulint.frontend.triton.windows import load_window

        return load_window(cx, where, given, node)
    p = pointer(cx, where, node)
    others = [ops.tile(cx, given.get("other"), node)] if given.has("other") else []
    if p is None:
        return _postponed(cx, where, [given.get("mask")], node)
    a, over = access(cx, p, given.get("mask"), others, node)
    return load(cx, a, over[0].expr if over else None, node)


def _postponed(cx: Context, where: Value, others: Sequence[Value], node: ast.AST) -> Tile:
    """What stands for an access in a lowering that will be done again."""
    tiles = [v for v in (where, *others) if isinstance(v, Tile) and not is_none(v)]
    for t in tiles:
        cx.sink(t.expr)
    shape = shapes.common([t.shape for t in tiles])
    target, value = cx.loaded("postponed", shape, UNKNOWN, cx.span(node))
    cx.emit(n.Assign(target, n.Opaque("postponed", (), UNKNOWN, True, len(shape)), cx.span(node)))
    return value


@intrinsic("tl.store tl.core.store", "pointer value mask boundary_check")
def store_(cx: Context, given: Given, node: ast.AST) -> Value:
    where = given.get("pointer")
    if isinstance(where, Window):
        from gpulint.frontend.triton.windows import store_window

        return store_window(cx, where, given, node)
    p = pointer(cx, where, node)
    value = ops.tile(cx, given.get("value"), node)
    if p is None:
        _postponed(cx, where, [given.get("mask")], node)
        return NONE
    a, over = access(cx, p, given.get("mask"), [value], node)
    store(cx, a, over[0].expr, node)
    return NONE


def store(cx: Context, a: Access, value: n.Expr, node: ast.AST) -> None:
    """Writes the store of an access."""
    cx.emit(n.Store(a.array, a.subscripts, value, False, "", a.shape, a.mask, cx.span(node)))


# --- atomics


def scope_of(given: Given) -> str:
    return SCOPES.get(str(constant(given.get("scope"))), "device")


@intrinsic("tl.atomic_add", "pointer val mask sem scope")
def atomic_add(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "add", given, node)


@intrinsic("tl.atomic_max", "pointer val mask sem scope")
def atomic_max(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "max", given, node)


@intrinsic("tl.atomic_min", "pointer val mask sem scope")
def atomic_min(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "min", given, node)


@intrinsic("tl.atomic_and", "pointer val mask sem scope")
def atomic_and(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "and", given, node)


@intrinsic("tl.atomic_or", "pointer val mask sem scope")
def atomic_or(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "or", given, node)


@intrinsic("tl.atomic_xor", "pointer val mask sem scope")
def atomic_xor(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "xor", given, node)


@intrinsic("tl.atomic_xchg", "pointer val mask sem scope")
def atomic_xchg(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "exch", given, node)


@intrinsic("tl.atomic_cas", "pointer cmp val sem scope")
def atomic_cas(cx: Context, given: Given, node: ast.AST) -> Value:
    return _atomic(cx, "cas", given, node)


def _atomic(cx: Context, op: str, given: Given, node: ast.AST) -> Value:
    where = given.get("pointer")
    if isinstance(where, Window):
        raise NotHandled("an atomic through a block pointer", node)
    p = pointer(cx, where, node)
    names = ("cmp", "val") if op == "cas" else ("val",)
    operands = [ops.tile(cx, given.get(k), node) for k in names]
    if p is None:
        return _postponed(cx, where, [given.get("mask")], node)
    a, over = access(cx, p, given.get("mask"), operands, node)
    return atomic(cx, op, a, [t.expr for t in over], scope_of(given), node)


def atomic(cx: Context, op: str, a: Access, operands: list[n.Expr], scope: str, node: ast.AST) -> Tile:
    """Writes an atomic; its value is what was there before."""
    target, old = cx.loaded(f"{a.array}.old", a.shape, a.element, cx.span(node))
    cx.emit(
        n.Atomic(
            op, a.array, a.subscripts, tuple(operands), target, scope, False, a.shape, a.mask, cx.span(node)
        )
    )
    cx.defs.setdefault(target, set())
    return old
