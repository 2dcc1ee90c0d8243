"""Statements other than loops; what cannot be lowered becomes one `Unsupported` and the rest goes on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from gpulint.frontend.numba import conditions as cond
from gpulint.frontend.numba import expressions as ex
from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.assign import assign, augmented
from gpulint.frontend.numba.context import STATEMENTS, Context, statement
from gpulint.frontend.numba.inline import leave
from gpulint.frontend.numba.merge import conditional
from gpulint.frontend.numba.values import Array, Function, Tuple, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import UNKNOWN


def body(cx: Context, statements: Sequence[ast.stmt]) -> None:
    """Lowers statements in order, up to one that never falls through."""
    for s in statements:
        if cx.dead:
            return
        handler = STATEMENTS.get(type(s))
        index, depth = cx.index, cx.depth
        try:
            if handler is None:
                raise NotHandled(f"the statement {type(s).__name__.lower()}", s)
            handler(cx, s)
        except NotHandled as error:
            cx.index, cx.depth = index, depth
            unsupported(cx, error.reason, s, error.node)


def unsupported(cx: Context, reason: str, s: ast.AST, node: ast.AST | None = None) -> None:
    """Gives the statement up: its arrays may be touched anywhere, its targets hold anything."""
    arrays: dict[str, None] = {}
    targets: list[str] = []
    for e in ast.walk(s):
        if isinstance(e, ast.Name):
            arrays.update(dict.fromkeys(arrays_of(ex.local(cx, e.id))))
            if isinstance(e.ctx, ast.Store):
                targets.append(cx.claim(e.id))
                cx.frame.env[e.id] = n.Var(targets[-1], UNKNOWN)
    place = node if node is not None and hasattr(node, "lineno") else s
    cx.emit(n.Unsupported(reason, tuple(arrays), tuple(dict.fromkeys(targets)), cx.span(place)))


def arrays_of(value: Value | None) -> Iterable[str]:
    """The arrays that a value gives access to."""
    if isinstance(value, Array):
        yield value.name
    elif isinstance(value, Tuple):
        for v in value.items:
            yield from arrays_of(v)
    elif isinstance(value, Function) and value.frame is not None:
        for v in list(value.frame.env.values()):
            if not isinstance(v, Function):
                yield from arrays_of(v)


@statement(ast.Expr)
def expression_statement(cx: Context, s: ast.Expr) -> None:
    if not isinstance(s.value, ast.Constant):
        ex.lower(cx, s.value)
        cx.discard()


@statement(ast.Pass, ast.Global, ast.Delete, ast.ClassDef)
def nothing(cx: Context, s: ast.stmt) -> None:
    return None


@statement(ast.Import, ast.ImportFrom)
def import_(cx: Context, s: ast.stmt) -> None:
    return None


@statement(ast.FunctionDef)
def function(cx: Context, s: ast.FunctionDef) -> None:
    inner = cx.frame.module.scopes.get(s)
    if inner is not None:
        cx.frame.env[s.name] = Function(s, inner, cx.frame)


@statement(ast.Assign)
def assignment(cx: Context, s: ast.Assign) -> None:
    assign(cx, s.targets, s.value, s)


@statement(ast.AnnAssign)
def annotated(cx: Context, s: ast.AnnAssign) -> None:
    if s.value is not None:
        assign(cx, [s.target], s.value, s)


@statement(ast.AugAssign)
def augment(cx: Context, s: ast.AugAssign) -> None:
    augmented(cx, s)


@statement(ast.Return)
def return_(cx: Context, s: ast.Return) -> None:
    leave(cx, s)


@statement(ast.Raise)
def raise_(cx: Context, s: ast.Raise) -> None:
    """Ends the thread."""
    cx.emit(n.Leave("", cx.span(s)))
    cx.dead = True


@statement(ast.Assert)
def assert_(cx: Context, s: ast.Assert) -> None:
    condition = cond.test(cx, s.test)
    if not isinstance(condition, n.Const):
        cx.emit(n.Assume(condition, cx.span(s)))
    elif not condition.value:
        cx.emit(n.Leave("", cx.span(s)))
        cx.dead = True


@statement(ast.With)
def with_(cx: Context, s: ast.With) -> None:
    """Context managers have no meaning on the device; the body is lowered all the same."""
    cx.emit(n.Unsupported("a with statement", (), (), cx.span(s.items[0].context_expr)))
    body(cx, s.body)


@statement(ast.If)
def if_(cx: Context, s: ast.If) -> None:
    branch(cx, s.test, lambda: body(cx, s.body), lambda: body(cx, s.orelse), s)


def branch(
    cx: Context, test: ast.expr, then: Callable[[], None], other: Callable[[], None], s: ast.If
) -> None:
    """An if whose test may read memory under a short circuit: nested ifs where a body allows."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        turned = ast.copy_location(ast.If(test.operand, s.orelse, s.body), s)
        branch(cx, test.operand, other, then, turned)
        return
    if isinstance(test, ast.BoolOp) and _duplicable(s.orelse if isinstance(test.op, ast.And) else s.body):
        _cascade(cx, test, then, other, s)
        return
    conditional(cx, condition(cx, test), then, other, test)


def condition(cx: Context, test: ast.expr) -> n.Expr:
    """The condition; one that cannot be lowered is an unknown."""
    try:
        return cond.test(cx, test)
    except NotHandled as error:
        unsupported(cx, error.reason, test, error.node)
        return ops.truth(cx, cx.fresh("condition", UNKNOWN, test), test)


def _cascade(
    cx: Context, test: ast.BoolOp, then: Callable[[], None], other: Callable[[], None], s: ast.If
) -> None:
    """`a and x[i]` without an else as `if a: if x[i]:`; `a or x[i]` with a short body likewise."""
    parts: list[n.Expr] = []
    conjunction = isinstance(test.op, ast.And)
    op = "and" if conjunction else "or"
    for i, e in enumerate(test.values):
        with cx.capture() as written:
            value = condition(cx, e)
        if written and parts and not all(isinstance(w, n.Assign) for w in written):
            deeper = _deeper(cx, test, i, (written, value), (then, other), s)
            known = cond.combine(cx, op, parts, test)
            conditional(cx, known, deeper if conjunction else then, other if conjunction else deeper, test)
            return
        cx.out.extend(written)
        parts.append(value)
    conditional(cx, cond.combine(cx, op, parts, test), then, other, test)


def _deeper(
    cx: Context, test: ast.BoolOp, i: int, lowered: tuple[list[n.Stmt], n.Expr],
    branches: tuple[Callable[[], None], Callable[[], None]], s: ast.If,
) -> Callable[[], None]:  # fmt: skip
    """What is left of a junction from operand `i` on, which is already lowered."""
    written, value = lowered
    then, other = branches
    rest = test.values[i + 1 :]

    def rest_of_it() -> None:
        tail = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(test.op, rest), rest[0])
        branch(cx, tail, then, other, s)

    def run() -> None:
        cx.out.extend(written)
        conjunction = isinstance(test.op, ast.And)
        first = rest_of_it if rest and conjunction else then
        second = rest_of_it if rest and not conjunction else other
        conditional(cx, value, first, second, test.values[i])

    return run


def _duplicable(statements: Sequence[ast.stmt]) -> bool:
    """Whether a branch is short enough to be written twice."""
    for s in statements:
        if isinstance(s, ast.Return):
            if s.value is not None and not isinstance(s.value, (ast.Constant, ast.Name)):
                return False
        elif not isinstance(s, (ast.Break, ast.Continue, ast.Pass)):
            return False
    return True
