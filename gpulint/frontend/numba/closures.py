"""Values of the enclosing scopes that are not constant: parameters of the kernel that no caller lists."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.numba import tables
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.values import Array, Unresolved
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64, UNKNOWN, ArrayType


def scalar_closure(cx: Context, value: Unresolved, node: ast.AST) -> n.Expr:
    """The scalar parameter that stands for the value; one a name and kernel."""
    name = _name(cx, value)
    known = cx.closures.get(name)
    if known is None:
        if tables.called(value.node) in tables.MAKERS:
            raise NotHandled(f"{value.text}, an array, used as a number", node)
        fact = cx.frame.facts.get(value.text)
        type_ = INT64 if fact.index or cx.index else UNKNOWN
        ir_name = _declare(cx, name, type_, node)
        known = cx.closures[name] = n.Var(ir_name, type_)
    if isinstance(known, Array):
        raise NotHandled(f"{value.text}, an array, used as a number", node)
    assert isinstance(known, n.Var)
    return replace(known, span=cx.span(node))


def array_closure(cx: Context, value: Unresolved, ndim: int | None, node: ast.AST) -> Array:
    """The array that the value is: a constant table where the source gives its elements, else a parameter."""
    name = _name(cx, value)
    known = cx.closures.get(name)
    if known is None:
        table = tables.table(value.node, value.scope, cx.world)
        known = _constant(cx, name, table, node) if table else _array_parameter(cx, name, ndim, node)
        cx.closures[name] = known
    if not isinstance(known, Array):
        raise NotHandled(f"{value.text} used both as a number and as an array", node)
    return known


def _name(cx: Context, value: Unresolved) -> str:
    return value.text


def _declare(cx: Context, name: str, type_: n.ValueType | ArrayType, node: ast.AST) -> str:
    ir_name = cx.names.unique(name)
    cx.params[ir_name] = n.Param(ir_name, type_, cx.span(node))
    cx.options.append(("closure", ir_name))
    return ir_name


def _array_parameter(cx: Context, name: str, ndim: int | None, node: ast.AST) -> Array:
    type_ = ArrayType(UNKNOWN, ndim)
    return Array(_declare(cx, name, type_, node), type_)


def _constant(cx: Context, name: str, table: tables.Table, node: ast.AST) -> Array:
    type_ = ArrayType(table.element, len(table.shape), "const")
    ir_name = cx.names.unique(name)
    shape = tuple(n.Const(e, INT64) for e in table.shape)
    cx.prelude.append(n.Alloc(ir_name, type_, shape, table.elements, cx.span(node)))
    return Array(ir_name, type_, "", shape)
