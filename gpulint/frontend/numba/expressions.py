"""Names, constants, operators and conditions; reads of memory under a short circuit stand under an If."""

from __future__ import annotations

import ast

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.context import EXPRESSIONS, MAX_DEPTH, Context, Frame, expression
from gpulint.frontend.numba.values import (
    SCALARS,
    Function,
    Named,
    Tuple,
    Unresolved,
    Value,
)
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT64, INT32, UNKNOWN

COORDINATES = {
    "cuda.threadIdx": "thread", "cuda.blockIdx": "block", "cuda.blockDim": "block_size",
    "cuda.gridDim": "grid_size",
}  # fmt: skip
_FLOATS = {"pi": 3.141592653589793, "e": 2.718281828459045, "tau": 6.283185307179586, "inf": float("inf"),
           "nan": float("nan"), "infty": float("inf"), "Inf": float("inf")}  # fmt: skip
MAX_CHAIN = 30  # operators in a row before a temporary holds the partial result


def lower(cx: Context, node: ast.expr) -> Value:
    """The value of an expression; statements for its effects are written first."""
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        raise NotHandled(f"{_article(node)} expression", node)
    if cx.depth >= MAX_DEPTH:
        raise NotHandled(f"an expression nested more than {MAX_DEPTH} levels deep", node)
    cx.depth += 1
    try:
        value: Value = handler(cx, node)
        return value
    finally:
        cx.depth -= 1


def _article(node: ast.AST) -> str:
    name = type(node).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def scalar(cx: Context, node: ast.expr) -> n.Expr:
    return ops.scalar(cx, lower(cx, node), node)


def index(cx: Context, node: ast.expr) -> n.Expr:
    """A scalar in a place where only an integer can stand."""
    cx.index += 1
    try:
        return scalar(cx, node)
    finally:
        cx.index -= 1


# --- leaves


@expression(ast.Constant)
def constant(cx: Context, node: ast.Constant) -> Value:
    if isinstance(node.value, complex):
        return cx.opaque("complex", (), UNKNOWN, node)
    return ops.number(node.value)


@expression(ast.Name)
def name(cx: Context, node: ast.Name) -> Value:
    found = local(cx, node.id)
    if found is None:
        value = cx.resolved(node)
        if isinstance(value, Named):
            return named(cx, value.name, node) or value
        return _owned(cx, value)
    return placed(cx, found, node)


def named(cx: Context, name: str, node: ast.AST) -> n.Expr | None:
    """The scalar that a library name is, or None when it is an object."""
    if name == "cuda.laneid":
        return n.Coord("lane", 0, INT32, cx.span(node))
    if name == "cuda.warpsize":
        return n.Coord("warp_size", 0, INT32, cx.span(node))
    owner, _, last = name.rpartition(".")
    if owner in COORDINATES and last in ("x", "y", "z"):
        return n.Coord(COORDINATES[owner], "xyz".index(last), INT32, cx.span(node))
    if owner in ("math", "np") and last in _FLOATS:
        return n.Const(_FLOATS[last], FLOAT64, cx.span(node))
    return None


def placed(cx: Context, value: Value, node: ast.AST) -> Value:
    """The value with the place of this use."""
    if isinstance(value, n.Var) and value.name in cx.promoted:
        return cx.promoted[value.name]
    if isinstance(value, n.Var):
        return n.Var(value.name, value.type, cx.span(node))
    if isinstance(value, n.Const):
        return n.Const(value.value, value.type, cx.span(node))
    return value


def local(cx: Context, ident: str) -> Value | None:
    """The local of this frame or of the frames that lexically hold it."""
    frame: Frame | None = cx.frame
    while frame is not None:
        if ident in frame.env:
            return frame.env[ident]
        if ident in frame.scope.bindings:
            kinds = {b.kind for b in frame.scope.bindings[ident]}
            if frame is cx.frame and not kinds & {"import", "function", "class"}:
                return n.Opaque(f"undefined {ident}", (), UNKNOWN, True)
            return None
        frame = frame.outer
    return None


def _owned(cx: Context, value: Value) -> Value:
    """Within the product of a factory, names that nothing fixes belong to that call of it."""
    outer = cx.frame.outer
    if isinstance(value, Unresolved) and outer is not None and outer.prefix and value.scope is outer.scope:
        return Unresolved(outer.prefix + value.text, value.node, value.scope)
    return value


# --- operators


@expression(ast.BinOp)
def binary(cx: Context, node: ast.BinOp) -> Value:
    """Left-leaning chains are walked without recursion, and cut where they get long."""
    spine: list[ast.BinOp] = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    value = lower(cx, spine[-1].left)
    for count, e in enumerate(reversed(spine), 1):
        if count % MAX_CHAIN == 0 and isinstance(value, SCALARS):
            value = cx.temp(value)
        value = apply(cx, type(e.op), value, lower(cx, e.right), e)
    return value


def apply(cx: Context, kind: type[ast.operator], a: Value, b: Value, node: ast.AST) -> Value:
    """`a op b`; tuples concatenate and repeat."""
    if isinstance(a, Tuple) and isinstance(b, Tuple) and kind is ast.Add:
        return Tuple(a.items + b.items)
    if isinstance(a, Tuple) and isinstance(b, n.Const) and kind is ast.Mult and isinstance(b.value, int):
        return Tuple(a.items * min(b.value, 64))
    op = ops.BINARY.get(kind)
    if op is None:
        raise NotHandled("matrix multiplication", node)
    return ops.binary(cx, op, ops.scalar(cx, a, node), ops.scalar(cx, b, node), node)


@expression(ast.UnaryOp)
def unary(cx: Context, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        from gpulint.frontend.numba.conditions import test

        return ops.negate(cx, test(cx, node.operand), node)
    operand = scalar(cx, node.operand)
    if isinstance(node.op, ast.UAdd):
        return operand
    return ops.unary(cx, "neg" if isinstance(node.op, ast.USub) else "invert", operand, node)


# --- the rest


@expression(ast.Tuple, ast.List)
def tuple_(cx: Context, node: ast.Tuple | ast.List) -> Value:
    items: list[Value] = []
    for e in node.elts:
        if isinstance(e, ast.Starred):
            value = lower(cx, e.value)
            if not isinstance(value, Tuple):
                raise NotHandled("unpacking of something whose length is not known", node)
            items.extend(value.items)
        else:
            items.append(lower(cx, e))
    return Tuple(tuple(items))


@expression(ast.NamedExpr)
def walrus(cx: Context, node: ast.NamedExpr) -> Value:
    cx.bind(node.target.id, lower(cx, node.value), cx.span(node))
    return placed(cx, cx.frame.env[node.target.id], node)


@expression(ast.Lambda)
def lambda_(cx: Context, node: ast.Lambda) -> Value:
    return Function(node, cx.frame.module.scopes[node], cx.frame)


@expression(ast.JoinedStr)
def text(cx: Context, node: ast.JoinedStr) -> Value:
    return n.Const("")
