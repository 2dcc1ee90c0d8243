"""Arithmetic on pointers."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.triton import shapes
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.values import Pointer, Tile, integer
from gpulint.ir import nodes as n
from gpulint.ir.types import INT64


def shifted(cx: Context, p: Pointer, by: Tile, op: str, node: ast.AST) -> Pointer:
    """A pointer moved by elements: the offsets add up in 64 bits."""
    shape = shapes.common([p.shape, by.shape])
    p, by = shapes.broadcast(cx, p, shape), shapes.broadcast(cx, by, shape)
    e = by.expr
    if integer(e) == 0:
        return p
    offset: n.Expr
    if integer(p.offset) == 0:
        offset = e if op == "add" else n.Unary("neg", e, INT64, cx.span(node))
    else:
        offset = n.Binary(op, p.offset, e, INT64, cx.span(node))
    return replace(p, offset=offset)
