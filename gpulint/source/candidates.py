"""Which functions an expression that is handed to a compiler may name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpulint.source.model import Binding, FunctionNode, Module, Scope
from gpulint.source.resolve import Project
from gpulint.source.wraps import member

_MAX_DEPTH = 4
_MAX_FOUND = 64


class Candidates:
    """Finds the functions behind names, lambdas, loops over literal tuples, and parameters.

    A parameter stands for what the module's own calls of its function pass for it. Left out:
    calls from other modules, containers, and what `*args` carry.
    """

    def __init__(self, module: Module, project: Project) -> None:
        self.module = module
        self.project = project
        self._callers: dict[str, list[tuple[ast.Call, Scope]]] = {}

    def scopes(self, expr: ast.expr, scope: Scope) -> list[Scope]:
        """The scopes of the functions that the expression may name, each once."""
        return list(dict.fromkeys(self._find(expr, scope, 0)))[:_MAX_FOUND]

    def _find(self, expr: ast.expr, scope: Scope, depth: int) -> Iterator[Scope]:
        if depth > _MAX_DEPTH:
            return
        if isinstance(expr, ast.Lambda):
            yield scope.module.scopes[expr]
        elif isinstance(expr, ast.IfExp):
            yield from self._find(expr.body, scope, depth + 1)
            yield from self._find(expr.orelse, scope, depth + 1)
        elif isinstance(expr, (ast.Name, ast.Attribute)):
            own = member(expr, scope) if isinstance(expr, ast.Attribute) else []
            for b in own or self.project.definitions(expr, scope):
                yield from self._binding(b, scope, depth + 1)

    def _binding(self, b: Binding, scope: Scope, depth: int) -> Iterator[Scope]:
        if b.kind == "function":
            yield b.scope.module.scopes[b.node]
        elif b.kind == "assign" and isinstance(b.value, (ast.Lambda, ast.IfExp)):
            yield from self._find(b.value, b.scope, depth)
        elif b.kind == "loop" and isinstance(b.value, (ast.Tuple, ast.List)):
            for item in b.value.elts:
                part: ast.expr | None = item
                for i in b.index:
                    inside = part.elts if isinstance(part, (ast.Tuple, ast.List)) else []
                    part = inside[i] if i < len(inside) else None
                if part is not None:
                    yield from self._find(part, b.scope, depth)
        elif b.kind == "param":
            yield from self._passed(b, scope, depth)

    def _passed(self, b: Binding, scope: Scope, depth: int) -> Iterator[Scope]:
        owner: Scope | None = scope
        while owner is not None and b not in owner.bindings.get(b.name, []):
            owner = owner.parent
        if owner is None or not isinstance(owner.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        if b.value is not None:
            yield from self._find(b.value, b.scope, depth)
        for call, where in self._calls(owner.node.name):
            argument = _argument(owner, call, b.name)
            if argument is not None and self._calls_it(call.func, where, owner.node):
                yield from self._find(argument, where, depth)

    def _calls_it(self, func: ast.expr, scope: Scope, node: FunctionNode) -> bool:
        own = member(func, scope) if isinstance(func, ast.Attribute) else []
        return any(b.node is node for b in own or self.project.definitions(func, scope))

    def _calls(self, name: str) -> list[tuple[ast.Call, Scope]]:
        if not self._callers:
            for call, scope in self.module.calls:
                func = call.func
                last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                self._callers.setdefault(last, []).append((call, scope))
        return self._callers.get(name, [])


def _argument(owner: Scope, call: ast.Call, name: str) -> ast.expr | None:
    node = owner.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    method = owner.parent is not None and isinstance(owner.parent.node, ast.ClassDef)
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    bound = 1 if method and not static and isinstance(call.func, ast.Attribute) else 0
    at = names.index(name) - bound if name in names else -1
    if not 0 <= at < len(call.args) or any(isinstance(a, ast.Starred) for a in call.args[: at + 1]):
        return None
    return call.args[at]
