"""What the locals of an enclosing function are when a function nested in it runs.

A name is looked up when the nested function runs, not when it is defined. Called from the enclosing function
itself it sees that one's locals as they are then (`running`). Called from elsewhere at a time that nobody
knows, it sees what is assigned before its definition and never again (`captured`).
"""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Function, Value
from gpulint.source.model import Binding, Scope


def running(m: Machine, s: State, fn: Function) -> Function:
    """The function with the locals that it sees when it is called here."""
    caller = m.frames[-1].function if m.frames else None
    if caller is None or caller.scope is fn.scope:
        return fn
    if fn.scope.parent is caller.scope:
        return replace(fn, live=s.env)
    return replace(fn, live=caller.live) if caller.scope.parent is fn.scope.parent and caller.live else fn


def captured(m: Machine, fn: Function, name: str) -> Value | None:
    """What the function sees under the name of an enclosing local; None when it is none."""
    held = fn.live if fn.live is not None and name in fn.live else fn.closure
    if name not in held:
        return None
    home = _home(fn.scope.parent, name)
    if home is not None and name in m.once(home.node, shared):
        return m.opaque(name, "is assigned by a nested function")
    if held is fn.closure and home is not None and _again(home.bindings[name], fn.node):
        return m.opaque(name, "is assigned again after the function that uses it")
    return held[name]


def shared(node: ast.AST) -> frozenset[str]:
    """The names that functions nested in this one assign (`nonlocal`)."""
    return frozenset(name for n in ast.walk(node) if isinstance(n, ast.Nonlocal) for name in n.names)


def _home(scope: Scope | None, name: str) -> Scope | None:
    while scope is not None:
        if name in scope.bindings and isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return scope
        scope = scope.parent
    return None


def _again(bindings: list[Binding], node: ast.AST) -> bool:
    """Whether a name that has several values gets one after the definition."""
    start = _place(node)
    return len(bindings) > 1 and any(_place(b.node) > start for b in bindings)


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
