"""Block pointers and tensor descriptors: a window of an array, with what lies outside masked off."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Union

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton.calls import Given, intrinsic, sizes
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.memory import Access, atomic, load, pointer, scope_of, store
from gpulint.frontend.triton.values import NONE, Pointer, Shape, Tile, Tuple, Value, Window, constant, integer
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.statements import DESCRIPTOR
from gpulint.ir.types import BOOL, INT64, UNKNOWN


def _row(cx: Context, value: Value, node: ast.AST) -> Shape:
    """Run-time numbers given as a tuple, one an axis."""
    items = value.items if isinstance(value, Tuple) else (value,)
    out = []
    for v in items:
        t = ops.tile(cx, v, node)
        cx.sink(t.expr)
        out.append(t)
    return tuple(_kept(cx, t, node) for t in out)


def _kept(cx: Context, t: Tile, node: ast.AST) -> n.Expr:
    if isinstance(t.expr, n.Const) or cx.is_static(t.expr):
        return t.expr
    target = cx.names.unique(f"{cx.frame.prefix}w")
    cx.assign(target, t.expr, 0, cx.span(node))
    return n.Var(target, t.type, cx.span(node))


@intrinsic("tl.make_block_ptr", "base shape strides offsets block_shape order")
def make_block_ptr(cx: Context, given: Given, node: ast.AST) -> Value:
    return _made(cx, given, node, given.get("offsets"), "")


@intrinsic("tl.make_tensor_descriptor", "base shape strides block_shape padding_option")
def make_tensor_descriptor(cx: Context, given: Given, node: ast.AST) -> Value:
    made = _made(cx, given, node, None, "zero")
    if made.base.base:
        parts = (made.base.offset, *made.strides, *made.sizes)
        cx.emit(n.Effect(f"{DESCRIPTOR}{made.base.base}", parts, cx.span(node)))
    return made


def _made(cx: Context, given: Given, node: ast.AST, offsets: Value | None, padding: str) -> Window:
    base = pointer(cx, given.get("base"), node)
    block = sizes(cx, given.get("block_shape"), node)
    extents = _row(cx, given.get("shape"), node)
    strides = _row(cx, given.get("strides"), node)
    where = _row(cx, offsets, node) if offsets is not None else ()
    if not len(block) == len(extents) == len(strides) or (offsets is not None and len(where) != len(block)):
        raise NotHandled("a block pointer whose shape, strides, offsets and block differ in length", node)
    if base is None:
        base = Pointer("", n.Const(0, INT64))
    elif not isinstance(base.offset, n.Const):
        base = replace(base, offset=_kept(cx, Tile(base.offset), node))
    return Window(base, extents, strides, where, block, padding)


@intrinsic("tl.advance", "base offsets")
def advance(cx: Context, given: Given, node: ast.AST) -> Value:
    w = given.get("base")
    if not isinstance(w, Window):
        raise NotHandled("an advance of something that is not a block pointer", node)
    by = given.get("offsets")
    steps = [ops.tile(cx, v, node) for v in by.items] if isinstance(by, Tuple) else []
    if len(steps) != len(w.offsets):
        raise NotHandled("an advance by a different number of axes", node)
    moved = [ops.binary(cx, "add", Tile(o), s, node).expr for o, s in zip(w.offsets, steps, strict=True)]
    return replace(w, offsets=tuple(moved))


Checks = dict[int, Union[n.Expr, None]]


def placed(cx: Context, w: Window, offsets: Shape, checked: Checks, node: ast.AST) -> Access:
    """The access of a block at these offsets; elements outside the checked axes' extents are masked off.

    `checked`: by axis, the condition under which it is checked (None: always).
    """
    span = cx.span(node)
    at = [_coordinate(o, k, s, span) for k, (o, s) in enumerate(zip(offsets, w.block, strict=True))]
    guards: list[n.Expr] = []
    for k in sorted(checked):
        extent = w.sizes[k]
        inside = (n.Compare("ge", at[k], n.Const(0, INT64), span), n.Compare("lt", at[k], extent, span))
        when = checked[k]
        guards += (
            inside
            if when is None
            else (n.Logic("or", (n.Unary("not", when, BOOL, span), n.Logic("and", inside, span)), span),)
        )
    mask = n.Logic("and", tuple(guards), span) if guards else None
    subscripts: tuple[n.Expr, ...] = tuple(at)
    if not w.hosted:
        subscripts = (_offset(w, at, node, cx),)
    cx.sink(*subscripts, mask)
    return Access(w.base.base, subscripts, w.block, mask, w.base.element)


def _coordinate(offset: n.Expr, axis: int, size: n.Expr, span: Span) -> n.Expr:
    own = shapes.lane(axis, size)
    return own if integer(offset) == 0 else n.Binary("add", offset, own, INT64, span)


def _offset(w: Window, at: list[n.Expr], node: ast.AST, cx: Context) -> n.Expr:
    """The offset in elements: the addresses of block pointers are computed in 64 bits."""
    span = cx.span(node)
    total: n.Expr = w.base.offset
    for a, s in zip(at, w.strides, strict=True):
        term = a if integer(s) == 1 else n.Binary("mul", a, s, INT64, span)
        total = term if integer(total) == 0 else n.Binary("add", total, term, INT64, span)
    if w.base.recast:
        return n.Opaque(f"offset of {w.base.base} seen as {w.base.recast}", (total,), INT64, span=span)
    return total


# --- block pointers


def _checked(cx: Context, w: Window, given: Given, node: ast.AST) -> Checks:
    """The axes of `boundary_check`; where those are not known, each axis may be checked."""
    if not w.offsets and w.block:
        return dict.fromkeys(range(len(w.block)))
    value = given.get("boundary_check")
    if given.has("boundary_check") and isinstance(value, Tile) and integer(value) is None:
        names = [f"{k} in {ops.describe(value)}" for k in range(len(w.block))]
        return {k: n.Opaque(name, (), BOOL, span=cx.span(node)) for k, name in enumerate(names)}
    if isinstance(value, Tuple):
        found = [integer(v) for v in value.items]
    else:
        found = [integer(value)] if given.has("boundary_check") else []
    if any(a is None for a in found):
        raise NotHandled("a boundary check of axes that are not constant", node)
    return {shapes.axis_of(a, len(w.block), node): None for a in found if a is not None}


def load_window(cx: Context, w: Window, given: Given, node: ast.AST) -> Tile:
    """`tl.load` of a block pointer: what is checked and lies outside is undefined, or as the padding says."""
    if not w.base.base:
        return _postponed(cx, w, node)
    a = placed(cx, w, w.offsets, _checked(cx, w, given, node), node)
    padding = constant(given.get("padding_option"))
    other = {"zero": n.Const(0, UNKNOWN), "nan": n.Const(float("nan"), UNKNOWN)}.get(str(padding))
    return load(cx, a, other, node)


def _postponed(cx: Context, w: Window, node: ast.AST) -> Tile:
    target, value = cx.loaded("postponed", w.block, UNKNOWN, cx.span(node))
    cx.emit(n.Assign(target, n.Opaque("postponed", (), UNKNOWN, True, len(w.block)), cx.span(node)))
    return value


def store_window(cx: Context, w: Window, given: Given, node: ast.AST) -> Value:
    value = ops.tile(cx, given.get("value"), node)
    if w.base.base:
        a = placed(cx, w, w.offsets, _checked(cx, w, given, node), node)
        store(cx, a, shapes.broadcast(cx, value, w.block).expr, node)
    return NONE


# --- descriptors


def _described(cx: Context, given: Given, node: ast.AST) -> Access | None:
    w = given.get("descriptor")
    if not isinstance(w, Window):
        raise NotHandled("a use of a descriptor that is not known", node)
    offsets = _row(cx, given.get("offsets"), node)
    if not w.base.base:
        return None
    if len(offsets) != len(w.block):
        if w.hosted:
            cx.kinds.descriptors[w.base.base] = len(offsets)
            return None
        raise NotHandled(f"{len(offsets)} offsets for a descriptor of {len(w.block)} axes", node)
    return placed(cx, w, offsets, dict.fromkeys(range(len(offsets))), node)


@intrinsic("descriptor.load", "descriptor offsets")
def descriptor_load(cx: Context, given: Given, node: ast.AST) -> Value:
    a = _described(cx, given, node)
    if a is None:
        return Tile(n.Opaque("postponed", (), UNKNOWN, True))
    return load(cx, a, n.Const(0, UNKNOWN), node)


@intrinsic("descriptor.store", "descriptor offsets value")
def descriptor_store(cx: Context, given: Given, node: ast.AST) -> Value:
    a = _described(cx, given, node)
    value = ops.tile(cx, given.get("value"), node)
    if a is not None:
        store(
            cx, a, shapes.reshape(cx, value, a.shape).expr if value.rank == len(a.shape) else value.expr, node
        )
    return NONE


def _descriptor_atomic(op: str) -> None:
    @intrinsic(f"descriptor.atomic_{op}", "descriptor offsets value")
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        a = _described(cx, given, node)
        value = ops.tile(cx, given.get("value"), node)
        if a is not None:
            atomic(cx, op, a, [value.expr], scope_of(given), node)
        return NONE


for _op in ("add", "min", "max", "and", "or", "xor"):
    _descriptor_atomic(_op)


@intrinsic("descriptor.gather", "descriptor x_offsets y_offset")
def descriptor_gather(cx: Context, given: Given, node: ast.AST) -> Value:
    a = _rows(cx, given, node)
    if a is None:
        return Tile(n.Opaque("postponed", (), UNKNOWN, True))
    return load(cx, a, n.Const(0, UNKNOWN), node)


@intrinsic("descriptor.scatter", "descriptor value x_offsets y_offset")
def descriptor_scatter(cx: Context, given: Given, node: ast.AST) -> Value:
    a = _rows(cx, given, node)
    if a is not None:
        store(cx, a, ops.tile(cx, given.get("value"), node).expr, node)
    return NONE


def _rows(cx: Context, given: Given, node: ast.AST) -> Access | None:
    """Rows given by a tile of indices, from a column on."""
    w = given.get("descriptor")
    rows = ops.tile(cx, given.get("x_offsets"), node)
    column = ops.tile(cx, given.get("y_offset"), node)
    if not isinstance(w, Window):
        raise NotHandled("a use of a descriptor that is not known", node)
    if len(w.block) != 2 or rows.rank != 1:
        if w.hosted:
            cx.kinds.descriptors[w.base.base] = 2
            return None
        raise NotHandled("rows of a descriptor that has not two axes", node)
    w = replace(w, block=(rows.shape[0], w.block[1]))
    span = cx.span(node)
    at = [shapes.expand(cx, rows, 1).expr, _coordinate(column.expr, 1, w.block[1], span)]
    guards: list[n.Expr] = []
    for e, size in zip(at, w.sizes, strict=True):
        guards += (n.Compare("ge", e, n.Const(0, INT64), span), n.Compare("lt", e, size, span))
    subscripts = tuple(at) if w.hosted else (_offset(w, at, node, cx),)
    mask = n.Logic("and", tuple(guards), span)
    cx.sink(*subscripts, mask)
    return Access(w.base.base, subscripts, w.block, mask, w.base.element)


@intrinsic("tl.descriptor_load tl.load_tensor_descriptor", "desc offsets shape dtype")
def load_by_pointer(cx: Context, given: Given, node: ast.AST) -> Value:
    return _hosted(cx, given, node, store_=False)


@intrinsic("tl.descriptor_store tl.store_tensor_descriptor", "desc value offsets")
def store_by_pointer(cx: Context, given: Given, node: ast.AST) -> Value:
    if isinstance(given.get("offsets"), Tile) or isinstance(given.get("value"), Tuple):
        given = Given({**given.of, "value": given.get("offsets"), "offsets": given.get("value")})
    return _hosted(cx, given, node, store_=True)


def _hosted(cx: Context, given: Given, node: ast.AST, store_: bool) -> Value:
    """Functions on descriptors, given as objects or as pointers to them that the host filled."""
    w = given.get("desc")
    offsets = given.get("offsets")
    count = len(offsets.items) if isinstance(offsets, Tuple) else 1
    if isinstance(w, Tile) and w.roots:
        cx.kinds.descriptors[w.roots[0]] = count
        return Tile(n.Opaque("postponed", (), UNKNOWN, True)) if not store_ else NONE
    if isinstance(w, Window) and w.hosted and given.has("shape"):
        w = replace(w, block=sizes(cx, given.get("shape"), node))
    bound: dict[str, Value] = {"descriptor": w, "offsets": offsets, "value": given.get("value")}
    return (descriptor_store if store_ else descriptor_load)(cx, Given(bound), node)
