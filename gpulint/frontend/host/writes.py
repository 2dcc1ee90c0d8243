"""Which parameters a kernel may store through, as far as its text shows."""

from __future__ import annotations

import ast
from typing import Union

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
LIBRARIES = frozenset({"tl", "triton", "cuda", "math", "np", "numpy", "numba", "libdevice"})
PURE = frozenset(
    {"range", "len", "min", "max", "abs", "int", "float", "bool", "round", "print", "zip", "enumerate"}
)


def stored(node: FunctionNode) -> frozenset[str]:
    """Names whose memory the body may write to: more names than do, never fewer.

    From what is stored to (subscripts, `store` and atomic operations, calls of functions that are
    not of a library) back through assignments. Values loaded from memory are no way to its memory.
    """
    out: set[str] = set()
    flows: list[tuple[set[str], set[str]]] = []
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, (ast.Store, ast.Del)):
            out |= _memory(n.value)
        elif isinstance(n, ast.Call):
            out |= _written(n)
        elif isinstance(n, ast.Assign):
            flows.append(({x for t in n.targets for x in _bound(t)}, _memory(n.value)))
        elif isinstance(n, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) and n.value is not None:
            flows.append((_bound(n.target), _memory(n.value)))
        elif isinstance(n, (ast.For, ast.comprehension)):
            flows.append((_bound(n.target), _memory(n.iter)))
    before = -1
    while before != len(out):
        before = len(out)
        for targets, sources in flows:
            if targets & out:
                out |= sources
    return frozenset(out)


def _written(call: ast.Call) -> set[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    values = [*call.args, *(k.value for k in call.keywords)]
    library = owner is not None and _root(owner) in LIBRARIES
    if library and ("store" in name or "atomic" in ast.unparse(call.func)):
        named = [k.value for k in call.keywords if k.arg in ("pointer", "ary", "desc", "descriptor", None)]
        return {x for v in (*call.args[:1], *named) for x in _memory(v)}
    if library or (owner is None and (name in PURE or name.startswith("load"))):
        return set()
    if owner is not None:
        values.append(owner)
    if owner is not None and name in ("load", "to", "gather"):
        return set()
    return {x for v in values for x in _memory(v)}


def _root(expr: ast.expr) -> str:
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    return expr.id if isinstance(expr, ast.Name) else ""


def _bound(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _memory(expr: ast.expr) -> set[str]:
    """The names whose memory an expression may be a way to."""
    if isinstance(expr, ast.Name):
        return {expr.id}
    if isinstance(expr, ast.Subscript):
        return _memory(expr.value)
    if isinstance(expr, ast.Call) and getattr(expr.func, "attr", "") == "load":
        return set()
    inner = (n for n in ast.iter_child_nodes(expr) if isinstance(n, (ast.expr, ast.keyword)))
    return {x for n in inner for x in _memory(n.value if isinstance(n, ast.keyword) else n)}
