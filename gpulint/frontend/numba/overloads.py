"""Functions that are given to the compiler under another name: `@overload(f)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gpulint.frontend.numba.values import Function, Value
from gpulint.frontend.shared.syntax import own_returns
from gpulint.source.constants import fold
from gpulint.source.model import Module, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World

REGISTER = ("cuda.overload", "numba.overload")
HOSTS = ("cpu", "npyufunc")
Registered = tuple[str, ast.FunctionDef, Scope]  # the target, and the function that gives implementations


class Overloads:
    """What the modules in view register for plain functions.

    Numba calls no plain Python function from a kernel: one that is called either has an overload or is
    compiled under its own name. An overload for the target `cuda` goes before a general one. Left out:
    `overload(f)(g)` without decorator syntax, overloads of methods, and those of other modules.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._done: dict[Module, dict[ast.AST, list[Registered]]] = {}

    def of(self, f: ast.FunctionDef, *places: Scope) -> list[Value]:
        """What the registered functions return for `f`, in the modules of the places; empty without any."""
        found: list[Registered] = []
        for module in dict.fromkeys(p.module for p in places):
            found += self._registered(module).get(f, [])
        for_cuda = [r for r in found if r[0] == "cuda"]
        return [
            self.world.value(s.value, scope)
            for _, node, scope in for_cuda or found
            for s in own_returns(node)
            if s.value is not None
        ]

    def _registered(self, module: Module) -> dict[ast.AST, list[Registered]]:
        if module not in self._done:
            self._done[module] = {}
            if "overload" in module.text:
                self._read(module, self._done[module])
        return self._done[module]

    def _read(self, module: Module, out: dict[ast.AST, list[Registered]]) -> None:
        for node, scope in module.scopes.items():
            if not isinstance(node, ast.FunctionDef) or scope.parent is None:
                continue
            for d in node.decorator_list:
                target = self._target(d, scope.parent)
                if target is None or target in HOSTS:
                    continue
                assert isinstance(d, ast.Call)
                for b in self.world.project.definitions(d.args[0], scope.parent):
                    if b.kind == "function":
                        out.setdefault(b.node, []).append((target, node, scope))

    def _target(self, d: ast.expr, scope: Scope) -> str | None:
        """The target of a decorator that registers an overload; None for any other."""
        from gpulint.frontend.numba.world import canonical

        if not isinstance(d, ast.Call) or not d.args:
            return None
        dotted = self.world.project.dotted(d.func, scope)
        if dotted is None or canonical(dotted) not in REGISTER:
            return None
        given = next((k.value for k in d.keywords if k.arg == "target"), None)
        folded = fold(given, scope, self.world.project) if given is not None else None
        return str(folded.value) if folded is not None else "generic"


def implementations(values: list[Value]) -> list[Function] | None:
    """The functions that overloads give; None where one of them is not understood."""
    found = [v for v in values if isinstance(v, Function)]
    return found if found and len(found) == len(values) else None
