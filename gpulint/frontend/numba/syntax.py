"""Questions about the syntax of an expression: what it names, adds up, counts."""

from __future__ import annotations

import ast

ARRAY_ATTRIBUTES = frozenset((
    "shape", "size", "ndim", "strides", "T", "dtype", "flat", "itemsize", "nbytes", "flags", "ctypes", "view",
    "reshape", "ravel", "fill", "astype", "copy", "sum", "mean", "transpose", "item", "prod", "var", "std",
    "argmin", "argmax",
))  # fmt: skip
SCALAR_ATTRIBUTES = frozenset(("real", "imag", "conjugate", "bit_length", "value"))
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_COORDINATES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def tuple_length(node: ast.expr) -> int | None:
    if isinstance(node, ast.Tuple):
        return None if any(isinstance(e, ast.Starred) for e in node.elts) else len(node.elts)
    if isinstance(node, ast.Call) and called(node.func) in ("grid", "gridsize") and len(node.args) == 1:
        count = node.args[0]
        if isinstance(count, ast.Constant) and isinstance(count.value, int) and count.value in (2, 3):
            return count.value
    return None


def called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def path_of(node: ast.AST) -> str | None:
    """`a.b` of a chain of names, shape-like attributes excluded."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        if node.attr in ARRAY_ATTRIBUTES or node.attr in SCALAR_ATTRIBUTES:
            return None
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def added(node: ast.expr) -> set[str]:
    """The names that the expression adds up, multiplies or divides to its value."""
    out: set[str] = set()
    stack = [node]
    while stack:
        e = stack.pop()
        if isinstance(e, (ast.Name, ast.Attribute)):
            name = path_of(e)
            if name is not None and not coordinate(e):
                out.add(name)
        elif isinstance(e, ast.BinOp) and isinstance(e.op, ARITHMETIC):
            stack += (e.left, e.right)
        elif isinstance(e, ast.UnaryOp):
            stack.append(e.operand)
        elif isinstance(e, ast.IfExp):
            stack += (e.body, e.orelse)
        elif isinstance(e, ast.Call) and called(e.func) in ("min", "max", "abs"):
            stack += e.args
    return out


def coordinate(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and called(node.value) in _COORDINATES


def counts(node: ast.expr) -> bool:
    """Whether the expression is itself a count or coordinate: grid, len, shape, threadIdx."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.Call):
        return called(node.func) in ("grid", "gridsize", "len")
    return coordinate(node) or (isinstance(node, ast.Attribute) and node.attr == "size")


def plain(node: ast.expr) -> bool:
    """Whether nothing but names, counts and integers is added up."""
    stack = [node]
    while stack:
        e = stack.pop()
        if isinstance(e, ast.BinOp) and isinstance(e.op, ARITHMETIC):
            stack += (e.left, e.right)
        elif isinstance(e, ast.Constant):
            if isinstance(e.value, float):
                return False
        elif not isinstance(e, (ast.Name, ast.Attribute)) and not counts(e):
            return False
    return True
