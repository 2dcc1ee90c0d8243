"""What goes around a compiled function: decorators that tune it, and whether only other kernels call it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gpulint.source.dialects import Dialect
from gpulint.source.model import FunctionNode, Module, Scope
from gpulint.source.resolve import Project
from gpulint.source.wraps import returned

_TUNED_BY = ("configs",)  # keywords that only a tuner takes, under whatever name a project has for it


def tuned(node: FunctionNode, scope: Scope, dialect: Dialect, project: Project) -> dict[str, ast.expr]:
    """The decorators of the function that tune it, by option (`autotune`, `heuristics`).

    More than one of a kind get the names `heuristics.2`, ... from the innermost out.
    """
    if not dialect.tuners or isinstance(node, ast.Lambda):
        return {}
    out: dict[str, ast.expr] = {}
    outer = scope.parent or scope
    for decorator in reversed(node.decorator_list):
        option = _option(decorator, outer, dialect, project)
        if option:
            count = sum(name.partition(".")[0] == option for name in out)
            out[f"{option}.{count + 1}" if count else option] = decorator
    return out


def _option(decorator: ast.expr, scope: Scope, dialect: Dialect, project: Project) -> str:
    if not isinstance(decorator, ast.Call):
        return ""
    known = dialect.tuners.get(project.dotted(decorator.func, scope) or "")
    if known is not None:
        return known
    return "autotune" if any(k.arg in _TUNED_BY for k in decorator.keywords) else ""


def gives_value(node: FunctionNode) -> bool:
    """Whether the function returns something, which a kernel cannot."""
    return any(not (isinstance(v, ast.Constant) and v.value is None) for v in returned(node))


def syncs(node: FunctionNode) -> bool:
    """Whether the function synchronises a group that it is given, which host code cannot pass."""
    names = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    return any(
        isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "sync"
        and isinstance(e.func.value, ast.Name) and e.func.value.id in names
        for e in ast.walk(node)
    )  # fmt: skip


def takes_functions(node: FunctionNode) -> bool:
    """Whether the function calls one of its parameters, as host code can pass a kernel no function."""
    names = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    inside = list(ast.walk(node))
    bound = {e.id for e in inside if isinstance(e, ast.Name) and not isinstance(e.ctx, ast.Load)}
    nested = {a.arg for e in inside if isinstance(e, ast.arguments) and e is not node.args for a in e.args}
    called = {e.func.id for e in inside if isinstance(e, ast.Call) and isinstance(e.func, ast.Name)}
    return bool(called & (names - bound - nested))


def called_by(module: Module, compiled: Iterable[ast.AST]) -> tuple[set[str], set[str], set[str]]:
    """Names that compiled functions call as functions, that host code launches, and that it hands on."""
    inside = set(compiled)
    called: set[str] = set()
    launched: set[str] = set()
    handed: set[str] = set()
    for call, scope in module.calls:
        if _within(scope, inside):
            called.add(_last(call.func))
            continue
        func = call.func
        if isinstance(func, (ast.Subscript, ast.Attribute)):
            launched.add(_last(func.value))
        handed.update(_last(a) for a in (*call.args, *(k.value for k in call.keywords)))
    return called - {""}, launched - {""}, handed - {""}


def _within(scope: Scope | None, functions: set[ast.AST]) -> bool:
    while scope is not None:
        if scope.node in functions:
            return True
        scope = scope.parent
    return False


def _last(expr: ast.expr) -> str:
    return expr.attr if isinstance(expr, ast.Attribute) else getattr(expr, "id", "")
