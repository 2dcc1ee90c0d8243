"""Values of enclosing scopes that the source does not settle, given by the user or a running program.

The kernel that a factory makes (`make(n)`) is another one for each `n`: with the value put in, it is lowered,
proved and compiled for that value alone.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from typing import Any, Union

from gpulint.compile.error import CompileError
from gpulint.frontend.numba.operators import fold, number
from gpulint.frontend.numba.types import by_name
from gpulint.ir import nodes as n
from gpulint.ir.types import BoolType, FloatType, IntType

Number = Union[int, float, bool]
_NODES = (*n.Expr.__args__, *n.Stmt.__args__, n.Range)  # type: ignore[attr-defined]


def constant(value: object) -> n.Const | None:
    """A number of a program as Numba types it; None for what is no number."""
    if isinstance(value, (bool, int, float)) and type(value).__module__ == "builtins":
        return number(value)
    item, dtype = getattr(value, "item", None), getattr(value, "dtype", None)
    if item is None or dtype is None or getattr(value, "shape", None) != ():
        return None
    found, held = by_name(str(dtype)), item()
    if isinstance(found, (IntType, FloatType, BoolType)) and isinstance(held, (bool, int, float)):
        return n.Const(held, found)
    return None


def read(text: str) -> tuple[str, n.Const]:
    """`NAME=VALUE` of the command line: a literal, or one in a type (`float32(0.5)`). Raises CompileError."""
    name, _, value = text.partition("=")
    try:
        tree = ast.parse(value.strip(), mode="eval").body
        kind = None
        if (
            isinstance(tree, ast.Call)
            and len(tree.args) == 1
            and isinstance(tree.func, (ast.Name, ast.Attribute))
        ):
            kind = by_name(tree.func.id if isinstance(tree.func, ast.Name) else tree.func.attr)
            tree = tree.args[0]
        found = constant(ast.literal_eval(tree))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        found = None
    if not name.strip() or found is None:
        raise CompileError(f"`{text[:60]}` is no NAME=VALUE with a number", hint="as in --set N=64")
    return name.strip(), found if kind is None else n.Const(found.value, kind)


def put_in(kernel: n.Kernel, values: Mapping[str, n.Const]) -> n.Kernel:
    """The kernel with these parameters as constants; operations of constants are worked out."""
    taken = {p.name: values[p.name] for p in kernel.params if p.name in values and not p.is_array}
    if not taken:
        return kernel
    params = tuple(p for p in kernel.params if p.name not in taken)
    return dataclasses.replace(kernel, params=params, body=_within(kernel.body, taken))


def _within(value: Any, taken: Mapping[str, n.Const]) -> Any:
    if isinstance(value, tuple):
        return tuple(_within(v, taken) for v in value)
    if isinstance(value, n.Var) and value.name in taken:
        return dataclasses.replace(taken[value.name], span=value.span)
    if not isinstance(value, _NODES):
        return value
    changes = {}
    for f in dataclasses.fields(value):
        old = getattr(value, f.name)
        new = old if f.name in ("span", "type") else _within(old, taken)
        if new is not old and new != old:
            changes[f.name] = new
    if not changes:
        return value
    made = dataclasses.replace(value, **changes)
    return _folded(made) if isinstance(made, n.Binary) else made


def _folded(e: n.Binary) -> n.Expr:
    if isinstance(e.left, n.Const) and isinstance(e.right, n.Const):
        return fold(e.op, e.left.value, e.right.value, e.type) or e
    return e
