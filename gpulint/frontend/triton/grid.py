"""Program ids, ranges, constants, hints, assertions and other functions without a tile to work on."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.shared.limits import NotHandled
from gpulint.frontend.triton import operators as ops
from gpulint.frontend.triton import shapes
from gpulint.frontend.triton.calls import Given, fresh, intrinsic, sizes
from gpulint.frontend.triton.context import Context
from gpulint.frontend.triton.statements import assume
from gpulint.frontend.triton.types import NAMES
from gpulint.frontend.triton.values import (
    NONE,
    Bounds,
    Class,
    DType,
    Pointer,
    Tile,
    Tuple,
    Value,
    Window,
    constant,
    integer,
    is_none,
)
from gpulint.frontend.triton.world import limit, literal
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, FLOAT32, INT32, INT64, UNKNOWN, BoolType, FloatType, Type


@intrinsic("tl.program_id tl.core.program_id", "axis")
def program_id(cx: Context, given: Given, node: ast.AST) -> Value:
    return _coordinate(cx, "block", given, node)


@intrinsic("tl.num_programs", "axis")
def num_programs(cx: Context, given: Given, node: ast.AST) -> Value:
    return _coordinate(cx, "grid_size", given, node)


def _coordinate(cx: Context, kind: str, given: Given, node: ast.AST) -> Value:
    axis = integer(given.get("axis")) if given.has("axis") else 0
    if axis is None or not 0 <= axis < 3:
        raise NotHandled("a program id of an axis that is not 0, 1 or 2", node)
    return Tile(n.Coord(kind, axis, INT32, cx.span(node)))


@intrinsic("tl.arange", "start end")
def arange(cx: Context, given: Given, node: ast.AST) -> Value:
    start, end = sizes(cx, given.get("start"), node)[0], sizes(cx, given.get("end"), node)[0]
    cx.emit(n.Effect("arange", (start, end), cx.span(node)))
    low, high = integer(start), integer(end)
    if low == 0:
        return Tile(n.Lane(0, end, INT32, cx.span(node)), (end,))
    size = _length(start, end) if low is None or high is None else n.Const(high - low, INT64)
    e = n.Binary("add", start, shapes.lane(0, size), INT32, cx.span(node))
    return Tile(e, (size,))


def _length(start: n.Expr, end: n.Expr) -> n.Expr:
    if isinstance(end, n.Binary) and end.op == "add" and end.left == start:
        return end.right
    return n.Binary("sub", end, start, INT64)


@intrinsic("tl.range tl.static_range builtins.range tl.condition", "arg1 arg2 step")
def range_(cx: Context, given: Given, node: ast.AST) -> Value:
    first, second = given.get("arg1"), given.get("arg2")
    if is_none(second):
        first, second = Tile(literal(0), weak=True), first
    step = given.get("step") if given.has("step") else Tile(literal(1), weak=True)
    called = node.func if isinstance(node, ast.Call) else None
    static = isinstance(called, (ast.Attribute, ast.Name)) and ast.unparse(called).endswith("static_range")
    start, stop, by = (ops.tile(cx, v, node) for v in (first, second, step))
    plain = isinstance(called, ast.AST) and isinstance(node, ast.Call) and not node.keywords
    return Bounds(start, stop, by, static, plain and not static)


@intrinsic("tl.cdiv triton.cdiv", "x div")
def cdiv(cx: Context, given: Given, node: ast.AST) -> Value:
    x, d = ops.tile(cx, given.get("x"), node), ops.tile(cx, given.get("div"), node)
    one = Tile(literal(1), weak=True)
    more = ops.binary(cx, "sub", ops.binary(cx, "add", x, d, node), one, node)
    return ops.binary(cx, "floordiv", more, d, node)


@intrinsic("triton.next_power_of_2", "n")
def next_power_of_2(cx: Context, given: Given, node: ast.AST) -> Value:
    x = ops.tile(cx, given.get("n"), node)
    known = integer(x)
    if known is not None:
        return Tile(literal(1 << max(known - 1, 0).bit_length()), weak=True)
    return Tile(n.Opaque("next_power_of_2", (x.expr,), INT32, span=cx.span(node)), weak=x.weak)


@intrinsic("tl.multiple_of tl.max_contiguous tl.max_constancy", "input values")
def hint(cx: Context, given: Given, node: ast.AST) -> Value:
    return given.get("input")


@intrinsic("tl.constexpr tl.to_tensor tl.tensor tl.optimization_barrier", "value")
def as_is(cx: Context, given: Given, node: ast.AST) -> Value:
    return given.get("value")


@intrinsic("tl.static_assert", "cond msg")
def compiled_if(cx: Context, given: Given, node: ast.AST) -> Value:
    assume(cx, ops.truth(cx, given.get("cond"), node), node)
    return NONE


@intrinsic("tl.assume tl.device_assert", "cond msg")
def asserted(cx: Context, given: Given, node: ast.AST) -> Value:
    if cx.kinds.asserted:
        assume(cx, ops.truth(cx, given.get("cond"), node), node)
    return NONE


@intrinsic("tl.debug_barrier gl.barrier tl.barrier")
def barrier(cx: Context, given: Given, node: ast.AST) -> Value:
    cx.emit(n.Barrier("block", span=cx.span(node)))
    return NONE


@intrinsic(
    "tl.device_print tl.static_print builtins.print extra.gdc_wait extra.gdc_launch_dependents tl.nanosleep"
)
def effect(cx: Context, given: Given, node: ast.AST) -> Value:
    cx.emit(n.Effect("print", (), cx.span(node)))
    return NONE


# --- tiles of one value


@intrinsic("tl.zeros", "shape dtype")
def zeros(cx: Context, given: Given, node: ast.AST) -> Value:
    shape = sizes(cx, given.get("shape"), node)
    return Tile(_filled(0, _type(given.get("dtype"))), shape)


@intrinsic("tl.empty", "shape dtype")
def empty(cx: Context, given: Given, node: ast.AST) -> Value:
    return fresh(cx, "empty", [], _type(given.get("dtype")), node, sizes(cx, given.get("shape"), node))


@intrinsic("tl.zeros_like tl.empty_like", "input")
def zeros_like(cx: Context, given: Given, node: ast.AST) -> Value:
    t = ops.tile(cx, given.get("input"), node)
    return Tile(_filled(0, t.type), t.shape)


@intrinsic("tl.full", "shape value dtype")
def full(cx: Context, given: Given, node: ast.AST) -> Value:
    shape = sizes(cx, given.get("shape"), node)
    value = ops.tile(cx, given.get("value"), node)
    dtype = given.get("dtype")
    if isinstance(dtype, DType) and not isinstance(dtype.type, type(UNKNOWN)):
        value = ops.cast(cx, value, dtype.type, node)
    return replace(value, shape=shape, weak=False)


@intrinsic("tl.full_like", "input value")
def full_like(cx: Context, given: Given, node: ast.AST) -> Value:
    t = ops.tile(cx, given.get("input"), node)
    value = ops.tile(cx, given.get("value"), node)
    return replace(ops.cast(cx, value, t.type, node), shape=t.shape, weak=False)


def _type(value: Value) -> Type:
    return value.type if isinstance(value, DType) else FLOAT32 if is_none(value) else UNKNOWN


def _filled(value: int, type_: Type) -> n.Const:
    if isinstance(type_, FloatType):
        return n.Const(float(value), type_)
    return n.Const(bool(value) if isinstance(type_, BoolType) else value, type_)


# --- conversions and Python's functions


@intrinsic("tl.to tl.cast", "input dtype fp_downcast_rounding bitcast")
def cast(cx: Context, given: Given, node: ast.AST) -> Value:
    from gpulint.frontend.triton.memory import recast

    value, to = given.get("input"), given.get("dtype")
    if isinstance(to, DType) and to.pointer:
        return recast(cx, value, to, node)
    if isinstance(value, Pointer) and isinstance(to, DType):
        return ops.cast(cx, ops.tile(cx, value, node), to.type, node)
    if isinstance(value, Pointer):
        return replace(value, recast=value.recast or "another type")
    x = ops.tile(cx, value, node)
    if bool(constant(given.get("bitcast"))):
        type_ = to.type if isinstance(to, DType) else UNKNOWN
        return replace(
            x, expr=n.Opaque("bitcast", (x.expr,), type_, span=cx.span(node)), weak=False, roots=()
        )
    if isinstance(to, DType) and not isinstance(to.type, type(UNKNOWN)):
        return ops.cast(cx, x, to.type, node)
    return replace(x, expr=n.Cast(x.expr, UNKNOWN, cx.span(node)), weak=False)


@intrinsic("tl.pointer_type", "element address_space")
def pointer_type(cx: Context, given: Given, node: ast.AST) -> Value:
    element = given.get("element")
    if isinstance(element, DType):
        return DType(element.type, True, element.text)
    return DType(UNKNOWN, True, "another type")


@intrinsic("tl.get_int_dtype", "bitwidth signed")
def get_int_dtype(cx: Context, given: Given, node: ast.AST) -> Value:
    bits = integer(given.get("bitwidth"))
    signed = constant(given.get("signed")) is not False
    name = f"{'' if signed else 'u'}int{bits}"
    return DType(NAMES.get(name, UNKNOWN), text=name)


@intrinsic("torch.finfo torch.iinfo numpy.finfo numpy.iinfo", "type")
def limits(cx: Context, given: Given, node: ast.AST) -> Value:
    """The limits of an element type; those of integers are known."""
    to = given.get("type")
    type_ = to.type if isinstance(to, DType) else UNKNOWN
    out: list[Value] = []
    for which in ("min", "max", "eps", "bits", "tiny"):
        known = limit(type_, which)
        e = literal(known) if known is not None else n.Opaque(f"{ops.describe(to)} {which}", (), type_)
        out.append(Tile(e, weak=True))
    return Tuple(tuple(out), ("min", "max", "eps", "bits", "tiny"))


@intrinsic("builtins.min tl.minimum", "x y propagate_nan")
def minimum(cx: Context, given: Given, node: ast.AST) -> Value:
    return _extreme(cx, "min", given, node)


@intrinsic("builtins.max tl.maximum", "x y propagate_nan")
def maximum(cx: Context, given: Given, node: ast.AST) -> Value:
    return _extreme(cx, "max", given, node)


def _extreme(cx: Context, op: str, given: Given, node: ast.AST) -> Value:
    values = [given.get("x"), *([given.get("y")] if given.has("y") else []), *given.rest]
    if len(values) == 1 and isinstance(values[0], Tuple):
        values = list(values[0].items)
    out = ops.tile(cx, values[0], node)
    for v in values[1:]:
        out = ops.binary(cx, op, out, ops.tile(cx, v, node), node)
    return out


def _operator(op: str) -> None:
    names = f"tl.__{op}__ tl.{op}"

    @intrinsic(names, "x y")
    def run(cx: Context, given: Given, node: ast.AST) -> Value:
        a, b = ops.tile(cx, given.get("x"), node), ops.tile(cx, given.get("y"), node)
        return ops.binary(cx, _OPERATORS[op], a, b, node)


_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "floordiv": "floordiv", "mod": "mod", "lshift": "shl",
    "rshift": "shr", "and": "and", "or": "or", "xor": "xor",
}  # fmt: skip
for _op in _OPERATORS:
    _operator(_op)


@intrinsic("builtins.abs tl.abs", "x")
def abs_(cx: Context, given: Given, node: ast.AST) -> Value:
    return ops.unary(cx, "abs", ops.tile(cx, given.get("x"), node), node)


@intrinsic("builtins.int", "x")
def int_(cx: Context, given: Given, node: ast.AST) -> Value:
    x = ops.tile(cx, given.get("x"), node)
    value = constant(x)
    if isinstance(value, (int, float)) and value == value and abs(value) < 2**63:
        return Tile(literal(int(value)), weak=True)
    return x if x.weak else ops.cast(cx, x, INT32, node)


@intrinsic("builtins.float", "x")
def float_(cx: Context, given: Given, node: ast.AST) -> Value:
    value = constant(given.get("x"))
    try:
        if isinstance(value, (int, float, str)):
            return Tile(literal(float(value)), weak=True)
    except ValueError:
        pass
    return ops.cast(cx, ops.tile(cx, given.get("x"), node), FLOAT32, node)


@intrinsic("builtins.bool", "x")
def bool_(cx: Context, given: Given, node: ast.AST) -> Value:
    return ops.truth(cx, given.get("x"), node)


@intrinsic("builtins.len", "x")
def len_(cx: Context, given: Given, node: ast.AST) -> Value:
    value = given.get("x")
    if isinstance(value, Tuple):
        return Tile(literal(len(value.items)), weak=True)
    if isinstance(value, Window):
        return Tile(literal(len(value.block)), weak=True)
    return Tile(n.Opaque(f"len({ops.describe(value)})", (), INT32, span=cx.span(node)), weak=True)


@intrinsic("tl.tuple builtins.tuple builtins.list", "x")
def tuple_(cx: Context, given: Given, node: ast.AST) -> Value:
    value = given.get("x")
    return value if isinstance(value, Tuple) else Tuple((value,))


@intrinsic("builtins.isinstance builtins.hasattr builtins.callable builtins.issubclass", "x y")
def is_instance(cx: Context, given: Given, node: ast.AST) -> Value:
    value, kind = given.get("x"), given.get("y")
    if isinstance(kind, Class) and isinstance(value, Tuple):
        return Tile(literal(value.names == kind.fields), weak=True)
    name = f"isinstance({ops.describe(value)}, {ops.describe(kind)})"
    return Tile(n.Opaque(name, (), BOOL, span=cx.span(node)), weak=True)


@intrinsic("builtins.range_of tl.swizzle2d", "i j size_i size_j size_g")
def swizzle2d(cx: Context, given: Given, node: ast.AST) -> Value:
    """Row-major (i, j) of size_i by size_j to the order by groups of size_g rows."""
    i, j, rows, columns, group = (
        ops.tile(cx, given.get(k), node) for k in ("i", "j", "size_i", "size_j", "size_g")
    )

    def op(name: str, a: Tile, b: Tile) -> Tile:
        return ops.binary(cx, name, a, b, node)

    position = op("add", op("mul", i, columns), j)
    whole = op("mul", group, columns)
    first = op("mul", op("floordiv", position, whole), group)
    height = op("min", op("sub", rows, first), group)
    inside = op("mod", position, whole)
    return Tuple((op("add", first, op("mod", inside, height)), op("floordiv", inside, height)))
