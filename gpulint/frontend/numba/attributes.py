"""Attributes: of arrays, records, scalars and library objects."""

from __future__ import annotations

import ast

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.closures import array_closure
from gpulint.frontend.numba.context import Context, expression
from gpulint.frontend.numba.expressions import local, lower, named
from gpulint.frontend.numba.facts import Fact
from gpulint.frontend.numba.syntax import ARRAY_ATTRIBUTES
from gpulint.frontend.numba.values import (
    SCALARS,
    Array,
    DType,
    Foreign,
    Function,
    Method,
    Named,
    Record,
    Shape,
    Tuple,
    Unresolved,
    Value,
)
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import fields
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT64, INT64, UNKNOWN, ArrayType, Type

_METHODS = frozenset((
    "view", "reshape", "ravel", "astype", "copy", "transpose", "item", "fill", "sync", "sum", "mean", "min",
    "max", "prod", "all", "any", "var", "std", "argmin", "argmax",
))  # fmt: skip


@expression(ast.Attribute)
def attribute(cx: Context, node: ast.Attribute) -> Value:
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and local(cx, root.id) is None and node.attr not in ARRAY_ATTRIBUTES:
        found = cx.resolved(node)
        if isinstance(found, Unresolved):
            return _below(cx, node, found)
        return _constant(cx, found, node)
    if isinstance(root, ast.Subscript) and isinstance(node.value, (ast.Subscript, ast.Attribute)):
        from gpulint.frontend.numba.subscripts import record_element

        return of(cx, record_element(cx, node.value, node.attr), node.attr, node)
    return of(cx, lower(cx, node.value), node.attr, node)


def _below(cx: Context, node: ast.Attribute, found: Unresolved) -> Value:
    """`CONST.x` of a global: by what its root is, when that is known; else by its text."""
    if isinstance(node.value, ast.Attribute):
        owner: Value = attribute(cx, node.value)
    else:
        owner = cx.world.name(node.value, cx.frame.scope)
    if isinstance(owner, (Named, Tuple, Array, Record, *SCALARS)):
        return of(cx, owner, node.attr, node)
    return found


def _constant(cx: Context, value: Value, node: ast.AST) -> Value:
    if isinstance(value, Named):
        return named(cx, value.name, node) or value
    return value


def of(cx: Context, value: Value, attr: str, node: ast.AST) -> Value:
    """`value.attr`."""
    if isinstance(value, Array):
        return _of_array(cx, value, attr, node)
    if isinstance(value, Record):
        return _of_record(cx, value, attr, node)
    if isinstance(value, Named):
        full = f"{value.name}.{attr}"
        return named(cx, full, node) or Named(full)
    if isinstance(value, Unresolved):
        return _of_unresolved(cx, value, attr, node)
    if isinstance(value, Foreign):
        return Foreign(cx.temp(cx.opaque(f"attribute {attr}", (value.held,), UNKNOWN, node), attr))
    if isinstance(value, SCALARS):
        return _of_scalar(cx, value, attr, node)
    if isinstance(value, Tuple):
        return _of_vector(cx, value, attr, node)
    if isinstance(value, Function) and attr in ("py_func", "__wrapped__"):
        return value
    return Method(value, attr)


def _of_unresolved(cx: Context, value: Unresolved, attr: str, node: ast.AST) -> Value:
    if attr in ARRAY_ATTRIBUTES and attr not in _METHODS:
        fact = cx.frame.facts.get(value.text)
        return _of_array(cx, array_closure(cx, value, fact.ndim, node), attr, node)
    return Unresolved(f"{value.text}.{attr}", value.node, value.scope)


def _of_scalar(cx: Context, value: n.Expr, attr: str, node: ast.AST) -> Value:
    if attr in ("real", "imag"):
        return cx.opaque(attr, (value,), FLOAT64, node)
    if attr == "value":
        return value
    if attr in ("conjugate", "bit_length", "bitcast", "view", "item", "sync", "reduce_sum"):
        return Method(value, attr)
    return cx.opaque(f"attribute {attr}", (value,), UNKNOWN, node)


