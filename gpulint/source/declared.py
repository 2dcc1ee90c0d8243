"""Contract clauses that the source declares of a kernel, by decorator or by comment."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpulint.ir.span import Span
from gpulint.source.comments import Comments
from gpulint.source.constants import fold
from gpulint.source.model import FunctionNode, Module, Scope
from gpulint.source.resolve import Project

Clause = tuple[str, Span]
_CONTRACTS = ("gpulint.contract", "gpulint.contract.contract")
_REQUIRES, _IGNORE = "requires", "ignore"


def declared(node: FunctionNode, scope: Scope, notes: Comments, project: Project) -> tuple[Clause, ...]:
    """The clause texts with their exact places, as written: decorators first, then comments.

    `scope` is the function's own. A value that is not constant is given as its source text, so
    that whoever parses the clauses sees it.
    """
    outer = scope.parent or scope
    clauses: list[Clause] = []
    if not isinstance(node, ast.Lambda):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and _is_contract(decorator, outer, project):
                clauses.extend(_decorated(decorator, outer, project))
    clauses.extend(_commented(node, scope.module, notes))
    return tuple(clauses)


def _is_contract(call: ast.Call, scope: Scope, project: Project) -> bool:
    return project.dotted(call.func, scope) in _CONTRACTS


def _decorated(call: ast.Call, scope: Scope, project: Project) -> Iterator[Clause]:
    for argument in call.args:
        yield from _requires(argument, scope, project)
    for keyword in call.keywords:
        if keyword.arg == _REQUIRES:
            yield from _requires(keyword.value, scope, project)
        elif keyword.arg is None:
            yield f"**{_written(keyword.value, scope.module)}", scope.module.span(keyword.value)
        else:
            yield _setting(keyword.arg, keyword.value, scope, project), scope.module.span(keyword)


def _requires(expr: ast.expr, scope: Scope, project: Project) -> Iterator[Clause]:
    if isinstance(expr, ast.Name):
        found = project.definitions(expr, scope)
        value = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
        if isinstance(value, (ast.List, ast.Tuple)):
            expr, scope = value, found[0].scope
    for item in expr.elts if isinstance(expr, (ast.List, ast.Tuple)) else [expr]:
        known = fold(item, scope, project)
        constant = known is not None and isinstance(known.value, str)
        text = str(known.value) if known is not None and constant else _written(item, scope.module)
        yield text, scope.module.span(item)


def _setting(name: str, expr: ast.expr, scope: Scope, project: Project) -> str:
    """`block == (256, 1, 1)`; sizes of one or two axes are filled up with 1."""
    value = fold(expr, scope, project)
    if value is None:
        return f"{name} == {_written(expr, scope.module)}"
    plain = value.value
    if name in ("block", "grid", "cluster"):
        sizes = plain if isinstance(plain, tuple) else (plain,)
        plain = (*sizes, 1, 1)[:3] if len(sizes) <= 3 and name != "cluster" else plain
    return f"{name} == {int(plain) if isinstance(plain, bool) else plain!r}"


def _written(expr: ast.expr, module: Module) -> str:
    return " ".join((ast.get_source_segment(module.text, expr) or "?").split())


def _commented(node: FunctionNode, module: Module, notes: Comments) -> Iterator[Clause]:
    """`requires CLAUSE`, or a clause by itself (`block=(256, 1, 1)`, `min_cc(80)`)."""
    if not notes.marked:
        return
    first, last = _header(node, notes)
    for comment in notes.marked:
        if first <= comment.row <= last and not comment.body.startswith(_IGNORE):
            word, _, rest = comment.body.partition(" ")
            said = rest if word == _REQUIRES else comment.body
            text = said.partition("#")[0].strip()
            start = len(comment.body) - len(said.lstrip()) if text else len(comment.body)
            yield text, comment.body_span(start, text)


def _header(node: FunctionNode, notes: Comments) -> tuple[int, int]:
    """The rows whose comments belong to the function: just above it, its head, and its body up to
    the first statement after the docstring."""
    if isinstance(node, ast.Lambda):
        first, last = node.lineno, node.lineno
    else:
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        last = _before_body(node)
    while first - 1 in notes.comment_rows:
        first -= 1
    return first, last


def _before_body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = list(node.body)
    if len(body) > 1 and ast.get_docstring(node, clean=False) is not None:
        body.pop(0)
    head = body[0]
    decorators: list[ast.expr] = getattr(head, "decorator_list", [])
    return max(node.lineno, min([head.lineno, *(d.lineno for d in decorators)]) - 1)
