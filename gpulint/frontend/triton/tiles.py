"""Functions on tiles: choices, shapes, reductions, scans, products, sorts."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import expressions as ex
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton.calls import Follows, Given, fresh, intrinsic, sizes
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.values import (
    DType,
    Pointer,
    Shape,
    Tile,
    Tuple,
    Value,
    constant,
    integer,
)
from gpulint.frontend.triton.world import literal
from gpulint.ir import nodes as n
from gpulint.ir.types import INT32, INT64, BoolType, IntType, Type


def moving(cx: Context, value: Value, node: ast.AST) -> Tile | Pointer:
    """A value whose elements can be put elsewhere."""
    return value if isinstance(value, Pointer) else ops.tile(cx, value, node)


# --- choices


@intrinsic("tl.where", "condition x y")
def where(cx: Context, given: Given, node: ast.AST) -> Value:
    condition = ops.truth(cx, given.get("condition"), node)
    a, b = given.get("x"), given.get("y")
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        if a.base != b.base:
            if condition.shape:
                raise NotHandled("a choice between pointers into two arrays for each element", node)
            return _chosen(cx, condition, a, b, node)
        chosen = ops.choose(cx, condition, Tile(a.offset, a.shape), Tile(b.offset, b.shape), node)
        return replace(a, offset=chosen.expr, shape=chosen.shape)
    return ops.choose(cx, condition, ops.tile(cx, a, node), ops.tile(cx, b, node), node)


def _chosen(cx: Context, condition: Tile, a: Pointer, b: Pointer, node: ast.AST) -> Value:
    """One of two pointers into different arrays, by a scalar condition."""
    return ex.select(cx, condition, lambda: a, lambda: b, node)


@intrinsic("tl.clamp", "x min max")
def clamp(cx: Context, given: Given, node: ast.AST) -> Value:
    x = ops.tile(cx, given.get("x"), node)
    x = ops.binary(cx, "max", x, ops.tile(cx, given.get("min"), node), node)
    return ops.binary(cx, "min", x, ops.tile(cx, given.get("max"), node), node)


@intrinsic("tl.logical_and tl.logical_or", "x y")
def logical(cx: Context, given: Given, node: ast.AST) -> Value:
    op = "and" if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("and") else "or"
    return ops.logic(cx, op, [ops.truth(cx, given.get(k), node) for k in ("x", "y")], node)


# --- shapes


@intrinsic("tl.expand_dims", "input axis")
def expand_dims(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("input"), node)
    axes = _ints(given.get("axis"), node)
    for a in sorted(a % (value.rank + len(axes)) for a in axes):
        value = shapes.expand(cx, value, a)
    return value


@intrinsic("tl.squeeze", "input dim")
def squeeze(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("input"), node)
    return shapes.squeeze(cx, value, _axis(given.get("dim"), value.rank, node))


@intrinsic("tl.unsqueeze", "input dim")
def unsqueeze(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("input"), node)
    return shapes.expand(cx, value, _axis(given.get("dim"), value.rank + 1, node))


@intrinsic("tl.broadcast_to", "input shape")
def broadcast_to(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("input"), node)
    return shapes.broadcast(cx, value, _shape(cx, given, node))


@intrinsic("tl.broadcast", "input other")
def broadcast(cx: Context, given: Given, node: ast.AST) -> Value:
    pair = [ops.tile(cx, given.get(k), node) for k in ("input", "other")]
    return Tuple(tuple(shapes.together(cx, *pair)[0]))


def _shape(cx: Context, given: Given, node: ast.AST) -> Shape:
    first = given.get("shape")
    if isinstance(first, Tuple):
        return sizes(cx, first, node)
    return sizes(cx, Tuple((first, *given.rest)), node)


@intrinsic("tl.reshape tl.view", "input shape can_reorder")
def reshape(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("input"), node)
    first = given.get("shape")
    if not isinstance(first, Tuple):
        extra = [given.get("can_reorder")] if given.has("can_reorder") else []
        first = Tuple((first, *extra, *given.rest))
        return shapes.reshape(cx, value, sizes(cx, first, node))
    shape = sizes(cx, first, node)
    if constant(given.get("can_reorder")):
        if isinstance(value, Pointer):
            raise NotHandled("pointers in an order that is not known", node)
        return fresh(cx, "reshape", [value], value.type, node, shapes.resolved(value.shape, shape))
    return shapes.reshape(cx, value, shape)


@intrinsic("tl.ravel", "x")
def ravel(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("x"), node)
    return shapes.reshape(cx, value, (shapes.product(value.shape),))


@intrinsic("tl.trans tl.permute", "input")
def permute(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("input"), node)
    dims: list[Value] = list(given.rest) or [v for k, v in given.of.items() if k in ("dims", "order")]
    order = _ints(Tuple(tuple(dims)) if len(dims) != 1 else dims[0], node) if dims else []
    if not order:
        order = (
            [*range(value.rank - 2), value.rank - 1, value.rank - 2]
            if value.rank >= 2
            else list(range(value.rank))
        )
    order = [shapes.axis_of(a, value.rank, node) for a in order]
    if sorted(order) != list(range(value.rank)):
        raise NotHandled("a permutation that does not name each axis once", node)
    return shapes.permute(cx, value, order)


@intrinsic("tl.flip", "x dim")
def flip(cx: Context, given: Given, node: ast.AST) -> Value:
    value = moving(cx, given.get("x"), node)
    axis = _axis(given.get("dim"), value.rank, node) if given.has("dim") else value.rank - 1
    return shapes.flip(cx, value, axis)


@intrinsic("tl.join", "a b")
def join(cx: Context, given: Given, node: ast.AST) -> Value:
    return _joined(cx, given, node, True)


@intrinsic("tl.interleave", "a b")
def interleave(cx: Context, given: Given, node: ast.AST) -> Value:
    return _joined(cx, given, node, False)


def _joined(cx: Context, given: Given, node: ast.AST, last: bool) -> Value:
    a, b, second, shape = shapes.joined(
        cx, ops.tile(cx, given.get("a"), node), ops.tile(cx, given.get("b"), node), last
    )
    return ops.choose(cx, Tile(second, shape), b, a, node)


@intrinsic("tl.split", "a")
def split(cx: Context, given: Given, node: ast.AST) -> Value:
    value = ops.tile(cx, given.get("a"), node)
    if not value.shape:
        raise NotHandled("a split of a scalar", node)
    last = value.rank - 1
    value = cx.temp(value, "t", cx.span(node))
    return Tuple(tuple(shapes.pick(cx, value, last, n.Const(i, INT64)) for i in (0, 1)))


@intrinsic("tl.cat", "input other can_reorder dim")
def cat(cx: Context, given: Given, node: ast.AST) -> Value:
    """The elements of two tiles in one, in an order that Triton may change."""
    a, b = (ops.tile(cx, given.get(k), node) for k in ("input", "other"))
    if a.rank != 1 or b.rank != 1:
        raise NotHandled("tl.cat of tiles with more than one axis", node)
    total = shapes.product((a.shape[0], n.Const(2, INT64))) if shapes.same(a.shape, b.shape) else None
    size = total if total is not None else n.Binary("add", a.shape[0], b.shape[0], INT64)
    return fresh(cx, "cat", [], ops.result("add", a, b)[0], node, (size,))


@intrinsic("tl.gather", "src index axis")
def gather(cx: Context, given: Given, node: ast.AST) -> Value:
    source, index = (ops.tile(cx, given.get(k), node) for k in ("src", "index"))
    axes = range(source.rank)
    axis = _axis(given.get("axis"), source.rank, node) if given.has("axis") and source.rank else 0
    along_ = tuple(n.EVERY if k == axis else k for k in axes)
    return fresh(cx, "gather", [source, index], source.type, node, index.shape, [along_, tuple(axes)])


def _ints(value: Value, node: ast.AST) -> list[int]:
    items = value.items if isinstance(value, Tuple) else (value,)
    found = [integer(v) for v in items]
    if any(v is None for v in found):
        raise NotHandled("axes that are not constant", node)
    return [v for v in found if v is not None]


def _axis(value: Value, rank: int, node: ast.AST) -> int:
    found = _ints(value, node)
    return shapes.axis_of(found[0], rank, node)


# --- reductions and scans


def _reduced(value: Tile, given: Given, node: ast.AST) -> Shape:
    keep = bool(constant(given.get("keep_dims")))
    if not given.has("axis"):
        return tuple(shapes.ONE for _ in value.shape) if keep else ()
    if not value.shape:
        return ()
    if integer(given.get("axis")) is None and keep:
        return value.shape  # one element along an axis that is not known: a value for each element covers it
    axis = _axis(given.get("axis"), value.rank, node)
    middle: Shape = (shapes.ONE,) if keep else ()
    return (*value.shape[:axis], *middle, *value.shape[axis + 1 :])


def _followed(value: Tile, given: Given, node: ast.AST) -> Follows:
    """Which axis of the reduced tile each axis of the value is taken along."""
    axes = range(value.rank)
    if not given.has("axis") or not axes or integer(given.get("axis")) is None:
        return tuple(n.EVERY for _ in axes)
    axis = _axis(given.get("axis"), value.rank, node)
    step = 0 if constant(given.get("keep_dims")) else 1
    return tuple(n.EVERY if k == axis else k if k < axis else k - step for k in axes)


def _accumulated(type_: Type) -> Type:
    if isinstance(type_, BoolType) or (isinstance(type_, IntType) and type_.bits < 32):
        return INT32 if not isinstance(type_, IntType) or type_.signed else IntType(32, signed=False)
    return type_


def _reduction(name: str) -> None:
    @intrinsic(f"tl.{name}", "input axis keep_dims dtype")
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        x = ops.tile(cx, given.get("input"), node)
        dtype = given.get("dtype")
        type_ = dtype.type if isinstance(dtype, DType) else _accumulated(x.type)
        follows = _followed(x, given, node)
        return fresh(cx, name, [x], type_, node, _reduced(x, given, node), [follows])


def _extreme(name: str) -> None:
    @intrinsic(f"tl.{name}", "input axis return_indices return_indices_tie_break_left keep_dims")
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        """The largest or smallest; also Python's, which has the same name as a method."""
        x = ops.tile(cx, given.get("input"), node)
        shape = _reduced(x, given, node)
        value = fresh(cx, name, [x], x.type, node, shape, [_followed(x, given, node)])
        if constant(given.get("return_indices")):
            return Tuple((value, _position(cx, f"arg{name}", x, shape, given, node)))
        return value


