"""What a kernel asserts of its parameters, as clauses of the contract.

`tl.assume`, `tl.device_assert` and `assert` are checked by nothing when a compiled kernel runs, so that no
proof may rest on them. One about parameters alone, which every program comes to, a launch can check instead:
it is part of the contract, and the compiler may rely on it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gpulint.ir.span import Span
from gpulint.source.model import KernelSource
from gpulint.source.resolve import Project

ASSERTIONS = ("assume", "device_assert")


def clauses(source: KernelSource, project: Project, passed: Sequence[str]) -> Iterator[tuple[str, Span]]:
    """The conditions that the kernel asserts at the top of its body over parameters that nothing rebinds."""
    names = {*passed, *source.given}
    fixed = {x for x in names if all(b.kind == "param" for b in source.scope.bindings.get(x, ()))}
    for s in source.node.body if isinstance(source.node, ast.FunctionDef) else ():
        condition = _condition(s, source, project)
        if condition is not None and _plain(condition, fixed):
            yield ast.unparse(condition), source.module.span(s)


def _condition(s: ast.stmt, source: KernelSource, project: Project) -> ast.expr | None:
    if isinstance(s, ast.Assert):
        return s.test
    if not isinstance(s, ast.Expr) or not isinstance(s.value, ast.Call) or not s.value.args:
        return None
    dotted = project.dotted(s.value.func, source.scope) or ""
    known = dotted.startswith("triton.language") and dotted.rpartition(".")[2] in ASSERTIONS
    return s.value.args[0] if known else None


def _plain(condition: ast.expr, names: set[str]) -> bool:
    """Whether it compares sums and products of whole numbers and these names."""
    allowed = (
        ast.Compare, ast.BoolOp, ast.BinOp, ast.Name, ast.Constant, ast.Load, ast.And, ast.Or, ast.Add,
        ast.Sub, ast.Mult, ast.Mod, ast.cmpop,
    )  # fmt: skip
    for x in ast.walk(condition):
        if not isinstance(x, allowed) or (isinstance(x, ast.Name) and x.id not in names):
            return False
        if isinstance(x, ast.Constant) and type(x.value) is not int:
            return False
    return isinstance(condition, (ast.Compare, ast.BoolOp))
