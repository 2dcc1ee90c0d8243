"""Statements: how they move the state along, and where paths part and meet."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Sequence

from gpulint.frontend.host import loops
from gpulint.frontend.host.cells import lost
from gpulint.frontend.host.evaluate import condition
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.names import resolve
from gpulint.frontend.host.state import State, merge
from gpulint.frontend.host.stores import assign, augment, bind_target
from gpulint.frontend.host.values import NONE, Class, Function
from gpulint.term import not_

EXITS = frozenset({"exit", "_exit", "skip", "skipTest", "fail", "abort", "quit", "xfail"})
EXPECTS = ("raises", "assertRaises", "assertRaisesRegex")


def execute(m: Machine, s: State, body: Sequence[ast.stmt]) -> State | None:
    """The state after the statements; None when control never comes out at their end."""
    state: State | None = s
    for stmt in body:
        if state is None or state.dead:
            return None
        if not m.step():
            m.opaque("the rest of the function", "is too long to follow")
            return None
        handler = HANDLERS.get(type(stmt))
        if handler is not None:
            state = handler(m, state, stmt)
    return None if state is None or state.dead else state


def _expression(m: Machine, s: State, node: ast.Expr) -> State | None:
    m.eval(s, node.value)
    if isinstance(node.value, ast.Call):
        name = getattr(node.value.func, "attr", getattr(node.value.func, "id", ""))
        if name in EXITS:
            return None
    return s


def _assign(m: Machine, s: State, node: ast.Assign) -> State | None:
    assign(m, s, node.targets, node.value)
    return s


def _annotated(m: Machine, s: State, node: ast.AnnAssign) -> State | None:
    if node.value is not None:
        assign(m, s, [node.target], node.value)
    return s


def _augmented(m: Machine, s: State, node: ast.AugAssign) -> State | None:
    augment(m, s, node)
    return s


def _return(m: Machine, s: State, node: ast.Return) -> State | None:
    value = m.eval(s, node.value) if node.value is not None else None
    if m.frames and not s.dead:
        m.frames[-1].returns.append((s, value if value is not None else NONE))
    return None


def _raise(m: Machine, s: State, node: ast.Raise) -> State | None:
    return None


def _assert(m: Machine, s: State, node: ast.Assert) -> State | None:
    return s.assume(condition(m, s, node.test))


def _if(m: Machine, s: State, node: ast.If) -> State | None:
    cond = condition(m, s, node.test)
    yes = execute(m, s.copy().assume(cond), node.body)
    no = execute(m, s.copy().assume(not_(cond)), node.orelse)
    if yes is None or no is None:
        return yes if yes is not None else no
    return merge(cond, yes, no, m.named)


def _with(m: Machine, s: State, node: ast.With | ast.AsyncWith) -> State | None:
    expecting = quiet = False
    for item in node.items:
        value = m.eval(s, item.context_expr)
        func = item.context_expr.func if isinstance(item.context_expr, ast.Call) else item.context_expr
        name = getattr(func, "attr", getattr(func, "id", ""))
        expecting, quiet = expecting or name in EXPECTS, quiet or name == "suppress"
        if item.optional_vars is not None:
            bind_target(m, s, item.optional_vars, value, text_of(item.context_expr))
    if not expecting and not quiet:
        return execute(m, s, node.body)
    broken = _broken(m, s, node.body)
    m.expecting += expecting
    after = execute(m, s, node.body)
    m.expecting -= expecting
    return merge(None, broken, after, m.named) if after is not None else broken


def _broken(m: Machine, s: State, body: Sequence[ast.AST]) -> State:
    """What statements may leave behind that an exception ends anywhere."""
    return loops.forget(m, s.copy(), loops.assigned(body))


def _try(m: Machine, s: State, node: ast.Try) -> State | None:
    """Handlers start from what the body may have left behind anywhere within it; so does `finally`."""
    hit = _broken(m, s, node.body)
    end = execute(m, s, node.body)
    ends = [execute(m, end, node.orelse)] if end is not None else []
    if node.finalbody:
        execute(m, _broken(m, hit, node.handlers), node.finalbody)
    for handler in node.handlers:
        path = hit.copy()
        if handler.name:
            path.env[handler.name] = m.opaque(handler.name, "is an exception")
        ends.append(execute(m, path, handler.body))
    live = [e for e in ends if e is not None]
    if not live:
        return None
    out = live[0]
    for other in live[1:]:
        out = merge(None, out, other, m.named)
    return execute(m, out, node.finalbody)


def _function(m: Machine, s: State, node: ast.FunctionDef | ast.AsyncFunctionDef) -> State | None:
    kernel = m.decorated(node)
    scope = m.here.scopes.get(node)
    if kernel is not None:
        s.env[node.name] = kernel
    elif scope is not None:
        here = m.frames[-1].function if m.frames else None
        outer = {**here.closure, **(here.live or {})} if here is not None else {}
        function = Function(node, scope, m.here, ChainMap(s.env, outer))
        s.env[node.name] = function
        if m.frames and m.recording and len(m.frames) == 1:
            m.frames[-1].nested.append(function)
    return s


def _class(m: Machine, s: State, node: ast.ClassDef) -> State | None:
    s.env[node.name] = Class(node, m.here)
    return s


def _import(m: Machine, s: State, node: ast.Import | ast.ImportFrom) -> State | None:
    """Local imports: the name's own binding says what it is."""
    function = m.frames[-1].function if m.frames else None
    scope = function.scope if function is not None else m.module.scope
    for alias in node.names:
        name = (alias.asname or alias.name).split(".")[0]
        if name != "*":
            s.env[name] = resolve(m, ast.Name(name, ast.Load()), scope)
    return s


def _delete(m: Machine, s: State, node: ast.Delete) -> State | None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            s.env.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            lost(s, m.eval(s, target.value))
    return s


def _global(m: Machine, s: State, node: ast.Global | ast.Nonlocal) -> State | None:
    for name in node.names:
        s.env[name] = m.opaque(name, "is a global that is assigned")
    return s


def _leave(m: Machine, s: State, node: ast.stmt) -> State | None:
    if m.frames and m.frames[-1].breaks:
        m.frames[-1].breaks[-1].append(s)
    return None


def _match(m: Machine, s: State, node: ast.Match) -> State | None:
    """Each case on a path of its own, with unknown captures."""
    out: State | None = loops.forget(m, s.copy(), loops.assigned([node]))
    for case in node.cases:
        path = loops.forget(m, s.copy(), loops.assigned([case.pattern]))
        end = execute(m, path, case.body)
        if end is not None and out is not None:
            out = merge(None, out, end, m.named)
    return out


Handler = Callable[..., "State | None"]
HANDLERS: dict[type, Handler] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented,
    ast.Return: _return, ast.Raise: _raise, ast.Assert: _assert, ast.If: _if, ast.With: _with,
    ast.AsyncWith: _with, ast.Try: _try, ast.FunctionDef: _function, ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class, ast.Import: _import, ast.ImportFrom: _import, ast.Delete: _delete,
    ast.Global: _global, ast.Nonlocal: _global, ast.Break: _leave, ast.Continue: _leave, ast.Match: _match,
    ast.For: loops.for_loop, ast.AsyncFor: loops.for_loop, ast.While: loops.while_loop,
}  # fmt: skip
if hasattr(ast, "TryStar"):
    HANDLERS[ast.TryStar] = _try
