"""Methods of arrays and numbers."""

from __future__ import annotations

import ast

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.assign import fill
from gpulint.frontend.numba.calls import arguments, scalars, unknown
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.inline import NONE, Arguments
from gpulint.frontend.numba.memory import reduce
from gpulint.frontend.numba.values import SCALARS, Array, Method, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import UNKNOWN


def method(cx: Context, m: Method, node: ast.Call) -> Value:
    """`owner.name(...)`."""
    if isinstance(m.owner, Array):
        return _of_array(cx, m.owner, m.name, node)
    if isinstance(m.owner, SCALARS):
        if m.name in ("item", "bitcast", "conjugate", "bit_length", "view"):
            return cx.opaque(m.name, (m.owner, *scalars(cx, arguments(cx, node), node)[:0]), UNKNOWN, node)
        return unknown(cx, node)
    return unknown(cx, node)


def _of_array(cx: Context, a: Array, name: str, node: ast.Call) -> Value:
    given = arguments(cx, node)
    if name == "item" and not given.positional and a.type.ndim is not None:
        zero = ops.number(0)
        return cx.loaded(a, (zero,) * a.type.ndim, a.field, cx.span(node))
    if name == "transpose" and not given.positional:
        target = cx.temporary(f"{a.name}.T")
        cx.emit(n.View(target, a.name, (), True, cx.span(node)))
        return Array(target, a.type, a.field)
    if name == "ravel" and a.type.ndim == 1:
        return a
    if name in ("sum", "mean", "min", "max", "prod", "all", "any", "var", "std", "argmin", "argmax"):
        return reduce(cx, name, node, Arguments((a, *given.positional), given.keywords))
    if name == "fill" and given.positional:
        fill(cx, a, given.positional[0], node)
        return NONE
    raise NotHandled(f"the array method {name}", node)
