"""Comparisons, short circuits and conditional expressions; reads of memory stand under an If."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.context import Context, expression
from gpulint.frontend.numba.expressions import lower
from gpulint.frontend.numba.merge import conditional
from gpulint.frontend.numba.types import unify
from gpulint.frontend.numba.values import (
    SCALARS,
    Array,
    DType,
    Foreign,
    Function,
    Named,
    Tuple,
    Unresolved,
    Value,
)
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, UNKNOWN


def test(cx: Context, node: ast.expr) -> n.Expr:
    """A condition."""
    if isinstance(node, ast.BoolOp):
        return _junction(cx, node, lambda e: test(cx, e))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ops.negate(cx, test(cx, node.operand), node)
    saved, cx.index = cx.index, 0
    try:
        return ops.truth(cx, lower(cx, node), node)
    finally:
        cx.index = saved


@expression(ast.Compare)
def compare(cx: Context, node: ast.Compare) -> Value:
    """Chains are conjunctions; a later operand that reads memory is read only if it is reached."""
    saved, cx.index = cx.index, 0
    try:
        left = lower(cx, node.left)
        if len(node.ops) == 1:
            return _compared(cx, node.ops[0], left, lower(cx, node.comparators[0]), node)
        return _chain(cx, node, left)
    finally:
        cx.index = saved


def _chain(cx: Context, node: ast.Compare, left: Value) -> Value:
    parts: list[n.Expr] = []
    for i, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=False)):
        with cx.capture() as written:
            right = lower(cx, right_node)
            part = _compared(cx, op, left, right, node)
        if i and written and not all(isinstance(s, n.Assign) for s in written):
            return _guarded_chain(cx, node, parts, written, part, i)
        cx.out.extend(written)
        parts.append(part)
        left = right
    return _all(cx, parts, node)


def _guarded_chain(
    cx: Context, node: ast.Compare, parts: list[n.Expr], written: list[n.Stmt], part: n.Expr, i: int
) -> n.Expr:
    """`a < b < x[i]`: the second comparison under the first."""
    slot = cx.slot("t")
    cx.bind(slot, n.Const(False, BOOL), cx.span(node))

    def rest() -> None:
        cx.out.extend(written)
        value = part
        if i + 1 < len(node.ops):
            tail = ast.Compare(node.comparators[i], node.ops[i + 1 :], node.comparators[i + 1 :])
            ast.copy_location(tail, node)
            value = _all(cx, [part, ops.truth(cx, compare(cx, tail), node)], node)
        cx.bind(slot, value, cx.span(node))

    conditional(cx, _all(cx, parts, node), rest, lambda: None, node)
    result = cx.frame.env.pop(slot)
    assert isinstance(result, SCALARS)
    return result


def _all(cx: Context, parts: list[n.Expr], node: ast.AST) -> n.Expr:
    return combine(cx, "and", parts, node)


def combine(cx: Context, op: str, parts: list[n.Expr], node: ast.AST) -> n.Expr:
    """The conjunction or disjunction, known parts dropped."""
    kept: list[n.Expr] = []
    flat = [q for p in parts for q in (p.operands if isinstance(p, n.Logic) and p.op == op else (p,))]
    for p in flat:
        if isinstance(p, n.Const):
            if bool(p.value) == (op == "or"):
                kept.append(n.Const(op == "or", BOOL))
                break
            continue
        kept.append(p)
    if not kept:
        return n.Const(op == "and", BOOL)
    if isinstance(kept[-1], n.Const):
        return kept[-1]
    return kept[0] if len(kept) == 1 else n.Logic(op, tuple(kept), cx.span(node))


def _compared(cx: Context, op: ast.cmpop, a: Value, b: Value, node: ast.AST) -> n.Expr:
    kind = ops.COMPARE.get(type(op))
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _identity(cx, a, b, isinstance(op, ast.IsNot), node)
    if kind is None:
        return _member(cx, a, b, isinstance(op, ast.NotIn), node)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and kind in ("eq", "ne"):
        return _tuples_equal(cx, a, b, kind, node)
    if not isinstance(a, _NUMBERS) or not isinstance(b, _NUMBERS):
        return _objects(cx, kind, a, b, node)
    return ops.compare(cx, kind, ops.scalar(cx, a, node), ops.scalar(cx, b, node), node)


_NUMBERS = (*SCALARS, Unresolved, Foreign, Array)


def _objects(cx: Context, kind: str, a: Value, b: Value, node: ast.AST) -> n.Expr:
    things = (DType, Named, Function)
    known = isinstance(a, things) and a == b and not (isinstance(a, DType) and a.type == UNKNOWN)
    if known and kind in ("eq", "ne"):
        return n.Const(kind == "eq", BOOL)
    return cx.opaque(f"objects {kind}", (), BOOL, node)


def _tuples_equal(cx: Context, a: Tuple, b: Tuple, kind: str, node: ast.AST) -> n.Expr:
    if len(a.items) != len(b.items):
        return n.Const(kind == "ne", BOOL)
    op = ast.Eq() if kind == "eq" else ast.NotEq()
    parts = [_compared(cx, op, u, v, node) for u, v in zip(a.items, b.items, strict=False)]
    return combine(cx, "and" if kind == "eq" else "or", parts, node)


def _identity(cx: Context, a: Value, b: Value, negated: bool, node: ast.AST) -> n.Expr:
    """`is None`: known for locals; an unknown, launch-wide fact for parameters."""
    none = n.Const(None)
    if a == none and b == none:
        return n.Const(not negated, BOOL)
    if b == none or a == none:
        other = a if b == none else b
        answer: n.Expr = n.Const(False, BOOL)
        if isinstance(other, n.Var) and other.name in cx.params:
            answer = cx.opaque("is_none", (other,), BOOL, node)
        elif isinstance(other, Array) and other.name in cx.params:
            answer = cx.opaque(f"is_none({other.name})", (), BOOL, node)
        elif isinstance(other, Unresolved):
            answer = cx.opaque(f"is_none({other.text})", (), BOOL, node)
        return ops.negate(cx, answer, node) if negated else answer
    return _compared(cx, ast.NotEq() if negated else ast.Eq(), a, b, node)


def _member(cx: Context, a: Value, b: Value, negated: bool, node: ast.AST) -> n.Expr:
    if not isinstance(b, Tuple):
        raise NotHandled("membership in something that is not a tuple", node)
    parts = [_compared(cx, ast.Eq(), a, item, node) for item in b.items]
    found = combine(cx, "or", parts, node)
    return ops.negate(cx, found, node) if negated else found


# --- short circuits


@expression(ast.BoolOp)
def junction(cx: Context, node: ast.BoolOp) -> Value:
    """`and` and `or` as values: of conditions a condition, of numbers one of the numbers."""
    op = "and" if isinstance(node.op, ast.And) else "or"
    first = lower(cx, node.values[0])
    if (isinstance(first, SCALARS) and first.type == BOOL) or not isinstance(first, _NUMBERS):
        return _junction(cx, node, lambda e: ops.truth(cx, lower(cx, e), e), first)
    value = ops.scalar(cx, first, node)
    for e in node.values[1:]:
        value = _chosen(cx, value, e, op, node)
    return value


def _chosen(cx: Context, value: n.Expr, e: ast.expr, op: str, node: ast.AST) -> n.Expr:
    """`a and b` is b where a is true and a where it is not."""
    held = value if isinstance(value, (n.Var, n.Const)) else cx.temp(value)

    def right() -> Value:
        return lower(cx, e)

    condition = ops.truth(cx, held, node)
    if op == "and":
        out = choose(cx, condition, right, lambda: held, node)
    else:
        out = choose(cx, condition, lambda: held, right, node)
    return ops.scalar(cx, out, node)


def _junction(
    cx: Context, node: ast.BoolOp, part: Callable[[ast.expr], n.Expr], first: Value | None = None
) -> n.Expr:
    op = "and" if isinstance(node.op, ast.And) else "or"
    parts: list[n.Expr] = []
    for i, e in enumerate(node.values):
        if any(isinstance(p, n.Const) and bool(p.value) == (op == "or") for p in parts):
            break
        with cx.capture() as written:
            value = ops.truth(cx, first, e) if first is not None and not i else part(e)
        known = combine(cx, op, parts, node)
        if written and parts and not isinstance(known, n.Const) and not _pure(written):
            return _guarded(cx, node, known, written, value, i, part)
        cx.out.extend(written)
        parts.append(value)
    return combine(cx, op, parts, node)


def _pure(written: list[n.Stmt]) -> bool:
    return all(isinstance(s, n.Assign) for s in written)


def _guarded(
    cx: Context, node: ast.BoolOp, known: n.Expr, written: list[n.Stmt], value: n.Expr, i: int,
    part: Callable[[ast.expr], n.Expr],
) -> n.Expr:  # fmt: skip
    """The rest of a junction under what comes before it, its truth in a local."""
    op = "and" if isinstance(node.op, ast.And) else "or"
    slot = cx.slot("t")
    cx.bind(slot, n.Const(op == "or", BOOL), cx.span(node))

    def rest() -> None:
        cx.out.extend(written)
        out = value
        if i + 1 < len(node.values):
            held = value if isinstance(value, (n.Var, n.Const)) else cx.temp(value)
            tail = ast.copy_location(ast.BoolOp(node.op, node.values[i:]), node)
            out = _junction(cx, tail, part, held)
        cx.bind(slot, out, cx.span(node))

    condition = known if op == "and" else ops.negate(cx, known, node)
    conditional(cx, condition, rest, lambda: None, node)
    result = cx.frame.env.pop(slot)
    assert isinstance(result, SCALARS)
    return result


@expression(ast.IfExp)
def ternary(cx: Context, node: ast.IfExp) -> Value:
    condition = test(cx, node.test)
    return choose(cx, condition, lambda: lower(cx, node.body), lambda: lower(cx, node.orelse), node)


def choose(
    cx: Context, condition: n.Expr, then: Callable[[], Value], other: Callable[[], Value], node: ast.AST
) -> Value:
    """`then if condition else other`: an expression when both are pure, else two branches."""
    if isinstance(condition, n.Const):
        return then() if condition.value else other()
    with cx.capture() as yes:
        a = then()
    with cx.capture() as no:
        b = other()
    if not yes and not no and isinstance(a, (*SCALARS, Unresolved)) and isinstance(b, (*SCALARS, Unresolved)):
        x, y = ops.scalar(cx, a, node), ops.scalar(cx, b, node)
        return x if x == y else n.Choose(condition, x, y, unify(x.type, y.type), cx.span(node))
    slot = cx.slot("t")

    def keep(written: list[n.Stmt], value: Value) -> None:
        cx.out.extend(written)
        cx.bind(slot, value, cx.span(node))

    conditional(cx, condition, lambda: keep(yes, a), lambda: keep(no, b), node)
    return cx.frame.env.pop(slot)
