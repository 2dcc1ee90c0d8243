"""Decorators in readable source: whether a call reaches the function as it would without."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Union

from gpulint.frontend.shared.syntax import own_returns
from gpulint.source.model import Scope
from gpulint.source.resolve import Project

AnyFunction = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]


def transparent(project: Project, marks: Sequence[ast.expr], scope: Scope) -> bool:
    """Whether decorators leave what the function takes and gives as it is.

    Those of libraries do (`lru_cache`, `torch.no_grad`, what compiles it). One in readable source does where
    each wrapper that it makes gives the function its own arguments, spread ones perhaps made contiguous, and
    returns what that returns.
    """
    return all(_passing(project, mark, scope) for mark in marks)


def _passing(project: Project, mark: ast.expr, scope: Scope) -> bool:
    target = mark.func if isinstance(mark, ast.Call) else mark
    for b in project.definitions(target, scope):
        if isinstance(b.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _transparent(b.node):
            return False
    return True


def _transparent(decorator: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = _first(decorator) | {name for f in _nested(decorator) for name in _first(f)}
    wrappers = [f for f in _nested(decorator) if any(_calls(f, given))]
    return all(_forwards(f, given) for f in wrappers)


def _nested(node: ast.AST) -> list[AnyFunction]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return [n for n in ast.walk(node) if isinstance(n, kinds) and n is not node]


def _first(f: AnyFunction) -> set[str]:
    params = [*f.args.posonlyargs, *f.args.args]
    return {params[0].arg} if params else set()


def _calls(f: AnyFunction, given: set[str]) -> Iterator[ast.Call]:
    for n in ast.walk(f):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in given - _first(f):
            yield n


def _forwards(f: AnyFunction, given: set[str]) -> bool:
    calls = list(_calls(f, given))
    if isinstance(f, ast.Lambda):
        return calls == [f.body] and _unchanged(f, calls[0], set())
    if not isinstance(f, ast.FunctionDef):
        return False
    given_back = [name for n in ast.walk(f) for name in _targets(n, calls)]
    stored = [n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    results = {name for name in given_back if stored.count(name) == given_back.count(name)}
    returned = [r.value for r in own_returns(f)]
    gives = all(v in calls or (isinstance(v, ast.Name) and v.id in results) for v in returned)
    return bool(returned) and gives and all(_unchanged(f, c, set(stored)) for c in calls)


def _targets(n: ast.AST, calls: list[ast.Call]) -> set[str]:
    if not isinstance(n, ast.Assign) or n.value not in calls:
        return set()
    return {t.id for t in n.targets if isinstance(t, ast.Name)}


def _unchanged(f: AnyFunction, call: ast.Call, stored: set[str]) -> bool:
    """Whether the call hands on the wrapper's own parameters, in their order."""
    spread = all(isinstance(a, ast.Starred) and isinstance(a.value, ast.Name) for a in call.args)
    if spread and call.args:
        return all(k.arg is None and isinstance(k.value, ast.Name) for k in call.keywords)
    params = [a.arg for a in (*f.args.posonlyargs, *f.args.args)]
    own = [a.value if isinstance(a, ast.Starred) else a for a in call.args]
    names = [a.id if isinstance(a, ast.Name) else "" for a in own]
    wanted = [*params, *([f.args.vararg.arg] if f.args.vararg is not None else [])]
    keys = {k.arg or "**": k.value for k in call.keywords}
    same = all(isinstance(v, ast.Name) and (k == "**" or v.id == k) for k, v in keys.items())
    return same and names == wanted[: len(names)] and not stored & set(wanted)
