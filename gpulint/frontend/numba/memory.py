"""Arrays made in the kernel, and functions that read whole arrays."""

from __future__ import annotations

import ast

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.assign import fill
from gpulint.frontend.numba.attributes import extent
from gpulint.frontend.numba.calls import given_array
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.inline import NONE, Arguments
from gpulint.frontend.numba.types import by_name
from gpulint.frontend.numba.values import Array, DType, Named, Tuple, Unresolved, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT64, INT64, UNKNOWN, ArrayType, FloatType, IntType, Type


def element_type(dtype: Value) -> Type:
    """The element type that a dtype argument names; unknown for records and complex numbers."""
    if isinstance(dtype, DType):
        return dtype.type
    if isinstance(dtype, Named):
        return by_name(dtype.name.rpartition(".")[2]) or UNKNOWN
    if isinstance(dtype, n.Const) and isinstance(dtype.value, str):
        return by_name(dtype.value) or UNKNOWN
    return UNKNOWN


def make(cx: Context, space: str, shape: Value, element: Type, node: ast.AST) -> Array:
    """A new array; a shared one of shape 0 is the dynamic shared memory."""
    extents = shape.items if isinstance(shape, Tuple) else (shape,)
    cx.index += 1
    sizes = tuple(ops.scalar(cx, e, node) for e in extents)
    cx.index -= 1
    dynamic = space == "shared" and sizes == (n.Const(0, INT64),)
    type_ = ArrayType(element, len(sizes), space)
    target = cx.temporary(space)
    cx.emit(n.Alloc(target, type_, None if dynamic else sizes, None, cx.span(node)))
    return Array(target, type_, "", None if dynamic else sizes)


def allocate(cx: Context, name: str, node: ast.Call, given: Arguments) -> Value:
    """`np.zeros(shape, dtype)` and its like: memory of the thread's own."""
    if not given.positional:
        raise NotHandled(f"np.{name} without a shape", node)
    first, rest = given.positional[0], given.positional[1:]
    dtype = given.keywords.get("dtype", NONE)
    value: Value = n.Const({"zeros": 0, "ones": 1}.get(name.removesuffix("_like")))
    if name.startswith("full"):
        value, rest = (rest[0], rest[1:]) if rest else (given.keywords.get("fill_value", NONE), ())
    if name.endswith("_like"):
        like = given_array(cx, first, None, node)
        if like.type.ndim is None:
            raise NotHandled(f"np.{name} of an array of unknown rank", node)
        first = Tuple(tuple(extent(cx, like, i, node) for i in range(like.type.ndim)))
        element = like.type.element
    else:
        element = element_type(rest[0] if rest else dtype) if rest or dtype != NONE else FLOAT64
    array = make(cx, "local", first, element, node)
    if value != NONE:
        fill(cx, array, value, node)
    return array


def reduce(cx: Context, name: str, node: ast.AST, given: Arguments) -> Value:
    """A number of a whole array: every element is read."""
    value = given.positional[0] if given.positional else NONE
    rank = cx.frame.facts.get(value.text).ndim if isinstance(value, Unresolved) else None
    array = given_array(cx, value, rank, node)
    if array.type.ndim is None or len(given.positional) > 1 or given.keywords:
        raise NotHandled(f"{name} of an array of unknown rank or along an axis", node)
    read(cx, array, node)
    return cx.fresh(name, UNKNOWN, node)


def read(cx: Context, array: Array, node: ast.AST) -> None:
    """Loads of every element of an array whose rank is known."""
    _read(cx, array, (), array.type.ndim or 0, node)


def arange(cx: Context, given: Arguments, node: ast.AST) -> Value:
    """`np.arange(start, stop, step)`: memory of the thread's own, filled in order.

    Of floats, and by a step that is not constant, both how many elements there are and what they hold is
    unknown.
    """
    parts = [ops.scalar(cx, v, node) for v in given.positional]
    if not 1 <= len(parts) <= 3:
        raise NotHandled("np.arange without bounds", node)
    start, stop = (n.Const(0, INT64), parts[0]) if len(parts) == 1 else (parts[0], parts[1])
    step = parts[2] if len(parts) == 3 else n.Const(1, INT64)
    whole = all(isinstance(p.type, IntType) for p in parts)
    if whole and isinstance(step, n.Const) and isinstance(step.value, int) and step.value:
        array = make(cx, "local", _trips(cx, start, stop, step.value, node), INT64, node)
        counter = n.Var(cx.names.unique(f"{array.name}.i"), INT64)
        value = ops.binary(cx, "add", start, ops.binary(cx, "mul", counter, step, node), node)
    else:
        floats = any(isinstance(p.type, FloatType) for p in parts)
        element = INT64 if whole else FLOAT64 if floats else UNKNOWN
        count = cx.fresh("length", INT64, node, tuple(parts))
        array = make(cx, "local", ops.extreme(cx, "max", [count, n.Const(0, INT64)], node), element, node)
        counter = n.Var(cx.names.unique(f"{array.name}.i"), INT64)
        value = cx.opaque("arange", (start, step, counter), element, node)
    store = n.Store(array.name, (counter,), value, False, span=cx.span(node))
    bounds = n.Const(0, INT64), extent(cx, array, 0, node), n.Const(1, INT64)
    cx.emit(n.For(counter.name, *bounds, (store,), INT64, cx.span(node)))
    return array


def _trips(cx: Context, start: n.Expr, stop: n.Expr, step: int, node: ast.AST) -> n.Expr:
    """How many numbers a range has."""
    low, high = (start, stop) if step > 0 else (stop, start)
    span = ops.binary(cx, "sub", high, low, node)
    if abs(step) > 1:
        up = ops.binary(cx, "add", span, n.Const(abs(step) - 1, INT64), node)
        span = ops.binary(cx, "floordiv", up, n.Const(abs(step), INT64), node)
    return ops.extreme(cx, "max", [span, n.Const(0, INT64)], node)


def _read(cx: Context, array: Array, at: tuple[n.Expr, ...], rank: int, node: ast.AST) -> None:
    if len(at) == rank:
        cx.loaded(array, at, array.field, cx.span(node))
        return
    counter = cx.names.unique(f"{array.name}.i")
    with cx.capture() as inner:
        _read(cx, array, (*at, n.Var(counter, INT64)), rank, node)
    stop, one, zero = extent(cx, array, len(at), node), n.Const(1, INT64), n.Const(0, INT64)
    cx.emit(n.For(counter, zero, stop, one, tuple(inner), INT64, cx.span(node)))
