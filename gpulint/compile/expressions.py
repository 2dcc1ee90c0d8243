"""Expressions of the IR as LLVM values."""

from __future__ import annotations

from dataclasses import replace

from gpulint.compile import arithmetic as ar
from gpulint.compile import mathematics
from gpulint.compile.context import ArrayValue, Context
from gpulint.compile.error import CompileError
from gpulint.compile.llvm import Value, literal, pointer, stored_type, type_of
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, INT32, INT64, BoolType

OPERATORS = ("add", "sub", "mul", "floordiv", "mod", "div", "pow")


def expression(cx: Context, e: n.Expr) -> Value:
    """The value of a typed expression, at the type that the IR gives it."""
    if isinstance(e, n.Const):
        return _constant(e)
    if isinstance(e, n.Var):
        return read(cx, e)
    if isinstance(e, n.Coord):
        return ar.convert(cx, cx.coordinate(cx, e.kind, e.axis), e.type)
    if isinstance(e, (n.Extent, n.Size, n.Stride)):
        return ar.convert(cx, Value(INT64, _measure(cx, e)), e.type)
    if isinstance(e, n.Unary):
        return ar.unary(cx, e, expression(cx, e.operand))
    if isinstance(e, n.Binary):
        if cx.point is not None and is_point(e):
            return ar.convert(cx, cx.point, e.type)
        left, right = expression(cx, e.left), expression(cx, e.right)
        return ar.binary(cx, e.op, left, right, e.type, e.span, cx.proofs.flags(e))
    if isinstance(e, n.Compare):
        return ar.compare(cx, e.op, expression(cx, e.left), expression(cx, e.right))
    if isinstance(e, n.Logic):
        return _logic(cx, e)
    if isinstance(e, n.Choose):
        return _choose(cx, e)
    if isinstance(e, n.Cast):
        return ar.convert(cx, expression(cx, e.operand), e.type)
    if isinstance(e, n.Opaque):
        return _opaque(cx, e)
    raise CompileError(f"{type(e).__name__.lower()} belongs to tile kernels", e.span)


def is_point(e: n.Expr) -> bool:
    """Whether an expression is the global index: `blockIdx.x * blockDim.x + threadIdx.x`."""
    if not isinstance(e, n.Binary) or e.op != "add":
        return False
    product, rest = (e.left, e.right) if isinstance(e.left, n.Binary) else (e.right, e.left)
    if not isinstance(product, n.Binary) or product.op != "mul":
        return False
    factors = {(p.kind, p.axis) for p in (product.left, product.right) if isinstance(p, n.Coord)}
    thread = isinstance(rest, n.Coord) and (rest.kind, rest.axis) == ("thread", 0)
    return thread and factors == {("block", 0), ("block_size", 0)}


def condition(cx: Context, e: n.Expr) -> str:
    """The register that holds whether an expression is true."""
    return ar.truth(cx, expression(cx, e)).text


def _constant(e: n.Const) -> Value:
    if isinstance(e.value, (bool, int, float)):
        return literal(e.value, e.type)
    raise CompileError("a string or None used as a number is not compiled", e.span)


def _logic(cx: Context, e: n.Logic) -> Value:
    out = ar.truth(cx, expression(cx, e.operands[0]))
    for o in e.operands[1:]:
        right = ar.truth(cx, expression(cx, o))
        out = cx.code.value(BOOL, f"{e.op} i1 {out.text}, {right.text}")
    return out


def _choose(cx: Context, e: n.Choose) -> Value:
    which = condition(cx, e.condition)
    then, other = (ar.convert(cx, expression(cx, x), e.type) for x in (e.then, e.other))
    kind = type_of(e.type, e.span)
    return cx.code.value(e.type, f"select i1 {which}, {kind} {then.text}, {kind} {other.text}")


def _opaque(cx: Context, e: n.Opaque) -> Value:
    given = [expression(cx, o) for o in e.operands]
    if e.fresh:
        from gpulint.compile.warps import collective

        return collective(cx, e, given)
    if e.name in OPERATORS and len(given) == 2:  # int64 with uint64: Numba leaves the integers
        return ar.binary(cx, e.name, given[0], given[1], e.type, e.span)
    return mathematics.function(cx, e, given)


# --- arrays


def array(cx: Context, name: str, span: Span) -> ArrayValue:
    """The array that a name stands for at this point."""
    found = cx.arrays.get(name)
    if found is None:
        raise CompileError(f"the array `{name}` has no value here", span)
    held = cx.views.get(name)
    if held is None:
        return found
    base = cx.code.get(f"load {pointer(held.space)}, ptr {held.pointer}")
    extents = tuple(cx.code.get(f"load i64, ptr {x}") for x in held.extents)
    strides = tuple(cx.code.get(f"load i64, ptr {x}") for x in held.strides)
    return replace(found, space=held.space, pointer=base, extents=extents, strides=strides)


def byte_strides(cx: Context, a: ArrayValue) -> tuple[str, ...]:
    """The strides in bytes, worked out from the extents for a contiguous array."""
    if a.strides is not None:
        return a.strides
    out = [str(a.size)]
    for extent in reversed(a.extents[1:]):
        out.append(product(cx, out[-1], extent))
    return tuple(reversed(out[: len(a.extents)]))


def product(cx: Context, a: str, b: str) -> str:
    """The product of two sizes; literals are multiplied here."""
    if a.isdigit() and b.isdigit():
        return str(int(a) * int(b))
    if "1" in (a, b):
        return b if a == "1" else a
    return cx.code.get(f"mul nuw nsw i64 {a}, {b}")


def _measure(cx: Context, e: n.Extent | n.Size | n.Stride) -> str:
    a = array(cx, e.array, e.span)
    if isinstance(e, n.Size):
        out = "1"
        for extent in a.extents:
            out = product(cx, out, extent)
        return out
    if not -len(a.extents) <= e.axis < len(a.extents):
        raise CompileError(f"`{e.array}` has no axis {e.axis}", e.span)
    if isinstance(e, n.Extent):
        return a.extents[e.axis]
    stride = byte_strides(cx, a)[e.axis]
    if e.unit == "byte":
        return stride
    return cx.code.get(f"sdiv exact i64 {stride}, {a.size}")


# --- locals


def read(cx: Context, e: n.Var) -> Value:
    """The version of a local that has the type at this place."""
    t = e.type
    slot = cx.slots.get(e.name, {}).get(t)
    if slot is None:
        raise CompileError(f"`{e.name}` has no value here", e.span)
    kind = stored_type(t, e.span)
    found = cx.code.get(f"load {kind}, ptr {slot}")
    if isinstance(t, BoolType):
        return cx.code.value(BOOL, f"trunc i8 {found} to i1")
    return Value(t, found)


def write(cx: Context, name: str, v: Value) -> None:
    """Give a local its value, in every version that it may be read as from here on."""
    from gpulint.frontend.numba.types import unify

    for t, slot in cx.slots.get(name, {}).items():
        if t == v.type or unify(v.type, t) == t:
            held = memory_form(cx, ar.convert(cx, v, t))
            cx.code.do(f"store {held[0]} {held[1]}, ptr {slot}")


def memory_form(cx: Context, v: Value) -> tuple[str, str]:
    """(type, value) of a scalar as memory holds it."""
    if isinstance(v.type, BoolType):
        return "i8", cx.code.get(f"zext i1 {v.text} to i8")
    return type_of(v.type), v.text


def int32(cx: Context, v: Value) -> str:
    return ar.convert(cx, v, INT32).text
