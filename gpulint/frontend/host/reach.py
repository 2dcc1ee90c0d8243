"""The kernels that a module's host code can launch: its own, and those it imports; and whether it may any."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

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


def leads_to(host: Module, targets: Collection[Module], project: Project, words: Collection[str]) -> bool:
    """Whether some name of a file may mean a thing of the target modules, which define kernels named `words`.

    Followed are imports of those modules, of packages around them and of anything they define, through
    re-exports, and attributes named like a kernel. Left out: what functions of third modules return.
    """
    homes = tuple(f"{t.name}." for t in targets)
    read = False
    for scope in host.scopes.values():
        for name, bindings in scope.bindings.items():
            imports = [b for b in bindings if b.kind == "import" and b.target]
            if any(_around(b, homes) for b in imports):
                return True
            modules = {project.module_of(b.target, host) for b in imports} - {None}
            read |= bool(modules)
            asked = () if not imports else words if name == "*" else (name,)
            reached = (b for n in asked for b in project.definitions(ast.Name(n, ast.Load()), scope))
            if not modules.isdisjoint(targets) or any(b.scope.module in targets for b in reached):
                return True
    named = (n for n in ast.walk(host.tree) if isinstance(n, ast.Attribute) and n.attr in words)
    return read and any(b.scope.module in targets for n in named for b in project.definitions(n, host.scope))


def _around(b: Binding, homes: tuple[str, ...]) -> bool:
    """Whether an import names a package around a target module, or that module."""
    return any(home.startswith(f"{b.target}.") for home in homes)
