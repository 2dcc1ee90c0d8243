"""numba.cuda: coordinates, barriers, memory, warps, random numbers."""

from __future__ import annotations

import ast
import re

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba.calls import (
    INTRINSICS,
    PREFIXES,
    Intrinsic,
    given_array,
    intrinsic,
    one,
    scalars,
)
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.inline import NONE, Arguments
from gpulint.frontend.numba.memory import element_type, make
from gpulint.frontend.numba.values import SCALARS, Array, Foreign, Named, Tuple, Unresolved, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.collectives import COLLECTIVES
from gpulint.ir.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, UNKNOWN, FloatType, Type

# --- coordinates


def _coord(cx: Context, kind: str, axis: int, node: ast.AST) -> n.Coord:
    return n.Coord(kind, axis, INT32, cx.span(node))


def _grid_axis(cx: Context, axis: int, node: ast.AST) -> n.Expr:
    """Computed in 32 bits: some versions of Numba do, and wrap there."""
    block, size = _coord(cx, "block", axis, node), _coord(cx, "block_size", axis, node)
    base = n.Binary("mul", block, size, INT32, cx.span(node))
    return n.Binary("add", base, _coord(cx, "thread", axis, node), INT32, cx.span(node))


def _gridsize_axis(cx: Context, axis: int, node: ast.AST) -> n.Expr:
    size, count = _coord(cx, "block_size", axis, node), _coord(cx, "grid_size", axis, node)
    return n.Binary("mul", size, count, INT32, cx.span(node))


def _axes(cx: Context, node: ast.Call, given: Arguments, whole: bool) -> Value:
    count = given.positional[0] if given.positional else next(iter(given.keywords.values()), NONE)
    if not isinstance(count, n.Const) or not isinstance(count.value, int) or not 1 <= count.value <= 3:
        return Foreign(cx.fresh("grid", UNKNOWN, node))  # which Numba refuses: anything
    cx.rank = max(cx.rank, int(count.value))
    axis = _gridsize_axis if whole else _grid_axis
    if count.value == 1:
        return axis(cx, 0, node)
    return Tuple(tuple(axis(cx, i, node) for i in range(count.value)))


