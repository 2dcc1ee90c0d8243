"""Attributes of host objects: `self.f`, `config.make()` of an annotated parameter, methods by their name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpulint.frontend.numba.values import Function, Value
from gpulint.frontend.shared.syntax import own_returns
from gpulint.source.model import Binding, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World

MAX_CLASSES = 6
MAX_DEPTH = 6


def member(world: World, node: ast.Attribute, scope: Scope) -> list[Value]:
    """What an attribute of an object may be: methods, and what code of its class's module stores there.

    Every store counts, the class's own and those on other objects with an attribute of that name, and so do
    the classes that override it; methods that only raise are none of them. Sound as long as no code out of
    view stores or overrides the attribute, as for any name of a module.
    """
    out: list[Value] = []
    classes = _classes(world, node.value, scope, 0) or _defining(world, node.attr, scope)
    for cls in dict.fromkeys((*classes, *_overriding(world, classes, node.attr))):
        for value in _of_class(world, cls, node.attr, 0):
            if value not in out and not _abstract(value):
                out.append(value)
    return out


def _overriding(world: World, classes: list[Scope], name: str) -> list[Scope]:
    """The classes of the package below those given that define or store the attribute anew."""
    below, todo = dict.fromkeys(classes), list(classes)
    while todo:
        top = todo.pop()
        for cls in _subclasses(world, top):
            if cls not in below:
                below[cls] = None
                todo.append(cls)
    return [c for c in below if c not in classes and (name in c.bindings or _stores(c, name))]


def _stores(cls: Scope, name: str) -> bool:
    return any(t.attr == name and s.parent is cls for t, _, s in cls.module.stores)


def _subclasses(world: World, cls: Scope) -> list[Scope]:
    own = getattr(cls.node, "name", "")
    return [
        s
        for module in world.project.package(cls.module, own, rf"class\s+\w+\s*\([^)]*\b{own}\b")
        for s in module.scopes.values()
        if isinstance(s.node, ast.ClassDef) and any(_mentions(b, own) for b in s.node.bases)
        if cls in _bases(world, s)
    ]


def _mentions(base: ast.expr, name: str) -> bool:
    return name in (getattr(base, "id", ""), getattr(base, "attr", ""))


def _abstract(value: Value) -> bool:
    """Whether it is a method that only raises, for subclasses to override."""
    body = value.node.body if isinstance(value, Function) and isinstance(value.node, ast.FunctionDef) else []
    rest = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return bool(rest) and all(isinstance(s, ast.Raise) for s in rest)


def _defining(world: World, name: str, scope: Scope) -> list[Scope]:
    """The classes of the package with a method of that name, for an object of which nothing else is known.

    Class hierarchy analysis by name: the object has to have the method (or what a class stores in itself
    under the name), and these are all that there are in view. Methods without a result (abstract ones) are
    left out; several classes give a choice.
    """
    out = [
        s
        for module in world.project.package(scope.module, f"def {name}(")
        for s in module.scopes.values()
        if isinstance(s.node, ast.ClassDef) and any(_gives(b.node) for b in s.bindings.get(name, ()))
    ]
    for module in world.project.package(scope.module, f".{name} ="):
        for target, _, where in module.stores:
            if (
                target.attr == name
                and where.parent is not None
                and isinstance(where.parent.node, ast.ClassDef)
            ):
                out.append(where.parent)
    return list(dict.fromkeys(out))


def _gives(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(s.value is not None for s in own_returns(node))


def bound(method: Scope, call: ast.Call) -> bool:
    """Whether a call of a method gives it the object that it is an attribute of."""
    node, outer = method.node, method.parent
    if outer is None or not isinstance(outer.node, ast.ClassDef) or not isinstance(node, ast.FunctionDef):
        return False
    marks = {getattr(d, "id", "") for d in node.decorator_list}
    return isinstance(call.func, ast.Attribute) and "staticmethod" not in marks


def _of_class(world: World, cls: Scope, name: str, depth: int) -> Iterator[Value]:
    bindings = cls.bindings.get(name, [])
    for b in bindings:
        if b.kind == "function" and isinstance(b.node, ast.FunctionDef):
            yield Function(b.node, cls.module.scopes[b.node])
        elif b.value is not None:
            yield world.value(b.value, b.scope)
    stored = [(value, scope) for target, value, scope in cls.module.stores if target.attr == name]
    for value, scope in stored:
        yield world.value(value, scope)
    if not bindings and not stored and depth < MAX_DEPTH:
        for base in _bases(world, cls):
            yield from _of_class(world, base, name, depth + 1)


def _classes(world: World, owner: ast.expr, scope: Scope, depth: int) -> list[Scope]:
    """The classes that an object may have; empty when one is not known."""
    if depth > MAX_DEPTH:
        return []
    if isinstance(owner, ast.Name):
        found = [_class_of(world, b, scope, depth) for b in scope.lookup(owner.id)]
    elif isinstance(owner, ast.Attribute):
        found = [_held(world, c, owner.attr, depth) for c in _classes(world, owner.value, scope, depth + 1)]
    elif isinstance(owner, ast.Call):
        found = [_named(world, owner.func, scope)]
    else:
        found = []
    flat = [c for part in found for c in part]
    return list(dict.fromkeys(flat)) if all(found) and len(flat) <= MAX_CLASSES else []


def _class_of(world: World, b: Binding, scope: Scope, depth: int) -> list[Scope]:
    if b.kind == "assign" and b.value is not None:
        return _classes(world, b.value, b.scope, depth + 1)
    if b.kind != "param" or not isinstance(b.node, ast.arg):
        return []
    at: Scope | None = scope
    while at is not None and not any(own is b for own in at.bindings.get(b.name, ())):
        at = at.parent
    return _of_parameter(world, b.node, at) if at is not None else []


def _of_parameter(world: World, arg: ast.arg, function: Scope) -> list[Scope]:
    """The class of `self`, or the one that the annotation names, here or in the method that is overridden."""
    cls = function.parent
    method = cls is not None and isinstance(cls.node, ast.ClassDef)
    node = function.node
    if not isinstance(node, ast.FunctionDef) or cls is None:
        return []
    if method and node.args.args and node.args.args[0] is arg:
        marks = {getattr(d, "id", "") for d in node.decorator_list}
        return [] if marks & {"staticmethod", "classmethod"} else [cls]
    if arg.annotation is not None:
        return _named(world, arg.annotation, cls)
    for base in _bases(world, cls) if method else ():
        for b in base.bindings.get(node.name, ()):
            if isinstance(b.node, ast.FunctionDef):
                above = {a.arg: a.annotation for a in b.node.args.args}
                annotation = above.get(arg.arg)
                return _named(world, annotation, base) if annotation is not None else []
    return []


def _held(world: World, cls: Scope, name: str, depth: int) -> list[Scope]:
    """The classes of what is stored in an attribute; None stands for an object that comes later."""
    out: list[Scope] = []
    for target, value, scope in cls.module.stores:
        if target.attr != name or (isinstance(value, ast.Constant) and value.value is None):
            continue
        found = _classes(world, value, scope, depth + 1)
        if not found:
            return []
        out += found
    return out


def _named(world: World, node: ast.expr, scope: Scope) -> list[Scope]:
    """The class that an expression names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
    found = [b for b in world.project.definitions(node, scope) if b.kind == "class"]
    inner = [b.scope.module.scopes.get(b.node) for b in found]
    return [s for s in inner if s is not None]


def _bases(world: World, cls: Scope) -> list[Scope]:
    node, outer = cls.node, cls.parent
    if not isinstance(node, ast.ClassDef) or outer is None:
        return []
    return [c for base in node.bases[:MAX_CLASSES] for c in _named(world, base, outer)]
