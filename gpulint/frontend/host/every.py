"""Conditions on all elements of a tensor: `(x >= 0).all()`, `torch.all(x < n)`, `cu[1:] >= cu[:-1]`."""

from __future__ import annotations

import ast

from gpulint.frontend.host import torchmethods
from gpulint.frontend.host.elements import changed
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import sorted_literal
from gpulint.frontend.host.values import Arr, Every, Unknown, Value, as_array
from gpulint.term import and_

OPS: dict[type[ast.cmpop], str] = {ast.GtE: "ge", ast.Gt: "gt", ast.LtE: "le", ast.Lt: "lt"}
TURNED = {"ge": "le", "gt": "lt", "le": "ge", "lt": "gt"}


def every(m: Machine, s: State, node: ast.expr) -> Every | None:
    """The condition that an elementwise comparison holds for every element; None when it is no such thing."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        both = every(m, s, node.left), every(m, s, node.right)
        return Every(and_(*(e.term for e in both if e is not None))) if None not in both else None
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    op = OPS.get(type(node.ops[0]))
    if op is None:
        return None
    left, right = node.left, node.comparators[0]
    neighbours = _neighbours(m, s, left, right, op)
    if neighbours is not None:
        return neighbours
    a, b = m.eval(s, left), m.eval(s, right)
    if _tensor(a):
        return _bounded(m, s, a, op, b)
    return _bounded(m, s, b, TURNED[op], a) if _tensor(b) else None


def _tensor(v: Value) -> bool:
    return isinstance(v, Arr) or (isinstance(v, Unknown) and v.kind in ("", "array"))


def _bounded(m: Machine, s: State, v: Value, op: str, limit: Value) -> Every | None:
    a = as_array(v)
    return torchmethods.every(m, s, a, op, limit) if a is not None else None


def _neighbours(m: Machine, s: State, left: ast.expr, right: ast.expr, op: str) -> Every | None:
    """`x[1:] >= x[:-1]` or `x[:-1] <= x[1:]`."""
    later, earlier = (left, right) if op in ("ge", "gt") else (right, left)
    if not (isinstance(later, ast.Subscript) and isinstance(earlier, ast.Subscript)):
        return None
    if ast.dump(later.value) != ast.dump(earlier.value):
        return None
    if (ast.unparse(later.slice), ast.unparse(earlier.slice)) != ("1:", ":-1"):
        return None
    a = as_array(m.eval(s, later.value))
    return Every(sorted_literal(a)) if a is not None and not changed(s, a) else None
