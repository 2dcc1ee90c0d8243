"""Questions about syntax that do not depend on the dialect."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gpulint.source.model import FunctionNode


def dotted_text(node: ast.expr) -> str | None:
    """`a.b.c` of a Name/Attribute chain, or None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts)) if len(parts) > 1 else node.id


def text_of(node: ast.AST) -> str:
    """The expression as short text for messages."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return type(node).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def own_returns(node: ast.FunctionDef) -> list[ast.Return]:
    """The return statements of the function itself, nested functions apart."""
    out: list[ast.Return] = []
    stack: list[ast.AST] = list(reversed(node.body))
    while stack:
        s = stack.pop()
        if isinstance(s, ast.Return):
            out.append(s)
        elif not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            stack.extend(reversed(list(ast.iter_child_nodes(s))))
    return out


def tails(function: FunctionNode) -> set[ast.AST]:
    """The return statements after which nothing of the function is left to run."""
    out: set[ast.AST] = set()
    if isinstance(function, ast.Lambda):
        return out
    stack: list[Sequence[ast.stmt]] = [function.body]
    while stack:
        block = stack.pop()
        last = block[-1] if block else None
        if isinstance(last, ast.Return):
            out.add(last)
        elif isinstance(last, ast.If):
            stack += [last.body, last.orelse]
    return out


def bound_names(s: ast.For | ast.While) -> tuple[str, ...]:
    """The names that the loop may bind, nested functions apart."""
    out: dict[str, None] = {}
    stack: list[ast.AST] = [s]
    while stack:
        e = stack.pop()
        if isinstance(e, ast.Name):
            if isinstance(e.ctx, ast.Store):
                out[e.id] = None
        elif isinstance(e, (ast.FunctionDef, ast.Lambda)):
            if isinstance(e, ast.FunctionDef):
                out[e.name] = None
        else:
            stack.extend(ast.iter_child_nodes(e))
    return tuple(out)


def jumps(statements: Sequence[ast.stmt], *kinds: type[ast.stmt]) -> bool:
    """Whether a break or continue (of the kinds given) in the statements belongs to the loop around them."""
    stack: list[ast.AST] = list(statements)
    while stack:
        s = stack.pop()
        if isinstance(s, kinds or (ast.Break, ast.Continue)):
            return True
        if isinstance(s, (ast.For, ast.While)):
            stack.extend(s.orelse)
        elif not isinstance(s, (ast.FunctionDef, ast.expr)):
            stack.extend(ast.iter_child_nodes(s))
    return False
