"""What device functions do with their parameters, as facts of the arguments, and what they return."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from gpulint.frontend.numba.evidence import ROUNDS, Evidence
from gpulint.frontend.numba.facts import Facts
from gpulint.frontend.numba.syntax import added, path_of
from gpulint.frontend.shared.syntax import own_returns
from gpulint.source.model import FunctionNode, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World


class Callees(Evidence, ABC):
    """Evidence from calls; `source` is what the reading of expressions adds."""

    def __init__(self, world: World, scope: Scope) -> None:
        super().__init__()
        self.world, self.scope = world, scope

    @abstractmethod
    def source(self, value: ast.expr) -> tuple[str | None, int]:
        """The name that a value is a part of, and the axes that it lacks."""

    def returned(self, node: ast.Call) -> tuple[str | None, int]:
        """The argument a part of which a device function returns, and the axes that it lacks."""
        callee = self.callee(node)
        if callee is None:
            return None, 0
        inner, names = callee
        if inner.result is None:
            return None, 0
        name, dropped = inner.result
        given = {
            **dict(zip(names, node.args, strict=False)),
            **{k.arg: k.value for k in node.keywords if k.arg},
        }
        found, more = self.source(given[name]) if name in given else (None, 0)
        return found, dropped + more

    def result(self, function: FunctionNode) -> tuple[str, int] | None:
        """The parameter that the only return gives a part of."""
        if not isinstance(function, ast.FunctionDef):
            return None
        returns = own_returns(function)
        value = returns[0].value if len(returns) == 1 else None
        name, dropped = self.source(value) if value is not None else (None, 0)
        parameters = {a.arg for a in (*function.args.posonlyargs, *function.args.args)}
        for _ in range(ROUNDS):
            if name is None or name in parameters:
                break
            above = [(x, d) for x, row, d in self.arrays_of if row == name]
            name, dropped = (above[0][0], dropped + above[0][1]) if len(above) == 1 else (None, 0)
        return (name, dropped) if name is not None and name in parameters else None

    def number(self, node: ast.expr) -> None:
        name = path_of(node)
        if name is not None:
            self.fact(name).number = True

    def array_use(self, argument: ast.expr, rank: int) -> None:
        name, dropped = self.source(argument)
        if name is not None:
            f = self.fact(name)
            f.array, f.rank = True, max(f.rank, dropped + rank)

    def device_call(self, node: ast.Call) -> None:
        """What a device function does with its parameters holds for the arguments."""
        callee = self.callee(node)
        if callee is None:
            return
        inner, names = callee
        pairs = list(zip(names, node.args, strict=False)) + [(k.arg, k.value) for k in node.keywords if k.arg]
        for name, argument in pairs:
            self.passed(inner, name, argument)

    def callee(self, node: ast.Call) -> tuple[Facts, list[str]] | None:
        """What is known of the device function that is called, and its parameters."""
        from gpulint.frontend.numba.values import Choices, Function

        callee = self.world.name(node.func, self.scope)
        if isinstance(callee, Choices):
            callee = callee.options[0]
        if not isinstance(callee, Function) or isinstance(callee.node, ast.AsyncFunctionDef):
            return None
        names = [a.arg for a in (*callee.node.args.posonlyargs, *callee.node.args.args)]
        return self.world.facts(callee.node, callee.scope), names

    def passed(self, inner: Facts, name: str, argument: ast.expr) -> None:
        used = inner.get(name)
        if used.items:
            self.passed_tuple(inner, name, argument)
        elif used.array:
            self.array_use(argument, used.rank)
        elif used.record:
            path = path_of(argument)
            if path is not None:
                self.fact(path).record = True
                self.fact(path).fields |= used.fields
                for part in used.fields:
                    self.passed_field(inner, f"{name}.{part}", f"{path}.{part}")
        elif used.index:
            self.integers(argument)
        if used.number:
            self.number(argument)

    def passed_tuple(self, inner: Facts, name: str, argument: ast.expr) -> None:
        path = path_of(argument)
        if path is None or isinstance(argument, ast.Attribute):
            return
        self.fact(path).items = max(self.fact(path).items, inner.get(name).items)
        for i in range(inner.get(name).items):
            self.passed_field(inner, f"{name}[{i}]", f"{path}[{i}]")

    def passed_field(self, inner: Facts, name: str, path: str) -> None:
        used, mine = inner.get(name), self.fact(path)
        mine.array, mine.rank = mine.array or used.array, max(mine.rank, used.rank)
        mine.index = mine.index or used.index
        if used.items:
            mine.items = max(mine.items, used.items)
            for i in range(used.items):
                self.passed_field(inner, f"{name}[{i}]", f"{path}[{i}]")

    def integers(self, node: ast.expr) -> None:
        for name in added(node):
            self.fact(name).index = True
