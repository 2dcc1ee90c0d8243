"""Methods of arrays and numbers."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.assign import fill
from gpulint.frontend.numba.calls import arguments, scalars, unknown
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.inline import NONE, Arguments
from gpulint.frontend.numba.memory import reduce
from gpulint.frontend.numba.values import SCALARS, Array, Method, Shape, Tuple, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, UNKNOWN, ArrayType, IntType


def method(cx: Context, m: Method, node: ast.Call) -> Value:
    """`owner.name(...)`."""
    if isinstance(m.owner, Array):
        return _of_array(cx, m.owner, m.name, node)
    if isinstance(m.owner, SCALARS):
        if m.name in ("item", "bitcast", "conjugate", "bit_length", "view"):
            return cx.opaque(m.name, (m.owner, *scalars(cx, arguments(cx, node), node)[:0]), UNKNOWN, node)
        return unknown(cx, node)
    return unknown(cx, node)


def reshape(cx: Context, a: Array, shape: tuple[Value, ...], node: ast.AST) -> Value:
    """`a.reshape(shape)`: the same memory, as Numba refuses arrays that it would have to copy.

    A shape that does not fit the size ends the thread. One of unknown rank gives an array of unknown rank.
    """
    if len(shape) == 1 and isinstance(shape[0], Tuple):
        shape = shape[0].items
    parts = [ops.scalar(cx, e, node) for e in shape if not isinstance(e, Shape)]
    known = all(isinstance(e.type, IntType) for e in parts) and len(parts) == len(shape) > 0
    if not known:
        return _rearranged(cx, a, (), replace(a.type, ndim=None), node)
    if parts == [ops.number(-1)] and a.type.ndim == 1:
        return a
    size: n.Expr = n.Size(a.name, INT64, cx.span(node))
    rest: n.Expr = ops.number(1)
    for e in (e for e in parts if e != ops.number(-1)):
        rest = ops.binary(cx, "mul", rest, e, node)
    if ops.number(-1) in parts:
        left = ops.binary(cx, "floordiv", size, rest, node)
        parts = [left if e == ops.number(-1) else e for e in parts]
        rest = ops.binary(cx, "mul", rest, left, node) if rest != ops.number(1) else size
    if rest != size:
        cx.emit(n.Assume(ops.compare(cx, "eq", rest, size, node), cx.span(node)))
    held = tuple(e if isinstance(e, n.Const) else cx.temp(e, "extent") for e in parts)
    return _rearranged(cx, a, held, replace(a.type, ndim=len(held)), node)


def _rearranged(cx: Context, a: Array, shape: tuple[n.Expr, ...], type_: ArrayType, node: ast.AST) -> Array:
    target = cx.temporary(f"{a.name}.reshaped")
    cx.emit(n.View(target, a.name, (), False, cx.span(node), shape))
    return Array(target, type_, a.field)


def _of_array(cx: Context, a: Array, name: str, node: ast.Call) -> Value:
    given = arguments(cx, node)
    if name == "item" and not given.positional and a.type.ndim is not None:
        zero = ops.number(0)
        return cx.loaded(a, (zero,) * a.type.ndim, a.field, cx.span(node))
    if name == "transpose" and not given.positional:
        target = cx.temporary(f"{a.name}.T")
        cx.emit(n.View(target, a.name, (), True, cx.span(node)))
        return Array(target, a.type, a.field)
    if name == "reshape" and not given.keywords:
        return reshape(cx, a, given.positional, node)
    if name == "ravel" and not given.positional:
        return reshape(cx, a, (ops.number(-1),), node)
    if name == "view":
        return _rearranged(cx, a, (), replace(a.type, element=UNKNOWN), node)
    if name in ("sum", "mean", "min", "max", "prod", "all", "any", "var", "std", "argmin", "argmax"):
        return reduce(cx, name, node, Arguments((a, *given.positional), given.keywords))
    if name == "fill" and given.positional:
        fill(cx, a, given.positional[0], node)
        return NONE
    raise NotHandled(f"the array method {name}", node)