def _extreme_position(name: str) -> None:
    @intrinsic(f"tl.{name}", "input axis tie_break_left keep_dims")
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        x = ops.tile(cx, given.get("input"), node)
        return _position(cx, name, x, _reduced(x, given, node), given, node)


for _name in ("sum", "xor_sum", "prod"):
    _reduction(_name)
for _name in ("max", "min"):
    _extreme(_name)
    _extreme_position(f"arg{_name}")


def _position(cx: Context, name: str, x: Tile, shape: Shape, given: Given, node: ast.AST) -> Tile:
    """A place along the reduced axis: a scalar one is known to lie within it."""
    found = fresh(cx, name, [x], INT32, node, shape, [_followed(x, given, node)])
    size = (
        x.shape[_axis(given.get("axis"), x.rank, node)]
        if given.has("axis") and x.shape
        else shapes.product(x.shape)
    )
    if not shape:
        span = cx.span(node)
        low, high = (
            n.Compare("ge", found.expr, n.Const(0, INT32), span),
            n.Compare("lt", found.expr, size, span),
        )
        cx.emit(n.Assume(n.Logic("and", (low, high), span), span))
    return found


@intrinsic("tl.reduce tl.reduce_or", "input axis combine_fn keep_dims")
def reduce(cx: Context, given: Given, node: ast.AST) -> Value:
    values = given.get("input")
    items = values.items if isinstance(values, Tuple) else (values,)
    out: list[Value] = []
    for v in items:
        x = ops.tile(cx, v, node)
        shape, follows = _reduced(x, given, node), _followed(x, given, node)
        out.append(fresh(cx, "reduce", [x], _accumulated(x.type), node, shape, [follows]))
    return Tuple(tuple(out)) if isinstance(values, Tuple) else out[0]


