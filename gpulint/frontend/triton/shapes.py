"""Tiles at other coordinates: broadcasting, new axes, reshapes, transposes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, Union, cast

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.values import Pointer, Shape, Tile, integer
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32, INT64

V = TypeVar("V", bound=Union[Tile, Pointer])
ONE, ZERO = n.Const(1, INT64), n.Const(0, INT64)
MAX_RANK = 6


def lane(axis: int, size: n.Expr) -> n.Lane:
    return n.Lane(axis, size, INT32)


def identity(shape: Shape) -> tuple[n.Expr, ...]:
    return tuple(lane(k, s) for k, s in enumerate(shape))


def is_one(e: n.Expr) -> bool:
    return integer(e) == 1


def same(a: Shape, b: Shape) -> bool:
    """Whether two shapes are written alike."""
    return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))


def _same(a: n.Expr, b: n.Expr) -> bool:
    x, y = integer(a), integer(b)
    return x == y if x is not None or y is not None else a == b


def relane(cx: Context, e: n.Expr, lanes: Sequence[n.Expr]) -> n.Expr:
    """The expression at other coordinates; short forms are rewritten in place."""
    if isinstance(e, n.Lane):
        return lanes[e.axis] if e.axis < len(lanes) else e
    if isinstance(e, (n.Const, n.Coord, n.Extent, n.Stride, n.Size)) or not axes(cx, e):
        return e
    if isinstance(e, n.Relane):
        if not (_composed(e.lanes) and _composed(lanes)):
            return replace(e, lanes=tuple(substitute(x, lanes) for x in e.lanes))
        e = cx.temp(Tile(e, tuple(ONE for _ in range(max(axes(cx, e)) + 1))), "t", e.span).expr
    return n.Relane(e, tuple(lanes), e.type, e.span)


def _composed(lanes: Sequence[n.Expr]) -> bool:
    """Whether putting coordinates into these makes them longer."""
    return any(isinstance(x, n.Binary) for x in lanes)


def substitute(e: n.Expr, lanes: Sequence[n.Expr]) -> n.Expr:
    """An expression of coordinates with others in their places."""
    if isinstance(e, n.Lane):
        return lanes[e.axis] if e.axis < len(lanes) else e
    if isinstance(e, n.Binary):
        return replace(e, left=substitute(e.left, lanes), right=substitute(e.right, lanes))
    return e


def axes(cx: Context, e: n.Expr) -> set[int]:
    """The axes along which the value may differ between the elements of a tile."""
    out: set[int] = set()
    stack = [e]
    while stack:
        x = stack.pop()
        if isinstance(x, n.Lane):
            out.add(x.axis)
        elif isinstance(x, n.Var):
            out.update(range(cx.ranks.get(x.name, 0)))
        elif isinstance(x, n.Relane):
            stack.extend(x.lanes)
        elif isinstance(x, n.Opaque):
            out.update(range(x.rank))
            stack.extend(x.operands if not x.fresh else ())
        elif isinstance(x, (n.Binary, n.Compare)):
            stack += (x.left, x.right)
        elif isinstance(x, (n.Unary, n.Cast)):
            stack.append(x.operand)
        elif isinstance(x, n.Logic):
            stack.extend(x.operands)
        elif isinstance(x, n.Choose):
            stack += (x.condition, x.then, x.other)
    return out


def at(cx: Context, value: V, lanes: Sequence[n.Expr], shape: Shape) -> V:
    """A tile or tile of pointers over the new shape, element `lanes` of the old one at each place."""
    moved: Tile | Pointer
    if isinstance(value, Tile):
        moved = replace(value, expr=relane(cx, value.expr, lanes), shape=shape)
    else:
        assert isinstance(value, Pointer)
        moved = replace(value, offset=relane(cx, value.offset, lanes), shape=shape)
    return cast(V, moved)


# --- broadcasting


def common(shapes: Sequence[Shape]) -> Shape:
    """The shape that several broadcast to: right-aligned, axes of one element repeated."""
    rank = max(len(s) for s in shapes)
    out: list[n.Expr] = []
    for k in range(rank):
        sizes = [s[k - rank + len(s)] for s in shapes if k - rank + len(s) >= 0]
        wide = [e for e in sizes if not is_one(e)]
        known = [e for e in wide if isinstance(e, n.Const)]
        out.append(known[0] if known else wide[0] if wide else sizes[0])
    return tuple(out)


def broadcast(cx: Context, value: V, shape: Shape) -> V:
    """The value over a shape that it broadcasts to."""
    if not value.shape:
        return replace(value, shape=shape)
    extra = len(shape) - value.rank
    if extra < 0:
        return value
    stretched = [is_one(s) and not is_one(shape[k + extra]) for k, s in enumerate(value.shape)]
    e = value.expr if isinstance(value, Tile) else value.offset
    if extra == 0 and not any(one and k in axes(cx, e) for k, one in enumerate(stretched)):
        return replace(value, shape=shape)
    lanes = [ZERO if one else lane(k + extra, shape[k + extra]) for k, one in enumerate(stretched)]
    return at(cx, value, lanes, shape)


def together(cx: Context, *values: Tile) -> tuple[list[Tile], Shape]:
    """The values over their common shape."""
    shape = common([v.shape for v in values])
    return [broadcast(cx, v, shape) for v in values], shape


# --- axes


def axis_of(value: int, rank: int, node: ast.AST) -> int:
    """A normalised axis."""
    if not -rank <= value < rank:
        raise NotHandled(f"axis {value} of a tile with {rank} axes", node)
    return value % rank


def expand(cx: Context, value: V, axis: int) -> V:
    """A new axis of one element before axis `axis`."""
    shape = (*value.shape[:axis], ONE, *value.shape[axis:])
    lanes = [lane(k if k < axis else k + 1, s) for k, s in enumerate(value.shape)]
    return at(cx, value, lanes, shape)


def squeeze(cx: Context, value: V, axis: int) -> V:
    """The element 0 of an axis, which is dropped."""
    return pick(cx, value, axis, ZERO)


def pick(cx: Context, value: V, axis: int, index: n.Expr) -> V:
    """One element of an axis, which is dropped."""
    shape = (*value.shape[:axis], *value.shape[axis + 1 :])
    lanes: list[n.Expr] = [lane(k if k < axis else k - 1, s) for k, s in enumerate(value.shape)]
    lanes[axis] = index
    return at(cx, value, lanes, shape)


def permute(cx: Context, value: V, order: Sequence[int]) -> V:
    """Axis k of the result is axis `order[k]` of the value."""
    shape = tuple(value.shape[a] for a in order)
    lanes: list[n.Expr] = [ZERO] * value.rank
    for k, a in enumerate(order):
        lanes[a] = lane(k, value.shape[a])
    return at(cx, value, lanes, shape)


def flip(cx: Context, value: V, axis: int) -> V:
    """The elements of an axis from the end."""
    lanes = list(identity(value.shape))
    size = value.shape[axis]
    last = n.Binary("sub", size, ONE, INT64)
    lanes[axis] = n.Binary("sub", last, lanes[axis], INT32)
    return at(cx, value, lanes, value.shape)


# --- reshapes


def product(sizes: Sequence[n.Expr]) -> n.Expr:
    """The number of elements of a shape, folded where it is known."""
    out: n.Expr = ONE
    for s in sizes:
        a, b = integer(out), integer(s)
        if a is not None and b is not None:
            out = n.Const(a * b, INT64)
        elif a == 1:
            out = s
        elif b != 1:
            out = n.Binary("mul", out, s, INT64)
    return out


def reshape(cx: Context, value: V, shape: Shape) -> V:
    """The elements in row-major order over another shape."""
    shape = resolved(value.shape, shape)
    if not value.shape:
        return replace(value, shape=shape)
    if same(value.shape, shape):
        return value
    wide_old = [k for k, s in enumerate(value.shape) if not is_one(s)]
    wide_new = [k for k, s in enumerate(shape) if not is_one(s)]
    if same(tuple(value.shape[k] for k in wide_old), tuple(shape[k] for k in wide_new)):
        lanes: list[n.Expr] = [ZERO] * value.rank
        for old, new in zip(wide_old, wide_new, strict=True):
            lanes[old] = lane(new, shape[new])
        return at(cx, value, lanes, shape)
    return at(cx, value, _unflattened(_linear(shape), value.shape), shape)


def resolved(old: Shape, new: Shape) -> Shape:
    """The new shape, with what an axis given as -1 stands for."""
    if not any(integer(s) == -1 for s in new):
        return new
    rest = product([s for s in new if integer(s) != -1])
    total = product(old)
    a, b = integer(total), integer(rest)
    size: n.Expr
    if a is not None and b:
        size = n.Const(a // b, INT64)
    else:
        size = total if b == 1 else n.Binary("floordiv", total, rest, INT64)
    return tuple(size if integer(s) == -1 else s for s in new)


def _linear(shape: Shape) -> n.Expr:
    """The row-major position of an element."""
    out: n.Expr = ZERO
    for k, s in enumerate(shape):
        if is_one(s):
            continue
        stride = product(shape[k + 1 :])
        term: n.Expr = lane(k, s)
        term = term if is_one(stride) else n.Binary("mul", term, stride, INT32)
        out = term if out is ZERO else n.Binary("add", out, term, INT32)
    return out


def _unflattened(position: n.Expr, shape: Shape) -> list[n.Expr]:
    """The coordinates of the element at a row-major position."""
    out: list[n.Expr] = []
    for k, s in enumerate(shape):
        stride = product(shape[k + 1 :])
        e = position if is_one(stride) else n.Binary("floordiv", position, stride, INT32)
        out.append(ZERO if is_one(s) else e if k == 0 else n.Binary("mod", e, s, INT32))
    return out


def joined(cx: Context, a: Tile, b: Tile, last: bool) -> tuple[Tile, Tile, n.Expr, Shape]:
    """Two tiles along a new last axis of two (`last`), or alternating along the last axis.

    Gives both over the new shape, the condition under which an element is the second's, and the shape.
    """
    (a, b), shape = together(cx, a, b)
    if last or not shape:
        new: Shape = (*shape, n.Const(2, INT64))
        lanes: list[n.Expr] = list(identity(shape))
        which: n.Expr = lane(len(shape), new[-1])
    else:
        new = (*shape[:-1], product((shape[-1], n.Const(2, INT64))))
        own = lane(len(shape) - 1, new[-1])
        lanes = [*identity(shape[:-1]), n.Binary("floordiv", own, n.Const(2, INT64), INT32)]
        which = n.Binary("mod", own, n.Const(2, INT64), INT32)
    second = n.Compare("eq", which, ONE)
    return at(cx, a, lanes, new), at(cx, b, lanes, new), second, new