def _of_vector(cx: Context, value: Tuple, attr: str, node: ast.AST) -> Value:
    """`.x` of a short vector such as cuda.float32x4."""
    axis = "xyzw".find(attr)
    if len(attr) == 1 and 0 <= axis < len(value.items):
        return value.items[axis]
    raise NotHandled(f"the attribute {attr} of a tuple", node)


def _of_record(cx: Context, value: Record, attr: str, node: ast.AST) -> Value:
    if value.array is not None:
        path = fields.inner(value.array.field, attr)
        return cx.loaded(value.array, value.subscripts, path, cx.span(node))
    return record_field(cx, value, attr, node)


def record_field(cx: Context, value: Record, attr: str, node: ast.AST) -> Value:
    """A field of a record parameter: a parameter of its own."""
    path = f"{value.name}.{attr}"
    fact = cx.frame.facts.get(path)
    known = cx.fields.get(path)
    if known is not None:
        return known
    if fact.record and not fact.array:
        return Record(path)
    type_ = field_type(fact)
    param = cx.parameter(path, type_, cx.span(node))
    cx.fields[path] = Array(path, type_) if isinstance(type_, ArrayType) else n.Var(param.name, type_)
    return cx.fields[path]


def field_type(fact: Fact) -> Type | ArrayType:
    """A field that the kernel assigns is an element of its own in memory."""
    if fact.array:
        return ArrayType(UNKNOWN, fact.ndim)
    if fact.stored:
        return ArrayType(INT64 if fact.index else UNKNOWN, 0)
    return INT64 if fact.index else UNKNOWN


def _of_array(cx: Context, a: Array, attr: str, node: ast.AST) -> Value:
    if attr == "shape":
        return shape(cx, a, node)
    if attr == "strides":
        if a.type.ndim is None:
            return Shape(a, strides=True)
        return Tuple(tuple(n.Stride(a.name, i, INT64, "byte", cx.span(node)) for i in range(a.type.ndim)))
    if attr == "size":
        return _size(cx, a, node)
    if attr == "ndim" and a.type.ndim is not None:
        return n.Const(a.type.ndim, INT64)
    if attr == "dtype":
        return DType(a.type.element)
    if attr == "T":
        target = cx.temporary(f"{a.name}.T")
        cx.emit(n.View(target, a.name, (), True, cx.span(node)))
        return Array(target, a.type, a.field)
    if attr in ("nbytes", "itemsize", "ndim"):
        return cx.opaque(f"{a.name}.{attr}", (), INT64, node)
    if attr == "ctypes":
        return Method(a, attr)
    if attr in ("flat", "flags"):
        raise NotHandled(f"the array attribute {attr}", node)
    if attr in _METHODS:
        return Method(a, attr)
    if a.type.ndim is not None and a.type.ndim > 0:
        return Array(a.name, ArrayType(UNKNOWN, a.type.ndim, a.type.space), attr, a.shape)
    return cx.loaded(a, (), attr, cx.span(node))


def shape(cx: Context, a: Array, node: ast.AST) -> Value:
    """The extents as a tuple, when the rank is known."""
    if a.type.ndim is None:
        return Shape(a)
    return Tuple(tuple(extent(cx, a, i, node) for i in range(a.type.ndim)))


def extent(cx: Context, a: Array, axis: int, node: ast.AST) -> n.Expr:
    """The number of elements along an axis."""
    if a.shape is not None and axis < len(a.shape) and isinstance(a.shape[axis], n.Const):
        return a.shape[axis]
    return n.Extent(a.name, axis, INT64, cx.span(node))


def _size(cx: Context, a: Array, node: ast.AST) -> n.Expr:
    if a.shape is not None and all(isinstance(e, n.Const) for e in a.shape):
        out: n.Expr = n.Const(1, INT64)
        for e in a.shape:
            out = ops.binary(cx, "mul", out, e, node)
        return out
    return n.Size(a.name, INT64, cx.span(node))
