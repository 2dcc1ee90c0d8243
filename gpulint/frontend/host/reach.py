"""The kernels that a module's host code can launch: its own, and those it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpulint.source.kernels import find
from gpulint.source.model import Binding, KernelSource, Module, Scope
from gpulint.source.resolve import Project

Memo = dict[Module, list[KernelSource]]


def kernels_in_reach(module: Module, project: Project, memo: Memo | None = None) -> list[KernelSource]:
    """What `sites` should be given: the module's kernels first, then imported ones.

    Imports are followed through readable modules. `memo` keeps the kernels of each module, so that
    a run over many files looks for them once.
    """
    memo = {} if memo is None else memo
    out = list(_found(module, project, memo))
    known = {id(k) for k in out}
    for b in _imported(module, project):
        for k in _found(b.scope.module, project, memo):
            if id(k) not in known and (k.node is b.node or b.name in k.names):
                known.add(id(k))
                out.append(k)
    return out


def _found(module: Module, project: Project, memo: Memo) -> list[KernelSource]:
    if module not in memo:
        memo[module] = find(module, project)
    return memo[module]


def _imported(module: Module, project: Project) -> Iterator[Binding]:
    """Definitions in other modules that imported names, or launched attributes of them, reach."""
    for scope in module.scopes.values():
        for name, bindings in scope.bindings.items():
            if any(b.kind == "import" for b in bindings):
                yield from _elsewhere(module, project, ast.Name(name, ast.Load()), scope)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            yield from _elsewhere(module, project, node.value, module.scope)


def _elsewhere(module: Module, project: Project, expr: ast.expr, scope: Scope) -> Iterator[Binding]:
    for b in project.definitions(expr, scope):
        if b.scope.module is not module:
            yield b
