"""What may change an attribute of an object from outside the method that sets it: subclasses, other code."""

from __future__ import annotations

import ast

from gpulint.frontend.host.cells import changes
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.values import Class, Map, Seq, Value

MAX_BELOW = 64
BY_NAME = frozenset({"setattr", "delattr", "vars"})


def settled(m: Machine, cls: Class, name: str, value: Value | None = None) -> bool:
    """Whether the source in view gives the attribute nothing but what the class itself gives it once.

    Not where a subclass defines or stores it, other code stores it in an object that is not its own `self`,
    the class sets attributes by name, or the list that is its value is changed in place.
    """
    if isinstance(value, (Seq, Map)) and name in m.once(cls.module.tree, changes):
        return False
    if m.once(cls.node, _by_name) or name in m.once(cls.module.tree, _foreign):
        return False
    return not any({name, "*"} & m.once(below, _given) for below in _below(m, cls))


def stored(cls: ast.AST) -> frozenset[str]:
    """The attributes that some method of the class stores."""
    return frozenset(
        n.attr
        for n in ast.walk(cls)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, (ast.Store, ast.Del))
    )


def of_instances(cls: ast.ClassDef, node: ast.AST) -> bool:
    """Whether a class-level assignment is the default of a field of instances (a dataclass, a model)."""
    return isinstance(node, ast.AnnAssign) and bool(cls.decorator_list or cls.bases or cls.keywords)


def _below(m: Machine, cls: Class) -> list[ast.ClassDef]:
    """The classes of the package whose bases name this class, or one of those."""
    out: list[ast.ClassDef] = []
    seen, todo = {id(cls.node)}, [cls]
    while todo and len(out) < MAX_BELOW:
        top = todo.pop()
        own = top.node.name
        for module in m.project.package(top.module, own, rf"class\s+\w+\s*\([^)]*\b{own}\b"):
            for node in module.scopes:
                if isinstance(node, ast.ClassDef) and id(node) not in seen and _mentions(node, own):
                    seen.add(id(node))
                    out.append(node)
                    todo.append(Class(node, module))
    return out


def _mentions(node: ast.ClassDef, name: str) -> bool:
    return any(name in (getattr(b, "id", ""), getattr(b, "attr", "")) for b in node.bases)


def _given(cls: ast.AST) -> frozenset[str]:
    """The attributes that a class defines or stores."""
    assert isinstance(cls, ast.ClassDef)
    out = {n.attr for n in ast.walk(cls) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    for n in cls.body:
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            out.add(n.name)
        targets = n.targets if isinstance(n, ast.Assign) else [getattr(n, "target", None)]
        out |= {t.id for t in targets if isinstance(t, ast.Name)}
    return frozenset(out | ({"*"} if _by_name(cls) else set()))


def _by_name(cls: ast.AST) -> bool:
    return any(
        (isinstance(n, ast.Call) and getattr(n.func, "id", "") in BY_NAME)
        or (isinstance(n, ast.Attribute) and n.attr == "__dict__")
        for n in ast.walk(cls)
    )


def _foreign(tree: ast.AST) -> frozenset[str]:
    """The attributes that the module stores in anything but the `self` of a method."""
    out: set[str] = set()
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, own = stack.pop()
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            mine = bool(own) and isinstance(node.value, ast.Name) and node.value.id == own
            out |= set() if mine else {node.attr}
        for child in ast.iter_child_nodes(node):
            method = isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef)
            first = child.args.args[0].arg if method and child.args.args else own  # type: ignore[attr-defined]
            stack.append((child, first))
    return frozenset(out)
