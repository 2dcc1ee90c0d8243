"""What the callers in view pass for a parameter of host code: functions that factories are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpulint.frontend.numba.values import Choices, Function, Named, Value
from gpulint.source.model import Binding, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World

MAX_CALLS = 64


def passed(world: World, b: Binding, scope: Scope) -> list[Value] | None:
    """The functions that the calls in the function's module pass for the parameter `b`, seen from `scope`.

    None unless every such call passes a function that is known. A number is never taken from callers, since
    others may pass any other one; which functions a factory is made for is what its module says. Left
    out: callers in other modules, which pass functions of their own.
    """
    owner = _owner(b, scope)
    if owner is None or not isinstance(owner.node, ast.FunctionDef):
        return None
    given = list(_arguments(world, owner, owner.node, b))
    if not given or len(given) > MAX_CALLS:
        return None
    out: list[Value] = []
    for expression, where in given:
        value = world.value(expression, where) if expression is not None else None
        if not isinstance(value, (Function, Choices, Named)):
            return None
        options = value.options if isinstance(value, Choices) else (value,)
        out += [o for o in options if o not in out]
    return out


def _owner(b: Binding, scope: Scope | None) -> Scope | None:
    """The scope that holds the binding."""
    while scope is not None and not any(own is b for own in scope.bindings.get(b.name, ())):
        scope = scope.parent
    return scope


def _arguments(
    world: World, owner: Scope, node: ast.FunctionDef, b: Binding
) -> Iterator[tuple[ast.expr | None, Scope]]:
    """The argument of each call for the parameter; None where it cannot be told."""
    method = owner.parent is not None and isinstance(owner.parent.node, ast.ClassDef)
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][1 if method else 0 :]
    for call, scope in owner.module.calls:
        called = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if called != node.name:
            continue
        if _own_method(call, owner, scope) if method else _calls(world, call, node, scope):
            yield _argument(call, names, b), scope


def _calls(world: World, call: ast.Call, node: ast.FunctionDef, scope: Scope) -> bool:
    return any(d.node is node for d in world.project.definitions(call.func, scope))


def _own_method(call: ast.Call, owner: Scope, scope: Scope) -> bool:
    """Whether it is `self.method(...)` within the method's class."""
    f: Scope | None = scope
    while f is not None and not (f.parent is not None and isinstance(f.parent.node, ast.ClassDef)):
        f = f.parent
    if f is None or f.parent is not owner.parent or not isinstance(call.func, ast.Attribute):
        return False
    args = f.node.args.args if isinstance(f.node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    receiver = call.func.value
    return bool(args) and isinstance(receiver, ast.Name) and receiver.id == args[0].arg


def _argument(call: ast.Call, names: list[str], b: Binding) -> ast.expr | None:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    for k in call.keywords:
        if k.arg == b.name:
            return k.value
    at = names.index(b.name) if b.name in names else len(call.args)
    return call.args[at] if at < len(call.args) else b.value