@intrinsic("tl.associative_scan", "input axis combine_fn reverse")
def scan(cx: Context, given: Given, node: ast.AST) -> Value:
    values = given.get("input")
    items = values.items if isinstance(values, Tuple) else (values,)
    tiles = [ops.tile(cx, v, node) for v in items]
    out = [fresh(cx, "scan", [x], x.type, node, x.shape, [_scanned(x, given, node)]) for x in tiles]
    return Tuple(tuple(out)) if isinstance(values, Tuple) else out[0]


def _scanned(x: Tile, given: Given, node: ast.AST, mixed: bool = False) -> Follows:
    """An element of a scan depends on those before it; of a sort (`mixed`) or from the end, on all."""
    axis = given.get("axis")
    if given.has("axis") and integer(axis) is None:
        return tuple(n.EVERY for _ in x.shape)
    own = x.rank - 1 if mixed else 0
    if given.has("axis") and x.rank:
        own = _axis(axis, x.rank, node)
    back = given.has("reverse") and constant(given.get("reverse")) is not False
    reach = n.EVERY if mixed or back else n.upto(own)
    return tuple(reach if k == own else k for k in range(x.rank))


def _along(name: str, params: str, mixed: bool) -> None:
    @intrinsic(f"tl.{name}", params)
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        x = ops.tile(cx, given.get("input"), node)
        return fresh(cx, name, [x], _accumulated(x.type), node, x.shape, [_scanned(x, given, node, mixed)])


for _name in ("cumsum", "cumprod", "cummax"):
    _along(_name, "input axis reverse dtype", False)
for _name in ("sort", "softmax"):
    _along(_name, "input axis", True)


@intrinsic("tl.topk", "x k dim")
def topk(cx: Context, given: Given, node: ast.AST) -> Value:
    x = ops.tile(cx, given.get("x"), node)
    return fresh(cx, "topk", [x], x.type, node, (*x.shape[:-1], *sizes(cx, given.get("k"), node)))


@intrinsic("tl.histogram", "input num_bins mask")
def histogram(cx: Context, given: Given, node: ast.AST) -> Value:
    """Elements that the mask leaves out are not counted, whatever they are."""
    x = ops.tile(cx, given.get("input"), node)
    if given.has("mask"):
        counted = ops.truth(cx, given.get("mask"), node)
        x = ops.choose(cx, counted, x, Tile(literal(0), weak=True), node)
    return fresh(cx, "histogram", [x], INT32, node, sizes(cx, given.get("num_bins"), node))
