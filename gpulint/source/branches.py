"""What the branches around a place say of a flag: under `if flag:` it is true, in its `else` it is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gpulint.source.model import Scope


def flag(expr: ast.expr, place: ast.expr, scope: Scope) -> bool | None:
    """The truth of a name at a place in the scope; None when no branch around the place tests it.

    Only a name that has a single binding counts, so that its value is the one that was tested.
    """
    if not isinstance(expr, ast.Name) or isinstance(scope.node, ast.Lambda):
        return None
    if len(scope.lookup(expr.id)) != 1:
        return None
    for test, taken in _around(scope.node.body, place.lineno):
        truth = _tested(test, expr.id)
        if truth is not None:
            return truth is taken
    return None


def _around(body: Sequence[ast.stmt], row: int) -> Iterator[tuple[ast.expr, bool]]:
    """The tests of the `if` statements around a row, outermost first, with the branch that it is in."""
    inside: Sequence[ast.stmt] | None = body
    while inside is not None:
        found = next((s for s in inside if _first(s) <= row <= (s.end_lineno or s.lineno)), None)
        inside = None
        for name in ("body", "orelse", "finalbody", "handlers"):
            part = getattr(found, name, None)
            if isinstance(part, list) and part and _first(part[0]) <= row <= (part[-1].end_lineno or 0):
                if isinstance(found, ast.If):
                    yield found.test, name == "body"
                inside = part


def _first(s: ast.stmt) -> int:
    """The first row of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(s, "decorator_list", [])
    return min([s.lineno, *(d.lineno for d in decorators)])


def _tested(test: ast.expr, name: str) -> bool | None:
    """What the name is when the test holds, if the test is on its truth alone."""
    if isinstance(test, ast.Name):
        return True if test.id == name else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _tested(test.operand, name)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        other = test.comparators[0]
        if isinstance(other, ast.Constant) and isinstance(other.value, bool):
            inner = _tested(test.left, name)
            return None if inner is None else inner is other.value
    return None
