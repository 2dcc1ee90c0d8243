"""Functions of readable source are followed into, a few levels deep."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from gpulint.frontend.host.cells import lost
from gpulint.frontend.host.closures import running
from gpulint.frontend.host.elements import exposed
from gpulint.frontend.host.machine import MAX_CALLS, Frame, Machine, text_of
from gpulint.frontend.host.objects import class_attribute
from gpulint.frontend.host.state import State, merge, merge_values
from gpulint.frontend.host.values import NONE, Class, Const, Function, Map, Seq, Unknown, Value
from gpulint.frontend.shared.decorators import transparent
from gpulint.term import and_

MAX_SMALL = 20  # statements of a function that is followed for its value alone


def follow(
    m: Machine, s: State, fn: Function, args: Sequence[Value], kw: dict[str, Value], node: ast.Call
) -> Value:
    """The value that the function returns for these arguments; its launches are recorded under this call."""
    text = text_of(node)
    fn = running(m, s, fn)
    active = any(f.function is not None and f.function.node is fn.node for f in m.frames)
    shape = m.once(fn.node, _shape)
    worthwhile = shape.statements <= MAX_SMALL or id(fn.node) in m.launching
    if active or len(m.calls) >= MAX_CALLS or shape.suspends or not worthwhile or not _direct(m, fn):
        for v in (*args, *kw.values(), *((fn.bound,) if fn.bound is not None else ())):
            exposed(s, v)
            lost(s, v)
        return m.opaque(text, "is recursive" if active else "is not followed")
    inner = s.copy()
    inner.env, inner.defs = {}, {}
    inner.env = bind(m, fn, args, kw, node, inner)
    m.inlined.add(id(node))
    m.calls.append(m.span(node))
    m.frames.append(Frame(fn))
    try:
        returns = _run(m, fn, inner)
    finally:
        m.frames.pop()
        m.calls.pop()
    return joined(m, s, returns, text)


def _direct(m: Machine, fn: Function) -> bool:
    """Whether decorators let a call reach the function as it is."""
    marks = getattr(fn.node, "decorator_list", [])
    key = (id(fn.node), transparent)
    if key not in m.facts_of:
        outer = fn.scope.parent or fn.scope
        m.facts_of[key] = (fn.node, not marks or transparent(m.project, marks, outer))
    return bool(m.facts_of[key][1])


@dataclass(frozen=True)
class Shape:
    """What decides whether a function is followed."""

    suspends: bool
    statements: int


def _shape(node: ast.AST) -> Shape:
    nodes = own_nodes(node)
    suspends = any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in nodes)
    statements = sum(isinstance(n, ast.stmt) for n in nodes)
    return Shape(suspends or isinstance(node, ast.AsyncFunctionDef), statements)


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """The nodes of a function without those of functions nested in it."""
    out: list[ast.AST] = []
    stack = list(ast.iter_child_nodes(node))
    while stack:
        n = stack.pop()
        out.append(n)
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(n))
    return out


def _run(m: Machine, fn: Function, inner: State) -> list[tuple[State, Value]]:
    if isinstance(fn.node, ast.Lambda):
        return [(inner, m.eval(inner, fn.node.body))]
    end = m.execute(m, inner, fn.node.body)
    returns = m.frames[-1].returns
    return [*returns, (end, NONE)] if end is not None else returns


def joined(m: Machine, s: State, returns: list[tuple[State, Value]], text: str) -> Value:
    """Joins the ways in which a function returned: the state after it, and the value."""
    if not returns:
        s.dead = True
        return m.opaque(text, "does not return")
    base = set(s.facts)
    for state, _ in returns:
        state.env, state.defs = {}, {}
    after, value = returns[-1]
    for state, other in reversed(returns[:-1]):
        cond = and_(*(f for f in state.facts if f not in base))
        after = merge(cond, state, after, m.named)
        value = merge_values(cond, other, value, text, m.named)
    s.heap, s.touched, s.changed, s.facts = after.heap, after.touched, after.changed, after.facts
    s.cells, s.moved = after.cells, after.moved
    return value


def bind(
    m: Machine, fn: Function, args: Sequence[Value], kw: dict[str, Value], node: ast.Call, inner: State
) -> dict[str, Value]:
    """The parameters' values; what a spread argument may give is unknown."""
    spec = fn.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = [*([fn.bound] if fn.bound is not None else []), *args]
    exprs: list[ast.expr | None] = [*([None] if fn.bound is not None else []), *node.args]
    env: dict[str, Value] = dict(zip(names, given, strict=False))
    for name, expr in zip(names, exprs, strict=False):
        if expr is not None and len(node.args) == len(args):
            inner.defs[name] = expr
    if spec.vararg is not None:
        env[spec.vararg.arg] = Seq(tuple(given[len(names) :]))
    known = {*names, *(a.arg for a in spec.kwonlyargs)}
    env.update({k: v for k, v in kw.items() if k in known})
    if spec.kwarg is not None:
        env[spec.kwarg.arg] = Map(tuple((Const(k), v) for k, v in kw.items() if k not in known))
    spread = any(k.arg is None for k in node.keywords) or any(isinstance(a, ast.Starred) for a in node.args)
    _defaults(m, fn, env, spread)
    return env


def _defaults(m: Machine, fn: Function, env: dict[str, Value], spread: bool) -> None:
    spec = fn.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    pairs = list(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=False))
    pairs += [(a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=False) if d is not None]
    defaults = dict(pairs)
    for name in (*names, *(a.arg for a in spec.kwonlyargs)):
        if name in env:
            continue
        if name in defaults and not spread:
            parent = fn.scope.parent or fn.scope
            outer = Function(fn.node, parent, fn.module, fn.closure, live=fn.closure)
            m.frames.append(Frame(outer))
            env[name] = m.eval(State(env=dict(fn.closure)), defaults[name])
            m.frames.pop()
        else:
            env[name] = m.opaque(name, "is not known at this call")


def instantiate(
    m: Machine, s: State, cls: Class, args: Sequence[Value], kw: dict[str, Value], node: ast.Call
) -> Value:
    """A new object: `__init__` is followed, so that its attributes are known."""
    made = Unknown(m.opaque(text_of(node), "is an object").name, False, "object", cls)
    init = class_attribute(m, cls, "__init__", made)
    if isinstance(init, Function):
        m.launching.add(id(init.node))
        follow(m, s, init, args, kw, node)
    return made
