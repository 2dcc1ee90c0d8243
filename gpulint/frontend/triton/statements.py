"""Statements other than loops; what cannot be lowered becomes one `Unsupported` and the rest goes on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import expressions as ex
from gpulint.frontend.triton.context import STATEMENTS, Context, statement, used
from gpulint.frontend.triton.merge import conditional
from gpulint.frontend.triton.values import (
    Pointer,
    Tile,
    Tuple,
    Unresolved,
    Value,
    Window,
    constant,
    leaves,
)
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, UNKNOWN


def body(cx: Context, statements: Sequence[ast.stmt]) -> None:
    """Lowers statements in order, up to one that never falls through."""
    for s in statements:
        if cx.dead:
            return
        handler = STATEMENTS.get(type(s))
        try:
            if handler is None:
                raise NotHandled(f"the statement {type(s).__name__.lower()}", s)
            handler(cx, s)
        except NotHandled as error:
            unsupported(cx, error.reason, s, error.node)


def unsupported(cx: Context, reason: str, s: ast.AST, node: ast.AST | None = None) -> None:
    """Gives the statement up: its arrays may be touched anywhere, its targets hold anything."""
    arrays: dict[str, None] = {}
    targets: list[str] = []
    for e in ast.walk(s):
        if isinstance(e, ast.Name):
            value = cx.frame.env.get(e.id)
            arrays.update(dict.fromkeys(arrays_of(value)))
            if isinstance(e.ctx, ast.Store):
                shape = value.shape if isinstance(value, Tile) else ()
                targets.append(cx.slot(e.id, len(shape)))
                cx.ranks[targets[-1]] = len(shape)
                cx.frame.env[e.id] = Tile(n.Var(targets[-1], UNKNOWN), shape)
    place = node if node is not None and hasattr(node, "lineno") else s
    span = cx.span(place) if place is not node or _own(cx, place) else cx.span(s)
    cx.emit(n.Unsupported(reason, tuple(arrays), tuple(dict.fromkeys(targets)), span))


def _own(cx: Context, node: ast.AST) -> bool:
    return getattr(node, "lineno", 0) <= len(cx.frame.module.lines)


def arrays_of(value: Value | None) -> Iterable[str]:
    """The arrays that a value may reach."""
    if isinstance(value, Pointer):
        yield value.base
    elif isinstance(value, Window):
        yield value.base.base
    elif isinstance(value, Tuple):
        for v in value.items:
            yield from arrays_of(v)


@statement(ast.Expr)
def expression_statement(cx: Context, s: ast.Expr) -> None:
    if isinstance(s.value, ast.Constant):
        return
    ex.lower(cx, s.value)
    last = cx.out[-1] if cx.out else None
    if isinstance(last, n.Atomic) and last.target in cx.movable:
        cx.movable.discard(last.target)
        cx.names.release(last.target)
        cx.out[-1] = replace(last, target="")


@statement(ast.Pass, ast.Global, ast.Delete, ast.Import, ast.ImportFrom)
def nothing(cx: Context, s: ast.stmt) -> None:
    return None


@statement(ast.FunctionDef)
def function(cx: Context, s: ast.FunctionDef) -> None:
    from gpulint.frontend.triton.values import Function

    inner = cx.frame.module.scopes.get(s)
    if inner is not None:
        cx.frame.env[s.name] = Function(s, inner)


# --- assignment


@statement(ast.Assign)
def assignment(cx: Context, s: ast.Assign) -> None:
    value = ex.lower(cx, s.value)
    for target in s.targets:
        store(cx, target, value, s)


@statement(ast.AnnAssign)
def annotated(cx: Context, s: ast.AnnAssign) -> None:
    if s.value is not None:
        store(cx, s.target, ex.lower(cx, s.value), s)


@statement(ast.AugAssign)
def augment(cx: Context, s: ast.AugAssign) -> None:
    if not isinstance(s.target, ast.Name):
        raise NotHandled(f"augmented assignment to a {type(s.target).__name__.lower()}", s)
    old = ex.lower(cx, ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
    cx.bind(s.target.id, ex.apply(cx, type(s.op), old, ex.lower(cx, s.value), s), cx.span(s))


def store(cx: Context, target: ast.expr, value: Value, node: ast.AST) -> None:
    """`target = value`."""
    if isinstance(target, ast.Name):
        if isinstance(value, Unresolved):
            cx.frame.env[target.id] = value
        else:
            cx.bind(target.id, value, cx.span(node))
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(cx, target, value, node)
    else:
        raise NotHandled(f"assignment to a {type(target).__name__.lower()}", target)


def _unpack(cx: Context, target: ast.Tuple | ast.List, value: Value, node: ast.AST) -> None:
    if isinstance(value, Tile) and len(value.roots) == 1 and value.expr == n.Var(value.roots[0], value.type):
        from gpulint.frontend.triton.attributes import item

        value = Tuple(tuple(item(cx, value, i, node) for i in range(len(target.elts))))
    if isinstance(value, Tile) and isinstance(value.expr, n.Var) and value.expr.name in cx.movable:
        value = _unknown_items(cx, value, len(target.elts), node)
    if not isinstance(value, Tuple):
        raise NotHandled("unpacking of something that is not a tuple", node)
    items = list(value.items)
    starred = next((i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
    if starred is not None:
        rest = len(items) - len(target.elts) + 1
        items = [*items[:starred], Tuple(tuple(items[starred : starred + rest])), *items[starred + rest :]]
    if len(items) != len(target.elts):
        raise NotHandled(f"{len(items)} values for {len(target.elts)} names", node)
    if len(items) > 1 and isinstance(node, ast.Assign) and isinstance(node.value, (ast.Tuple, ast.List)):
        bound = _locals(cx, target)
        items = [ex.spilled(cx, v, node) if _reads(v, bound) else v for v in items]
    for t, v in zip(target.elts, items, strict=True):
        store(cx, t.value if isinstance(t, ast.Starred) else t, v, node)


def _locals(cx: Context, target: ast.expr) -> set[str]:
    """The IR locals of the names that an assignment binds."""
    names = {e.id for e in ast.walk(target) if isinstance(e, ast.Name)}
    return {ir for key, ir in cx.frame.canonical.items() if key.partition("@")[0].partition(".")[0] in names}


def _reads(value: Value, names: set[str]) -> bool:
    return any(used(e) & names for _, e in leaves(value))


def _unknown_items(cx: Context, value: Tile, count: int, node: ast.AST) -> Tuple:
    """What a function that is not known returned, as several new values."""
    out: list[Value] = []
    for _ in range(count):
        e = n.Opaque("item", (value.expr,), UNKNOWN, True, value.rank, cx.span(node))
        out.append(cx.temp(Tile(e, value.shape), "item", cx.span(node)))
    return Tuple(tuple(out))


# --- control


@statement(ast.Return)
def return_(cx: Context, s: ast.Return) -> None:
    from gpulint.frontend.triton.inline import leave

    leave(cx, s)


@statement(ast.Raise)
def raise_(cx: Context, s: ast.Raise) -> None:
    """Fails compilation, so no launch comes here."""
    cx.emit(n.Leave("", cx.span(s)))
    cx.dead = True


@statement(ast.Assert)
def assert_(cx: Context, s: ast.Assert) -> None:
    if cx.kinds.asserted:
        assume(cx, ex.test(cx, s.test), s)


def assume(cx: Context, condition: Tile, node: ast.AST) -> None:
    """The condition of an assertion holds from here on; of a tile it holds for every element."""
    if isinstance(condition.expr, n.Const):
        if not condition.expr.value and not condition.shape:
            cx.emit(n.Leave("", cx.span(node)))
            cx.dead = True
        return
    if condition.shape:
        cx.emit(n.Effect("assert", (condition.expr,), cx.span(node)))
        return
    cx.sink(condition.expr)
    cx.emit(n.Assume(condition.expr, cx.span(node)))


@statement(ast.With)
def with_(cx: Context, s: ast.With) -> None:
    """Scopes for profilers and schedulers have no meaning for memory; the body is lowered all the same."""
    for item in s.items:
        try:
            found = ex.lower(cx, item.context_expr)
        except NotHandled:
            found = Tile(n.Const(None), weak=True)
        if item.optional_vars is not None:
            store(cx, item.optional_vars, found, s)
    body(cx, s.body)


@statement(ast.If)
def if_(cx: Context, s: ast.If) -> None:
    value = condition(cx, s.test)
    conditional(cx, value, lambda: body(cx, s.body), lambda: body(cx, s.orelse), s.test)


def condition(cx: Context, test: ast.expr) -> Tile:
    """The condition; one that cannot be lowered is an unknown."""
    try:
        value = ex.test(cx, test)
    except NotHandled as error:
        unsupported(cx, error.reason, test, error.node)
        value = cx.temp(Tile(n.Opaque("condition", (), BOOL, True)), "condition", cx.span(test))
    if value.shape:
        fixed = [s for s in value.shape if not (isinstance(s, n.Const) and s.value == 1)]
        if fixed:
            unsupported(cx, "a tile as the condition of a branch", test, test)
            return cx.temp(Tile(n.Opaque("condition", (), BOOL, True)), "condition", cx.span(test))
    if not isinstance(value.expr, n.Var) or constant(value) is not None:
        cx.sink(value.expr)
    return value