@intrinsic("cuda.grid")
def grid(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return _axes(cx, node, given, False)


@intrinsic("cuda.gridsize")
def gridsize(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return _axes(cx, node, given, True)


# --- barriers and fences


@intrinsic("cuda.syncthreads")
def syncthreads(cx: Context, node: ast.Call, given: Arguments) -> Value:
    cx.emit(n.Barrier("block", span=cx.span(node)))
    return NONE


def _vote(kind: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        target, operand = cx.names.unique("vote"), one(cx, given, node)
        cx.emit(n.Barrier("block", None, target, operand, cx.span(node), kind))
        return n.Var(target, INT32, cx.span(node))

    return lower


for _name in ("and", "or", "count"):
    INTRINSICS[f"cuda.syncthreads_{_name}"] = _vote(_name)


@intrinsic("cuda.syncwarp")
def syncwarp(cx: Context, node: ast.Call, given: Arguments) -> Value:
    mask = one(cx, given, node) if given.positional else None
    cx.emit(n.Barrier("warp", mask, span=cx.span(node)))
    return NONE


def _fence(kind: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        cx.emit(n.Barrier(kind, span=cx.span(node)))
        return NONE

    return lower


INTRINSICS["cuda.threadfence"] = _fence("fence_device")
INTRINSICS["cuda.threadfence_block"] = _fence("fence_block")
INTRINSICS["cuda.threadfence_system"] = _fence("fence_system")
INTRINSICS["cuda.cg.grid_group.sync"] = _fence("grid")


@intrinsic("cuda.cg.this_grid")
def this_grid(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return Named("cuda.cg.grid_group")


# --- memory


def _allocate(space: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        return _allocation(cx, space, node, given)

    return lower


INTRINSICS["cuda.shared.array"] = _allocate("shared")
INTRINSICS["cuda.local.array"] = _allocate("local")


def _allocation(cx: Context, space: str, node: ast.Call, given: Arguments) -> Value:
    shape = given.positional[0] if given.positional else given.keywords.get("shape", NONE)
    dtype = given.positional[1] if len(given.positional) > 1 else given.keywords.get("dtype", NONE)
    return make(cx, space, shape, element_type(dtype), node)


@intrinsic("cuda.const.array_like")
def array_like(cx: Context, node: ast.Call, given: Arguments) -> Value:
    if not given.positional:
        raise NotHandled("cuda.const.array_like without an array", node)
    value = given.positional[0]
    rank = cx.frame.facts.get(value.text).ndim if isinstance(value, Unresolved) else None
    if isinstance(value, Tuple):
        return value
    return given_array(cx, value, rank, node)


def _cached_load(cx: Context, node: ast.Call, given: Arguments) -> Value:
    array = given_array(cx, given.positional[0], None, node)
    return cx.loaded(array, positions(cx, given.positional[1], node), array.field, cx.span(node))


def _cached_store(cx: Context, node: ast.Call, given: Arguments) -> Value:
    array = given_array(cx, given.positional[0], None, node)
    at, value = positions(cx, given.positional[1], node), ops.scalar(cx, given.positional[2], node)
    cx.emit(n.Store(array.name, at, value, True, array.field, span=cx.span(node)))
    return NONE


for _name in ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"):
    intrinsic(f"cuda.{_name}", indexed=(1,))(_cached_load)
for _name in ("stcg", "stcs", "stwb", "stwt"):
    intrinsic(f"cuda.{_name}", indexed=(1,))(_cached_store)


def positions(cx: Context, value: Value, node: ast.AST) -> tuple[n.Expr, ...]:
    """The subscripts that an index argument means: a number or a tuple of them."""
    items = value.items if isinstance(value, Tuple) else (value,)
    return tuple(ops.scalar(cx, v, node) for v in items)


# --- atomics

_ATOMIC_OPS = {
    "add": "add", "sub": "sub", "max": "max", "min": "min", "nanmax": "nanmax", "nanmin": "nanmin",
    "and_": "and", "or_": "or", "xor": "xor", "inc": "inc", "dec": "dec", "exch": "exch", "cas": "cas",
}  # fmt: skip


def _atomic(op: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        p = (*given.positional, *given.keywords.values())
        if len(p) < 3:
            raise NotHandled("an atomic without its operands", node)
        at = positions(cx, p[1], node)
        return atomic(cx, op, given_array(cx, p[0], len(at), node), at, tuple(p[2:]), node)

    return lower


def atomic(
    cx: Context, op: str, array: Array, at: tuple[n.Expr, ...], values: tuple[Value, ...], node: ast.AST
) -> Value:
    if array.type.ndim is not None and len(at) != array.type.ndim:
        raise NotHandled(
            f"an atomic with {len(at)} subscripts on {array.name}, which has {array.type.ndim}", node
        )
    operands = tuple(ops.scalar(cx, v, node) for v in values)
    target = cx.temporary(f"{array.name}.old")
    cx.emit(n.Atomic(op, array.name, at, operands, target, "device", True, span=cx.span(node)))
    return n.Var(target, cx.element(array), cx.span(node))


for _name, _op in _ATOMIC_OPS.items():
    intrinsic(f"cuda.atomic.{_name}", indexed=(1,))(_atomic(_op))


@intrinsic("cuda.atomic.compare_and_swap")
def compare_and_swap(cx: Context, node: ast.Call, given: Arguments) -> Value:
    """On the first element of the array."""
    if len(given.positional) != 3:
        raise NotHandled("compare_and_swap without its operands", node)
    array = given_array(cx, given.positional[0], 1, node)
    return atomic(cx, "cas", array, (n.Const(0, INT64),), given.positional[1:], node)


# --- warps


def _warp(name: str, mask_first: bool, result: Type | None) -> Intrinsic:
    """A collective: the named lanes meet, and the result is theirs together, unknown to one."""

    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        operands = scalars(cx, given, node)
        mask = operands[0] if mask_first and operands else None
        known = name if mask is not None and name in COLLECTIVES else ""
        brought = operands[1:] if known else ()
        cx.emit(n.Barrier("warp", mask, span=cx.span(node), orders=False, collective=known, given=brought))
        type_ = result if result is not None else (operands[1].type if len(operands) > 1 else UNKNOWN)
        value = cx.fresh(name, type_, node, operands)
        if name == "match_all_sync":  # the lanes, if all have the same value, and whether there are any
            span = cx.span(node)
            return Tuple((value, n.Compare("ne", value, n.Const(0, INT32, span), span)))
        if name.endswith("_intrinsic"):
            return Tuple((value, cx.fresh(f"{name}.predicate", BOOL, node, operands)))
        return value

    return lower


for _name in ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"):
    INTRINSICS[f"cuda.{_name}"] = _warp(_name, True, None)
for _name in ("all_sync", "any_sync", "eq_sync"):
    INTRINSICS[f"cuda.{_name}"] = _warp(_name, True, BOOL)
for _name in ("ballot_sync", "match_any_sync", "match_all_sync"):
    INTRINSICS[f"cuda.{_name}"] = _warp(_name, True, INT32)
for _name in ("vote_sync_intrinsic", "shfl_sync_intrinsic", "match_sync_intrinsic"):
    INTRINSICS[f"cuda.{_name}"] = _warp(_name, True, UNKNOWN)


@intrinsic("cuda.lanemask_lt")
def lower_lanes(cx: Context, node: ast.Call, given: Arguments) -> Value:
    """The lanes below one's own, as bits."""
    span = cx.span(node)
    bit = n.Binary("shl", n.Const(1, INT64, span), n.Coord("lane", 0, INT32, span), INT64, span)
    return n.Cast(n.Binary("sub", bit, n.Const(1, INT64, span), INT64, span), UINT32, span)


@intrinsic("cuda.activemask")
def mask(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return cx.fresh("activemask", UINT32, node)


# --- scalar functions


def _scalar(name: str, type_: Type | None) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        operands = scalars(cx, given, node)
        result = type_ or (operands[0].type if operands else UNKNOWN)
        return cx.opaque(name, operands, result, node)

    return lower


for _name in ("popc", "clz", "ffs"):
    INTRINSICS[f"cuda.{_name}"] = _scalar(_name, INT32)
for _name in ("brev", "fma", "cbrt", "rsqrt", "byte_perm"):
    INTRINSICS[f"cuda.{_name}"] = _scalar(_name, None)


@intrinsic("cuda.selp")
def selp(cx: Context, node: ast.Call, given: Arguments) -> Value:
    from gpulint.frontend.numba.types import unify

    if len(given.positional) != 3:
        raise NotHandled("selp without its operands", node)
    condition = ops.truth(cx, given.positional[0], node)
    a, b = (ops.scalar(cx, v, node) for v in given.positional[1:])
    if isinstance(condition, n.Const):
        return a if condition.value else b
    return n.Choose(condition, a, b, unify(a.type, b.type), cx.span(node))


@intrinsic("cuda.nanosleep", "cuda.profile_start", "cuda.profile_stop", "cuda.breakpoint")
def effect(cx: Context, node: ast.Call, given: Arguments) -> Value:
    operands = tuple(v for v in given.positional if isinstance(v, SCALARS))
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "call")
    cx.emit(n.Effect(name, operands, cx.span(node)))
    return NONE


def _prefixed(name: str) -> Intrinsic:
    """libdevice and fp16: pure functions of numbers."""
    last = name.rpartition(".")[2]

    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        operands = scalars(cx, given, node)
        first = operands[0].type if operands else UNKNOWN
        type_ = FLOAT32 if last.endswith("f") else first if isinstance(first, FloatType) else UNKNOWN
        if last.rstrip("f") in ("sincos", "sincospi", "modf", "frexp", "remquo", "fast_sincos"):
            types = (type_, INT32 if last.rstrip("f") == "frexp" else type_)
            return Tuple(tuple(cx.opaque(f"{last}.{i}", operands, t, node) for i, t in enumerate(types)))
        return cx.opaque(last, operands, type_, node)

    return lower


PREFIXES["cuda.libdevice."] = _prefixed
PREFIXES["cuda.fp16."] = _prefixed
PREFIXES["cuda.mathfuncs."] = _prefixed

# --- random numbers


def _random(name: str) -> Intrinsic:
    """Reads and writes one state."""
    last = name.rpartition(".")[2]
    type_ = FLOAT32 if last.endswith("32") else FLOAT64 if last.endswith("64") else UNKNOWN

    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        p = (*given.positional, *given.keywords.values())
        if len(p) < 2:
            raise NotHandled("a random number without state and index", node)
        array = given_array(cx, p[0], 1, node)
        at = positions(cx, p[1], node)
        old = cx.loaded(array, at, array.field, cx.span(node))
        new = cx.opaque("next_state", (old,), UNKNOWN, node)
        cx.emit(n.Store(array.name, at, new, True, array.field, span=cx.span(node)))
        return cx.fresh(last, type_, node)

    return lower


PREFIXES["cuda.random.xoroshiro128p_"] = _random
PREFIXES["cuda.random.init_xoroshiro128p_state"] = _random

# --- short vectors

_VECTOR = re.compile(
    r"cuda\.(?:(?:u?int|float)(?:8|16|32|64)x|(?:u?(?:char|short|int|long|longlong)|float|double))([1-4])$"
)


def vector(name: str) -> Intrinsic | None:
    """The constructor of `cuda.float32x4` and its like: as many components."""
    found = _VECTOR.match(name)
    if found is None:
        return None
    count = int(found.group(1))

    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        items: list[Value] = []
        for v in given.positional:
            items.extend(v.items if isinstance(v, Tuple) else (v,))
        if len(items) == 1:
            items *= count
        if len(items) != count:
            raise NotHandled(f"{len(items)} values for a vector of {count}", node)
        return Tuple(tuple(items))

    return lower
