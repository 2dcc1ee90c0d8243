"""The dotted names under which a module's own code knows its compiled functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from gpulint.source.model import Binding, Module, Scope
from gpulint.source.resolve import Project, chain_of
from gpulint.source.wraps import enclosing_class, member, returned

Held = TypeVar("Held")
_MAX_DEPTH = 12
_MAX_STEPS = 50_000


class Names(Generic[Held]):
    """Follows assignments, attributes, tuples and factory functions from compiled functions to names.

    `functions` are the decorated functions, `calls` the calls that compile one. A name is the
    qualified name of the scope and the variable (`make.k`); `self.k = ...` gives `Class.k`. Left
    out: containers, and names in other modules.
    """

    def __init__(
        self,
        module: Module,
        project: Project,
        functions: Mapping[ast.AST, Held],
        calls: Mapping[ast.Call, list[Held]],
    ) -> None:
        self.module = module
        self.project = project
        self.functions = functions
        self.calls = calls
        self._active: set[ast.AST] = set()
        self._steps = 0
        self._instance: dict[tuple[Scope, str], list[tuple[ast.expr, Scope]]] = {}
        for target, value, scope in module.stores:
            owner = enclosing_class(target.value, scope)
            if owner is not None:
                self._instance.setdefault((owner, target.attr), []).append((value, scope))

    def all(self) -> Iterator[tuple[str, Held]]:
        """Every name with what it may hold."""
        for scope in self.module.scopes.values():
            for bindings in scope.bindings.values():
                for b in bindings:
                    if b.kind in ("assign", "unpack") and b.value is not None:
                        for held in self._value(b.value, b.scope, 0, b.index):
                            yield _qualified(scope, b.name), held
        for target, value, scope in self.module.stores:
            name = self._attribute(target, scope)
            for held in self._value(value, scope, 0) if name else ():
                yield name, held

    def _attribute(self, target: ast.Attribute, scope: Scope) -> str:
        owner = enclosing_class(target.value, scope)
        if owner is not None:
            return f"{owner.qualname}.{target.attr}"
        for b in self.project.definitions(target.value, scope):
            if b.kind in ("class", "assign", "function", "param") and b.scope.module is self.module:
                return f"{_qualified(b.scope, b.name)}.{target.attr}"
        return ""

    def _value(self, expr: ast.expr, scope: Scope, depth: int, index: tuple[int, ...] = ()) -> list[Held]:
        """The compiled functions that an expression may be (or hold at `index`)."""
        self._steps += 1
        if depth > _MAX_DEPTH or self._steps > _MAX_STEPS:
            return []
        if isinstance(expr, ast.IfExp):
            parts = (expr.body, expr.orelse)
            return [h for part in parts for h in self._value(part, scope, depth + 1, index)]
        if isinstance(expr, (ast.Tuple, ast.List)) and index:
            inside = expr.elts[index[0]] if index[0] < len(expr.elts) else None
            return self._value(inside, scope, depth + 1, index[1:]) if inside is not None else []
        if isinstance(expr, ast.Call):
            return self._call(expr, scope, depth, index)
        if isinstance(expr, (ast.Name, ast.Attribute)):
            return self._name(expr, scope, depth, index)
        return []

    def _call(self, call: ast.Call, scope: Scope, depth: int, index: tuple[int, ...]) -> list[Held]:
        if call in self.calls:
            return [] if index else self.calls[call]
        out: list[Held] = []
        for b in self._definitions(call.func, scope):
            node = b.node
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node in self._active:
                continue
            self._active.add(node)
            inner = b.scope.module.scopes[node]
            for value in returned(node):
                out.extend(self._value(value, inner, depth + 1, index))
            self._active.discard(node)
        return out

    def _name(self, expr: ast.expr, scope: Scope, depth: int, index: tuple[int, ...]) -> list[Held]:
        out: list[Held] = []
        for b in self._definitions(expr, scope):
            if b.kind == "function" and b.node in self.functions and not index:
                out.append(self.functions[b.node])
            elif b.kind in ("assign", "unpack") and b.value is not None and b.value not in self._active:
                self._active.add(b.value)
                out.extend(self._value(b.value, b.scope, depth + 1, (*b.index, *index)))
                self._active.discard(b.value)
        owner = enclosing_class(expr.value, scope) if isinstance(expr, ast.Attribute) else None
        if owner is not None and isinstance(expr, ast.Attribute):
            for value, where in self._instance.get((owner, expr.attr), []):
                if value not in self._active:
                    self._active.add(value)
                    out.extend(self._value(value, where, depth + 1, index))
                    self._active.discard(value)
        return out

    def _definitions(self, expr: ast.expr, scope: Scope) -> list[Binding]:
        """Bindings within this module; a compiled function of this module hides in no other."""
        own = member(expr, scope) if isinstance(expr, ast.Attribute) else []
        chain = chain_of(expr)
        if chain is None or all(b.kind == "import" for b in scope.lookup(chain[0])):
            return []
        found = own or self.project.definitions(expr, scope)
        return [b for b in found if b.scope.module is self.module]


def _qualified(scope: Scope, name: str) -> str:
    return f"{scope.qualname}.{name}" if scope.qualname else name
