"""What the callers in view pass for a parameter of host code: functions that factories are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpulint.frontend.numba.values import Choices, Function, Named, Value
from gpulint.source.model import Binding, Module, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World

MAX_CALLS = 64


def passed(world: World, b: Binding, scope: Scope) -> list[Value] | None:
    """The functions that the calls in view pass for the parameter `b`, seen from `scope`.

    None unless every such call passes a function that is known. A number is never taken from callers, since
    others may pass any other one; which functions a factory is made for is what its module says, and where
    that never calls it, its package. Callers elsewhere pass functions of their own: what comes of it rests
    on the assumption `functions-in-view`.
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
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][1 if _class(owner) else 0 :]
    own = [(_argument(call, names, b), scope) for call, scope in _calls(world, owner, node, owner.module)]
    yield from own
    made = _made(owner, node)
    outer = owner.parent if made is node else owner.parent and owner.parent.parent
    if own or outer is not owner.module.scope:
        return
    for module in world.project.package(owner.module, f"{made.name}("):
        if module is not owner.module:
            for call, scope in _calls(world, owner, node, module):
                yield _argument(call, names, b), scope


def _calls(
    world: World, owner: Scope, node: ast.FunctionDef, module: Module
) -> Iterator[tuple[ast.Call, Scope]]:
    """The calls of a function or method in a module; those of a class for how it is made."""
    made = _made(owner, node)
    for call, scope in module.calls:
        if getattr(call.func, "attr", getattr(call.func, "id", "")) != made.name:
            continue
        if _class(owner) and made is node:
            if _own_method(call, owner, scope):
                yield call, scope
        elif any(d.node is made for d in world.project.definitions(call.func, scope)):
            yield call, scope


def _class(owner: Scope) -> ast.ClassDef | None:
    node = owner.parent.node if owner.parent is not None else None
    return node if isinstance(node, ast.ClassDef) else None


def _made(owner: Scope, node: ast.FunctionDef) -> ast.ClassDef | ast.FunctionDef:
    """What callers name: the class of `__init__`, or the function."""
    return (_class(owner) or node) if node.name == "__init__" else node


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
