"""Matrix products."""

from __future__ import annotations

import ast

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton.calls import Follows, Given, fresh, intrinsic
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.values import DType, Tile, Value, is_none
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT32, INT32, IntType


@intrinsic("tl.dot", "input other acc input_precision allow_tf32 max_num_imprecise_acc out_dtype")
def dot(cx: Context, given: Given, node: ast.AST) -> Value:
    a, b = (ops.tile(cx, given.get(k), node) for k in ("input", "other"))
    return _product(cx, "dot", a, b, given, node)


@intrinsic(
    "tl.dot_scaled",
    "lhs lhs_scale lhs_format rhs rhs_scale rhs_format acc fast_math lhs_k_pack rhs_k_pack out_dtype",
)
def dot_scaled(cx: Context, given: Given, node: ast.AST) -> Value:
    a, b = (ops.tile(cx, given.get(k), node) for k in ("lhs", "rhs"))
    return _product(cx, "dot_scaled", a, b, given, node)


def _product(cx: Context, name: str, a: Tile, b: Tile, given: Given, node: ast.AST) -> Value:
    acc = given.get("acc")
    dtype = given.get("out_dtype")
    type_ = dtype.type if isinstance(dtype, DType) else INT32 if isinstance(a.type, IntType) else FLOAT32
    if isinstance(acc, Tile) and not is_none(acc) and acc.shape:
        return fresh(cx, name, [a, b, acc], acc.type, node, acc.shape, _contracted(a, b, acc.rank))
    if a.rank < 2 or b.rank < 2:
        raise NotHandled("a matrix product of tiles with fewer than two axes", node)
    return fresh(cx, name, [a, b], type_, node, (*a.shape[:-1], b.shape[-1]), _contracted(a, b, a.rank))


def _contracted(a: Tile, b: Tile, rank: int) -> list[Follows]:
    """A matrix product: rows of the first, columns of the second, all between; and the sum so far."""
    left = (*range(a.rank - 1), n.EVERY)
    right = (*range(b.rank - 2), n.EVERY, b.rank - 1)
    return [left, right, tuple(range(rank))]
