"""Names, constants, operators and conditions; reads of memory under a short circuit stand under an If."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.context import EXPRESSIONS, MAX_DEPTH, Context, Frame, NotHandled, expression
from gpulint.frontend.numba.merge import conditional
from gpulint.frontend.numba.types import unify
from gpulint.frontend.numba.values import SCALARS, Array, DType, Function, Named, Tuple, Unresolved, Value
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, FLOAT64, INT32, UNKNOWN

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
        value = cx.world.name(node, cx.frame.scope)
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
        return ops.negate(cx, test(cx, node.operand), node)
    operand = scalar(cx, node.operand)
    if isinstance(node.op, ast.UAdd):
        return operand
    return ops.unary(cx, "neg" if isinstance(node.op, ast.USub) else "invert", operand, node)


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
    for i, (op, right_node) in enumerate(zip(node.ops, node.comparators)):
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
    if not isinstance(a, (*SCALARS, Unresolved, Array)) or not isinstance(b, (*SCALARS, Unresolved, Array)):
        return _objects(cx, kind, a, b, node)
    return ops.compare(cx, kind, ops.scalar(cx, a, node), ops.scalar(cx, b, node), node)


def _objects(cx: Context, kind: str, a: Value, b: Value, node: ast.AST) -> n.Expr:
    if isinstance(a, (DType, Named, Function)) and isinstance(b, (DType, Named, Function)) and kind in ("eq", "ne"):
        if a == b and not (isinstance(a, DType) and a.type == UNKNOWN):
            return n.Const(kind == "eq", BOOL)
    return cx.opaque(f"objects {kind}", (), BOOL, node)


def _tuples_equal(cx: Context, a: Tuple, b: Tuple, kind: str, node: ast.AST) -> n.Expr:
    if len(a.items) != len(b.items):
        return n.Const(kind == "ne", BOOL)
    op = ast.Eq() if kind == "eq" else ast.NotEq()
    parts = [_compared(cx, op, u, v, node) for u, v in zip(a.items, b.items)]
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
    if isinstance(first, SCALARS) and first.type == BOOL or not isinstance(first, (*SCALARS, Unresolved)):
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
    out = choose(cx, condition, *((right, lambda: held) if op == "and" else (lambda: held, right)), node)
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
