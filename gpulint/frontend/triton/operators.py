"""Arithmetic, comparisons, conditions and conversions on tiles, with Triton's types."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton import types as tt
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.folding import constant_of, fold, power
from gpulint.frontend.triton.values import (
    Choice,
    DType,
    Function,
    Named,
    Pointer,
    Tile,
    Tuple,
    Unresolved,
    Value,
    Window,
    integer,
    is_none,
)
from gpulint.frontend.triton.world import literal
from gpulint.ir import nodes as n
from gpulint.ir.types import (
    BOOL,
    FLOAT32,
    INT32,
    INT64,
    UNKNOWN,
    ArrayType,
    BoolType,
    FloatType,
    IntType,
    Type,
    Unknown,
)

BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Div: "div",
    ast.Pow: "pow", ast.LShift: "shl", ast.RShift: "shr", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor",
}  # fmt: skip
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
_MEASURES = ("mul", "floordiv", "mod", "div", "pow", "shl", "shr", "min", "max", "and", "or", "xor")


def tile(cx: Context, value: Value, node: ast.AST) -> Tile:
    """The value as a number; a global that is not known becomes a constexpr parameter."""
    if isinstance(value, Tile):
        return value
    if isinstance(value, Unresolved):
        return closure(cx, value, node)
    if isinstance(value, Pointer):
        name = f"address of {value.base}"
        return Tile(n.Opaque(name, (value.offset,), INT64, span=cx.span(node)), value.shape)
    if isinstance(value, (DType, Function, Named)):
        return Tile(n.Opaque(name_of(value), (), UNKNOWN, span=cx.span(node)), weak=True)
    if isinstance(value, Tuple) and len(value.items) == 1:
        return tile(cx, value.items[0], node)
    if isinstance(value, Choice):
        raise NotHandled("a variable whose kind or rank depends on a compile-time branch", node)
    raise NotHandled(f"a {type(value).__name__.lower()} used as a number", node)


def name_of(value: Value) -> str:
    """What a type or function given as a compile-time value is called."""
    if isinstance(value, DType):
        return value.text or "dtype"
    if isinstance(value, Function):
        return getattr(value.node, "name", "lambda")
    return value.name if isinstance(value, Named) else "value"


def closure(cx: Context, value: Unresolved, node: ast.AST) -> Tile:
    """The constexpr parameter that stands for a global."""
    name = value.text
    if name not in cx.params:
        cx.parameter(name, param_type(cx, name), cx.span(node), True)
        cx.options.append(("closure", name))
    elif isinstance(cx.params[name].type, ArrayType):
        raise NotHandled(f"{name}, an array, used as a number", node)
    return Tile(n.Var(name, param_type(cx, name), cx.span(node)), weak=True)


def param_type(cx: Context, name: str) -> Type:
    """The type of a scalar parameter as its uses show it."""
    if name in cx.kinds.wide:
        return INT64
    if name in cx.kinds.integers:
        return INT32
    return BOOL if name in cx.kinds.flags else UNKNOWN


def measured(cx: Context, value: Tile) -> None:
    """Notes that the value is used as only a number can be."""
    cx.kinds.factors.update(value.roots)


# --- arithmetic


def result(op: str, a: Tile, b: Tile) -> tuple[Type, bool]:
    """The type of `a op b`, and whether it is a compile-time value."""
    if a.weak and b.weak:
        return tt.both_weak(op, a.type, b.type), True
    if a.weak or b.weak:
        weak, strong = (a, b) if a.weak else (b, a)
        type_ = tt.meet(weak.type, strong.type, integer(weak))
    else:
        type_ = tt.promote(a.type, b.type)
    if op == "div" and not isinstance(type_, FloatType):
        type_ = UNKNOWN if isinstance(type_, Unknown) else FLOAT32
    return type_, False


def binary(cx: Context, op: str, a: Tile, b: Tile, node: ast.AST) -> Tile:
    """`a op b` over the common shape; division of run-time integers truncates."""
    type_, weak = result(op, a, b)
    if isinstance(a.expr, n.Const) and isinstance(b.expr, n.Const) and weak:
        folded = fold(op, a.expr.value, b.expr.value)
        if folded is not None:
            return Tile(folded, weak=True)
    if op in _MEASURES:
        measured(cx, a)
        measured(cx, b)
    (x, y), shape = shapes.together(cx, a, b)
    if isinstance(type_, BoolType) and op in ("and", "or", "mul", "xor", "add"):
        return Tile(_boolean(cx, op, x, y, node), shape, weak)
    if isinstance(a.type, BoolType) != isinstance(b.type, BoolType) and op in ("and", "or"):
        mixed = _mixed(cx, op, x, y, node)
        if mixed is not None:
            return Tile(mixed, shape, weak)
    roots = a.roots + b.roots if op == "add" else a.roots if op == "sub" else ()
    return Tile(
        _operation(cx, op, x.expr, y.expr, type_, weak, node), shape, weak, tuple(dict.fromkeys(roots))
    )


def _operation(cx: Context, op: str, a: n.Expr, b: n.Expr, type_: Type, weak: bool, node: ast.AST) -> n.Expr:
    span = cx.span(node)
    if op in ("pow", "shl") and weak and integer(b) is None and isinstance(type_, IntType):
        return power(op, a, b, type_, span)
    if op == "pow":
        return n.Opaque("pow", (a, b), type_, span=span)
    if op in ("floordiv", "mod") and not weak:
        if isinstance(type_, FloatType):
            return n.Opaque(op, (a, b), type_, span=span)
        op = "truncdiv" if op == "floordiv" else "truncmod"
    simple = _simplified(op, a, b) if weak or isinstance(type_, IntType) else None
    return simple if simple is not None else n.Binary(op, a, b, type_, span)


def _simplified(op: str, a: n.Expr, b: n.Expr) -> n.Expr | None:
    """`x * 1` and `x + 0` of one type."""
    if op == "mul" and integer(b) == 1 and isinstance(a.type, IntType):
        return a
    if op == "add" and integer(a) == 0 and isinstance(a, n.Const) and isinstance(b.type, IntType):
        return b
    if op in ("add", "sub") and integer(b) == 0 and isinstance(b, n.Const) and isinstance(a.type, IntType):
        return a
    return None


def _boolean(cx: Context, op: str, a: Tile, b: Tile, node: ast.AST) -> n.Expr:
    """Operators between masks."""
    span = cx.span(node)
    if op in ("and", "mul"):
        return n.Logic("and", (a.expr, b.expr), span)
    if op in ("or", "add"):
        return n.Logic("or", (a.expr, b.expr), span)
    return n.Compare("ne", a.expr, b.expr, span)


def _mixed(cx: Context, op: str, a: Tile, b: Tile, node: ast.AST) -> n.Expr | None:
    """A mask with a number of 0 and 1, such as a loaded flag; other integers stay integers."""
    mask, number = (a, b) if isinstance(a.type, BoolType) else (b, a)
    if isinstance(number.type, (FloatType, IntType)) and not (op == "and" or number.weak):
        return None
    if isinstance(number.type, FloatType):
        return None
    return n.Logic(op, (mask.expr, truth(cx, number, node).expr), cx.span(node))


def unary(cx: Context, op: str, a: Tile, node: ast.AST) -> Tile:
    """neg, invert, abs."""
    value = a.expr.value if isinstance(a.expr, n.Const) else None
    if isinstance(value, (int, float)) and (a.weak or not a.shape):
        if op == "neg":
            return replace(a, expr=replace(literal(-value), type=a.type))
        if op == "abs":
            return replace(a, expr=replace(literal(abs(value)), type=a.type))
    if op == "invert" and isinstance(a.type, BoolType):
        return replace(
            a, expr=negation(a.expr, cx.span(node) if hasattr(node, "lineno") else a.expr.span), roots=()
        )
    type_ = INT32 if isinstance(a.type, BoolType) else a.type
    return replace(a, expr=n.Unary(op, a.expr, type_, cx.span(node)), roots=())


def negation(e: n.Expr, span: Any) -> n.Expr:
    """The negation of a condition."""
    if isinstance(e, n.Const):
        return n.Const(not e.value, BOOL)
    if isinstance(e, n.Unary) and e.op == "not":
        return e.operand
    return n.Unary("not", e, BOOL, span)


# --- comparisons and conditions


def compare(cx: Context, op: str, a: Value, b: Value, node: ast.AST) -> Tile:
    """A comparison; of values that are no numbers it is an unknown of the whole launch."""
    known = _known(op, a, b)
    if known is not None:
        return Tile(n.Const(known, BOOL), weak=True)
    if _wordy(a) or _wordy(b):
        return _worded(cx, op, a, b, node)
    if is_none(a) or is_none(b):
        return Tile(n.Const(op == "ne", BOOL), weak=True)
    x, y = tile(cx, a, node), tile(cx, b, node)
    measured(cx, x)
    measured(cx, y)
    if isinstance(x.expr, n.Const) and isinstance(y.expr, n.Const):
        folded = fold(op, x.expr.value, y.expr.value)
        if folded is not None and not x.shape and not y.shape:
            return Tile(folded, weak=True)
    (p, q), shape = shapes.together(cx, x, y)
    return Tile(n.Compare(op, p.expr, q.expr, cx.span(node)), shape, x.weak and y.weak)


def _known(op: str, a: Value, b: Value) -> bool | None:
    """Comparisons of types and functions that the source settles."""
    if (
        isinstance(a, DType)
        and isinstance(b, DType)
        and a.type != UNKNOWN
        and b.type != UNKNOWN
        and op in ("eq", "ne")
    ):
        return (a.text == b.text) == (op == "eq") if a.text and b.text else None
    if isinstance(a, Function) and isinstance(b, Function) and op in ("eq", "ne"):
        return (a == b) == (op == "eq")
    return None


def _wordy(value: Value) -> bool:
    """Whether the value is a string, type, function or other thing that is no number."""
    if isinstance(value, Tile):
        return isinstance(value.expr, n.Const) and isinstance(value.expr.value, str)
    return isinstance(value, (DType, Function, Named))


def _worded(cx: Context, op: str, a: Value, b: Value, node: ast.AST) -> Tile:
    for v in (a, b):
        if isinstance(v, Tile):
            cx.kinds.texts.update(v.roots)
    positive = f"{describe(a)} == {describe(b)}"
    e: n.Expr = n.Opaque(positive, (), BOOL, span=cx.span(node))
    return Tile(negation(e, cx.span(node)) if op == "ne" else e, weak=True)


def describe(value: Value) -> str:
    """A compile-time value as a user would write it."""
    if isinstance(value, Tile):
        if isinstance(value.expr, n.Const):
            return repr(value.expr.value)
        return value.expr.name if isinstance(value.expr, (n.Var, n.Opaque)) else "value"
    return value.text if isinstance(value, Unresolved) else name_of(value)


def identical(cx: Context, a: Value, b: Value, node: ast.AST) -> Tile:
    """`a is b`; a parameter that may be None is an unknown of the whole launch."""
    for x, y in ((a, b), (b, a)):
        if is_none(y):
            return _is_none(cx, x, node)
    return compare(cx, "eq", a, b, node)


def _is_none(cx: Context, value: Value, node: ast.AST) -> Tile:
    if is_none(value):
        return Tile(n.Const(True, BOOL), weak=True)
    name = ""
    if isinstance(value, Pointer) and value.base in cx.params and integer(value.offset) == 0:
        name = value.base
    elif isinstance(value, Window) and value.hosted:
        name = value.base.base
    elif isinstance(value, Unresolved):
        name = value.text
    elif isinstance(value, Tile) and isinstance(value.expr, n.Var) and value.expr.name in cx.params:
        name = value.expr.name
    passed_on = bool(cx.frame.label) and name in cx.kinds.integers
    if not name or passed_on:
        return Tile(n.Const(False, BOOL), weak=True)
    return Tile(n.Opaque(f"{name} is None", (), BOOL, span=cx.span(node)), weak=True)


def truth(cx: Context, value: Value, node: ast.AST) -> Tile:
    """The value as a condition."""
    if isinstance(value, Tuple):
        return Tile(n.Const(bool(value.items), BOOL), weak=True)
    if isinstance(value, Unresolved):
        value = closure(cx, value, node)
    if not isinstance(value, Tile):
        return Tile(n.Const(True, BOOL), weak=True)
    e = value.expr
    if isinstance(e, n.Const):
        return Tile(n.Const(bool(e.value), BOOL), value.shape, weak=True)
    if isinstance(e.type, BoolType):
        return value
    if isinstance(e, n.Var) and isinstance(e.type, Unknown) and e.name in cx.params:
        cx.kinds.flags.add(e.name)
        return replace(value, expr=n.Var(e.name, BOOL, e.span), roots=())
    zero = n.Const(0, e.type if isinstance(e.type, IntType) else INT64)
    return replace(value, expr=n.Compare("ne", e, zero, cx.span(node)), roots=())


def logic(cx: Context, op: str, parts: list[Tile], node: ast.AST) -> Tile:
    """A conjunction or disjunction, folded where operands are known."""
    neutral = op == "and"
    kept: list[Tile] = []
    for p in parts:
        if isinstance(p.expr, n.Const) and not p.shape:
            if bool(p.expr.value) != neutral:
                return Tile(n.Const(not neutral, BOOL), weak=True)
            continue
        kept.append(p)
    if not kept:
        return Tile(n.Const(neutral, BOOL), weak=True)
    if len(kept) == 1:
        return kept[0]
    over, shape = shapes.together(cx, *kept)
    return Tile(n.Logic(op, tuple(p.expr for p in over), cx.span(node)), shape, all(p.weak for p in kept))


# --- conversions


def cast(cx: Context, a: Tile, type_: Type, node: ast.AST) -> Tile:
    """`a.to(type)`: a run-time value of that type."""
    e = a.expr
    if e.type == type_ and not isinstance(type_, Unknown):
        return replace(a, weak=False)
    if isinstance(e, n.Const) and isinstance(e.value, (int, float)):
        known = constant_of(e.value, type_)
        if known is not None:
            return Tile(known, a.shape)
    if isinstance(type_, BoolType):
        return replace(truth(cx, a, node), weak=False)
    return replace(
        a, expr=n.Cast(e, type_, cx.span(node)), weak=False, roots=a.roots if type_ == INT64 else ()
    )


def strong(a: Tile) -> Tile:
    """A compile-time value as the run-time value that it becomes in a local which changes."""
    if not a.weak or is_none(a):
        return a
    type_ = a.type
    if type_ in (INT64, UNKNOWN) and isinstance(a.expr, n.Const) and isinstance(a.expr.value, int):
        value = int(a.expr.value)
        type_ = INT32 if INT32.lo <= value <= INT32.hi else INT64
        return replace(a, expr=n.Const(value, type_, a.expr.span), weak=False)
    if isinstance(type_, FloatType):
        type_ = FLOAT32
        if isinstance(a.expr, n.Const):
            return replace(a, expr=replace(a.expr, type=FLOAT32), weak=False)
    if type_ == INT64:
        type_ = INT32
    return replace(a, weak=False)


def choose(cx: Context, condition: Tile, a: Tile, b: Tile, node: ast.AST) -> Tile:
    """`a if condition else b` for each element; both sides are evaluated."""
    if isinstance(condition.expr, n.Const) and not condition.shape:
        shape = shapes.common([a.shape, b.shape])
        return shapes.broadcast(cx, a if condition.expr.value else b, shape)
    type_, weak = result("add", a, b)
    if a.weak and b.weak and a.type == b.type:
        type_ = a.type
    flags = a.type == b.type == BOOL and not (a.shape or b.shape) and a.expr != b.expr
    if flags and isinstance(a.expr, n.Const) and isinstance(b.expr, n.Const):
        e = condition.expr if a.expr.value else negation(condition.expr, cx.span(node))
        return replace(condition, expr=e, roots=())
    (c, x, y), shape = shapes.together(cx, condition, a, b)
    roots = tuple(dict.fromkeys(a.roots + b.roots))
    return Tile(n.Choose(c.expr, x.expr, y.expr, type_, cx.span(node)), shape, weak and condition.weak, roots)
