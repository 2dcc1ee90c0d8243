"""Names, constants, operators, conditions and conditional expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton.context import EXPRESSIONS, MAX_DEPTH, Context, expression, ranks_of
from gpulint.frontend.triton.merge import Path, join, settled
from gpulint.frontend.triton.pointers import shifted
from gpulint.frontend.triton.values import (
    Choice,
    Function,
    Pointer,
    Tile,
    Tuple,
    Unresolved,
    Value,
    constant,
    is_none,
    leaves,
    with_leaves,
)
from gpulint.frontend.triton.world import literal
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, UNKNOWN

MAX_CHOICES = 3
MAX_CHAIN = 30  # operators in a row before a temporary holds the partial result


def lower(cx: Context, node: ast.expr) -> Value:
    """The value of an expression; statements for its effects are written first."""
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        name = type(node).__name__
        raise NotHandled(f"{'an' if name[0] in 'AEIOU' else 'a'} {name} expression", node)
    if cx.depth >= MAX_DEPTH:
        raise NotHandled(f"an expression nested more than {MAX_DEPTH} levels deep", node)
    cx.depth += 1
    try:
        value: Value = handler(cx, node)
        return value
    finally:
        cx.depth -= 1


def number(cx: Context, node: ast.expr) -> Tile:
    return ops.tile(cx, lower(cx, node), node)


def test(cx: Context, node: ast.expr) -> Tile:
    return ops.truth(cx, lower(cx, node), node)


# --- leaves


@expression(ast.Constant)
def constant_(cx: Context, node: ast.Constant) -> Value:
    return Tile(replace(literal(node.value), span=cx.span(node)), weak=True)


@expression(ast.Name)
def name(cx: Context, node: ast.Name) -> Value:
    found = cx.frame.env.get(node.id)
    if found is not None:
        return placed(cx, found, node)
    kinds = {b.kind for b in cx.frame.scope.bindings.get(node.id, ())}
    if kinds and not kinds & {"import", "function", "class"}:
        return Tile(n.Opaque(f"undefined {node.id}", (), UNKNOWN, True, span=cx.span(node)))
    return cx.world.name(node, cx.frame.scope)


def placed(cx: Context, value: Value, node: ast.AST) -> Value:
    """The value with the place of this use."""
    if isinstance(value, Tile) and isinstance(value.expr, (n.Var, n.Const)):
        return replace(value, expr=replace(value.expr, span=cx.span(node)))
    if isinstance(value, Pointer) and isinstance(value.offset, n.Var):
        return replace(value, offset=replace(value.offset, span=cx.span(node)))
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
        if count % MAX_CHAIN == 0 and isinstance(value, Tile):
            value = cx.temp(value, "t", cx.span(e))
        value = apply(cx, type(e.op), value, lower(cx, e.right), e)
    return value


def lifted(
    cx: Context, values: Sequence[Value], run: Callable[[list[Value]], Value], node: ast.AST
) -> Value | None:
    """`run` on each alternative of the first value that is a choice; None where none is."""
    if not cx.choices:
        return None
    at = next((i for i, v in enumerate(values) if isinstance(v, Choice)), None)
    if at is None:
        return None
    choice = values[at]
    assert isinstance(choice, Choice)
    if cx.choosing >= MAX_CHOICES:
        raise NotHandled("a variable whose kind or rank depends on several compile-time branches", node)
    cx.choosing += 1
    try:
        condition = Tile(choice.condition, weak=True)
        one, two = ([*values[:at], v, *values[at + 1 :]] for v in (choice.then, choice.other))
        return select(cx, condition, lambda: run(one), lambda: run(two), node)
    finally:
        cx.choosing -= 1


def apply(cx: Context, kind: type[ast.operator], a: Value, b: Value, node: ast.AST) -> Value:
    """`a op b`; tuples concatenate and repeat, pointers move."""
    either = lifted(cx, (a, b), lambda v: apply(cx, kind, v[0], v[1], node), node)
    if either is not None:
        return either
    if isinstance(a, Tuple) and isinstance(b, Tuple) and kind is ast.Add:
        return Tuple(a.items + b.items)
    times = constant(b)
    if isinstance(a, Tuple) and isinstance(times, int) and kind is ast.Mult:
        return Tuple(a.items * min(times, 64))
    op = ops.BINARY.get(kind)
    if op is None:
        raise NotHandled("matrix multiplication by an operator", node)
    if isinstance(a, Pointer) and op in ("add", "sub") and not isinstance(b, Pointer):
        return shifted(cx, a, ops.tile(cx, b, node), op, node)
    if isinstance(b, Pointer) and op == "add":
        return shifted(cx, b, ops.tile(cx, a, node), op, node)
    return ops.binary(cx, op, ops.tile(cx, a, node), ops.tile(cx, b, node), node)


@expression(ast.UnaryOp)
def unary(cx: Context, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        value = test(cx, node.operand)
        return replace(value, expr=ops.negation(value.expr, cx.span(node)), roots=())
    operand = number(cx, node.operand)
    if isinstance(node.op, ast.UAdd):
        return operand
    return ops.unary(cx, "neg" if isinstance(node.op, ast.USub) else "invert", operand, node)


@expression(ast.Compare)
def compare(cx: Context, node: ast.Compare) -> Value:
    values = [lower(cx, e) for e in (node.left, *node.comparators)]
    parts = [_compared(cx, op, a, b, node) for op, a, b in zip(node.ops, values, values[1:], strict=False)]
    return parts[0] if len(parts) == 1 else ops.logic(cx, "and", parts, node)


def _compared(cx: Context, op: ast.cmpop, a: Value, b: Value, node: ast.Compare) -> Tile:
    either = lifted(cx, (a, b), lambda v: _compared(cx, op, v[0], v[1], node), node)
    if either is not None:
        return ops.tile(cx, either, node)
    if isinstance(op, (ast.Is, ast.IsNot)):
        value = ops.identical(cx, a, b, node)
    elif isinstance(op, (ast.In, ast.NotIn)):
        items = b.items if isinstance(b, Tuple) else None
        if items is None:
            name = f"{ops.describe(a)} in {ops.describe(b)}"
            value = Tile(n.Opaque(name, (), BOOL, span=cx.span(node)), weak=True)
        else:
            value = ops.logic(cx, "or", [ops.compare(cx, "eq", a, i, node) for i in items], node)
    else:
        return ops.compare(cx, ops.COMPARE[type(op)], a, b, node)
    if isinstance(op, (ast.IsNot, ast.NotIn)):
        return replace(value, expr=ops.negation(value.expr, cx.span(node)))
    return value


@expression(ast.BoolOp)
def boolean(cx: Context, node: ast.BoolOp) -> Value:
    """`and`, `or`: reads of memory stand under an If when what comes before is a compile-time value."""
    op = "and" if isinstance(node.op, ast.And) else "or"
    parts: list[Tile] = []
    for e in node.values:
        with cx.capture() as written:
            value = test(cx, e)
        if written and parts and all(p.weak for p in parts):
            value = _guarded(cx, op, ops.logic(cx, op, parts, node), value, written, e)
        else:
            cx.out.extend(written)
        settles = isinstance(value.expr, n.Const) and bool(value.expr.value) != (op == "and")
        if settles and all(p.weak for p in parts):
            return Tile(n.Const(op == "or", BOOL), weak=True)
        parts.append(value)
    return ops.logic(cx, op, parts, node)


def _guarded(cx: Context, op: str, before: Tile, value: Tile, written: list[n.Stmt], node: ast.expr) -> Tile:
    """An operand that is evaluated only where the ones before it do not settle the result."""
    target = cx.names.unique(cx.frame.prefix + op)
    cx.ranks[target] = value.rank
    span = cx.span(node)
    own = (*written, n.Assign(target, value.expr, span))
    rest = (n.Assign(target, n.Const(op == "or", BOOL), span),)
    cx.emit(n.If(before.expr, own if op == "and" else rest, rest if op == "and" else own, span))
    return Tile(n.Var(target, BOOL, span), value.shape)


@expression(ast.IfExp)
def conditional(cx: Context, node: ast.IfExp) -> Value:
    condition = test(cx, node.test)
    return select(cx, condition, lambda: lower(cx, node.body), lambda: lower(cx, node.orelse), node)


def select(
    cx: Context, condition: Tile, then: Callable[[], Value], other: Callable[[], Value], node: ast.AST
) -> Value:
    """`then() if condition else other()`; an If where a side has effects or is no number."""
    if isinstance(condition.expr, n.Const):
        return then() if condition.expr.value else other()
    env = cx.frame.env
    if cx.choices:
        with cx.capture() as yes:
            cx.frame.env = settled(env, condition.expr, True)
            a = then()
        with cx.capture() as no:
            cx.frame.env = settled(env, condition.expr, False)
            b = other()
        cx.frame.env = env
    else:
        with cx.capture() as yes:
            a = then()
        with cx.capture() as no:
            b = other()
    if isinstance(a, Unresolved) and isinstance(b, (Tile, Unresolved)):
        a = ops.closure(cx, a, node)
    if isinstance(b, Unresolved) and isinstance(a, Tile):
        b = ops.closure(cx, b, node)
    if not yes and not no:
        if a == b:
            return a
        if isinstance(a, Tile) and isinstance(b, Tile) and not is_none(a) and not is_none(b):
            return ops.choose(cx, condition, a, b, node)
    return _branched(cx, condition, (a, yes), (b, no), node)


def _branched(
    cx: Context, condition: Tile, x: tuple[Value, list[n.Stmt]], y: tuple[Value, list[n.Stmt]], node: ast.AST
) -> Value:
    slot = f"?{len(cx.frame.canonical)}"
    cx.frame.canonical[slot] = cx.names.unique(f"{cx.frame.prefix}choice")
    paths: list[Path] = []
    for value, written in (x, y):
        with cx.capture() as more:
            held = cx.hold(slot, value, cx.span(node))
        paths.append(({slot: held}, [*written, *more], False))
    env = join(cx, paths[0], paths[1], condition, node)
    cx.emit(n.If(condition.expr, tuple(paths[0][1]), tuple(paths[1][1]), cx.span(node)))
    return env[slot]


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
    return Function(node, cx.frame.module.scopes[node])


@expression(ast.JoinedStr)
def text(cx: Context, node: ast.JoinedStr) -> Value:
    return Tile(n.Const(""), weak=True)


def spilled(cx: Context, value: Value, node: ast.AST) -> Value:
    """The value with each of its parts in a temporary, so that later bindings cannot change it."""
    found = leaves(value)
    exprs: list[n.Expr] = []
    for (_, e), rank in zip(found, ranks_of(value), strict=True):
        if isinstance(e, n.Const) or cx.is_static(e):
            exprs.append(e)
            continue
        target = cx.names.unique(f"{cx.frame.prefix}t")
        cx.ranks[target] = rank
        cx.emit(n.Assign(target, e, cx.span(node)))
        cx.defs.setdefault(target, set()).update(v.name for v in (e,) if isinstance(v, n.Var))
        exprs.append(n.Var(target, e.type, e.span))
    return with_leaves(value, exprs) if found else value
