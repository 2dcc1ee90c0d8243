"""Python's builtins, math, NumPy's scalar functions and operator."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gpulint.frontend.numba import operators as ops
from gpulint.frontend.numba import quotients
from gpulint.frontend.numba.attributes import extent, shape
from gpulint.frontend.numba.calls import INTRINSICS, PREFIXES, Intrinsic, intrinsic, one, scalars
from gpulint.frontend.numba.context import Context
from gpulint.frontend.numba.inline import NONE, Arguments
from gpulint.frontend.numba.loops import over
from gpulint.frontend.numba.memory import allocate, arange, reduce
from gpulint.frontend.numba.types import is_int, unify
from gpulint.frontend.numba.values import SCALARS, Array, Bounds, Iteration, Tuple, Unresolved, Value
from gpulint.frontend.shared.limits import NotHandled
from gpulint.ir import nodes as n
from gpulint.ir.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT64, UNKNOWN, FloatType, IntType, Type

ZERO, ONE = n.Const(0, INT64), n.Const(1, INT64)

# --- iteration


@intrinsic("builtins.range", "numba.prange", indexed=range(3))
def range_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    cx.index += 1
    parts = list(scalars(cx, given, node))
    cx.index -= 1
    if not 1 <= len(parts) <= 3:
        raise NotHandled("a range without bounds", node)
    start, stop = (ZERO, parts[0]) if len(parts) == 1 else (parts[0], parts[1])
    step = parts[2] if len(parts) == 3 else ONE
    return Bounds(start, stop, step, _range_type(parts))


def _range_type(parts: list[n.Expr]) -> Type:
    types = {p.type for p in parts}
    if types == {UINT64}:
        return UINT64
    narrow = all(isinstance(t, IntType) and t.bits <= 32 and (t.signed or t.bits < 32) for t in types)
    return INT32 if narrow else INT64


def iteration(cx: Context, value: Value, node: ast.AST) -> Iteration | Tuple:
    """Anything that a loop runs over, by position."""
    if isinstance(value, (Tuple, Iteration)):
        return value
    if isinstance(value, Array):
        return over(cx, value, node)
    if isinstance(value, Bounds):
        b = value
        trips = ops.binary(cx, "sub", b.stop, b.start, node)
        if b.step != ONE:
            up = ops.binary(cx, "sub", ops.binary(cx, "add", trips, b.step, node), ONE, node)
            trips = ops.binary(cx, "floordiv", up, b.step, node)

        def at(k: n.Expr) -> Value:
            return ops.binary(cx, "add", b.start, ops.binary(cx, "mul", k, b.step, node), node)

        return Iteration(Bounds(ZERO, trips, ONE, INT64), at)
    raise NotHandled("a loop over something that is not a range, array or tuple", node)


@intrinsic("builtins.enumerate")
def enumerate_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    start = ops.scalar(cx, given.positional[1], node) if len(given.positional) > 1 else ZERO
    inner = iteration(cx, given.positional[0] if given.positional else NONE, node)
    if isinstance(inner, Tuple):
        numbers = [ops.binary(cx, "add", start, n.Const(i, INT64), node) for i in range(len(inner.items))]
        return Tuple(tuple(Tuple((i, v)) for i, v in zip(numbers, inner.items, strict=False)))
    return Iteration(inner.bounds, lambda k: Tuple((ops.binary(cx, "add", k, start, node), inner.at(k))))


@intrinsic("builtins.zip")
def zip_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    parts = [iteration(cx, v, node) for v in given.positional]
    tuples = [p for p in parts if isinstance(p, Tuple)]
    runs = [p for p in parts if isinstance(p, Iteration)]
    if not runs:
        return Tuple(tuple(Tuple(row) for row in zip(*(t.items for t in tuples), strict=False)))
    if tuples:
        raise NotHandled("zip of tuples with arrays", node)
    stop = ops.extreme(cx, "min", [p.bounds.stop for p in runs], node)
    return Iteration(Bounds(ZERO, stop, ONE, INT64), lambda k: Tuple(tuple(p.at(k) for p in runs)))


@intrinsic("builtins.reversed")
def reversed_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    inner = iteration(cx, given.positional[0] if given.positional else NONE, node)
    if isinstance(inner, Tuple):
        return Tuple(tuple(reversed(inner.items)))
    last = ops.binary(cx, "sub", inner.bounds.stop, ONE, node)
    return Iteration(inner.bounds, lambda k: inner.at(ops.binary(cx, "sub", last, k, node)))


@intrinsic("builtins.tuple", "builtins.list", "numba.literal_unroll")
def same(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return given.positional[0] if given.positional else Tuple(())


@intrinsic("builtins.len")
def len_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    value = given.positional[0] if given.positional else NONE
    if isinstance(value, Tuple):
        return n.Const(len(value.items), INT64)
    if isinstance(value, Unresolved):
        from gpulint.frontend.numba.closures import array_closure

        value = array_closure(cx, value, cx.frame.facts.get(value.text).ndim, node)
    if isinstance(value, Array):
        return extent(cx, value, 0, node)
    raise NotHandled("len of something that is neither array nor tuple", node)


# --- numbers


@intrinsic("builtins.min", "np.minimum", "np.fmin")
def min_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return _extreme(cx, "min", node, given)


@intrinsic("builtins.max", "np.maximum", "np.fmax")
def max_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return _extreme(cx, "max", node, given)


def _extreme(cx: Context, op: str, node: ast.Call, given: Arguments) -> Value:
    values = given.positional
    if len(values) == 1 and isinstance(values[0], Array):
        return reduce(cx, op, node, given)
    if len(values) == 1 and isinstance(values[0], Tuple):
        values = values[0].items
    if not values:
        raise NotHandled(f"{op} without values", node)
    return ops.extreme(cx, op, [ops.scalar(cx, v, node) for v in values], node)


@intrinsic("builtins.abs", "np.abs", "np.absolute", "math.fabs", "np.fabs")
def abs_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return ops.unary(cx, "abs", one(cx, given, node), node)


@intrinsic("builtins.int", "math.trunc")
def int_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    """Integers keep their type."""
    if not given.positional:
        return ZERO
    value = one(cx, given, node)
    if isinstance(value.type, IntType):
        return value
    return ops.cast(cx, value, INT64, node)


@intrinsic("builtins.float")
def float_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return ops.cast(cx, one(cx, given, node), FLOAT64, node) if given.positional else n.Const(0.0, FLOAT64)


@intrinsic("builtins.bool")
def bool_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return ops.truth(cx, given.positional[0] if given.positional else NONE, node)


@intrinsic("builtins.divmod")
def divmod_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    a, b = _two(cx, node, given)
    return Tuple((ops.binary(cx, "floordiv", a, b, node), ops.binary(cx, "mod", a, b, node)))


def _two(cx: Context, node: ast.Call, given: Arguments) -> tuple[n.Expr, n.Expr]:
    operands = scalars(cx, given, node)
    if len(operands) != 2:
        raise NotHandled("a function of two numbers with another count", node)
    return operands[0], operands[1]


@intrinsic("builtins.pow", "np.power", "np.float_power")
def pow_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    if len(given.positional) == 2:
        return ops.binary(cx, "pow", *_two(cx, node, given), node)
    return cx.opaque("pow", scalars(cx, given, node), UNKNOWN, node)


@intrinsic("builtins.round")
def round_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    operands = scalars(cx, given, node)
    if len(operands) == 1 and isinstance(operands[0].type, IntType):
        return operands[0]
    return cx.opaque("round", operands, INT64 if len(operands) == 1 else FLOAT64, node)


@intrinsic("np.round", "np.rint", "np.around")
def rint(cx: Context, node: ast.Call, given: Arguments) -> Value:
    """NumPy's rounding stays a float; integers as they are."""
    operands = scalars(cx, given, node)
    if len(operands) == 1 and isinstance(operands[0].type, IntType):
        return operands[0]
    type_ = operands[0].type if operands and isinstance(operands[0].type, FloatType) else FLOAT64
    return cx.opaque("rint" if len(operands) == 1 else "round", operands, type_, node)


@intrinsic("builtins.sum")
def sum_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    values = given.positional[0] if given.positional else NONE
    if not isinstance(values, Tuple):
        return reduce(cx, "sum", node, given)
    out: n.Expr = ZERO
    for v in values.items:
        out = ops.binary(cx, "add", out, ops.scalar(cx, v, node), node)
    return out


@intrinsic("builtins.print", "builtins.str", "builtins.repr", "builtins.format")
def print_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    operands = tuple(v for v in given.positional if isinstance(v, SCALARS))
    cx.emit(n.Effect("print", operands, cx.span(node)))
    return NONE


@intrinsic("builtins.isinstance", "builtins.hasattr", "builtins.callable", "builtins.issubclass")
def isinstance_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    """Settled when Numba compiles, by types that the source does not give."""
    operands = tuple(v for v in given.positional if isinstance(v, SCALARS))
    return cx.opaque("isinstance", operands, BOOL, node)


@intrinsic("builtins.complex")
def complex_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return cx.opaque("complex", scalars(cx, given, node), UNKNOWN, node)


# --- math and NumPy


def _rounding(up: bool, integer: bool) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        value = one(cx, given, node)
        rounded = quotients.ceil if up else quotients.floor
        known = value if is_int(value.type) else rounded(value, cx.fast)
        if known is not None:
            return known if integer else n.Cast(known, FLOAT64, cx.span(node))
        type_ = INT64 if integer else value.type if isinstance(value.type, FloatType) else FLOAT64
        return cx.opaque("ceil" if up else "floor", (value,), type_, node)

    return lower


for _library, _whole in (("math", True), ("np", False)):
    INTRINSICS[f"{_library}.floor"] = _rounding(False, _whole)
    INTRINSICS[f"{_library}.ceil"] = _rounding(True, _whole)


@intrinsic("np.where")
def where(cx: Context, node: ast.Call, given: Arguments) -> Value:
    if len(given.positional) != 3:
        raise NotHandled("np.where with one argument", node)
    condition = ops.truth(cx, given.positional[0], node)
    a, b = (ops.scalar(cx, v, node) for v in given.positional[1:])
    if isinstance(condition, n.Const):
        return a if condition.value else b
    return n.Choose(condition, a, b, unify(a.type, b.type), cx.span(node))


@intrinsic("np.shape")
def shape_(cx: Context, node: ast.Call, given: Arguments) -> Value:
    if given.positional and isinstance(given.positional[0], Array):
        return shape(cx, given.positional[0], node)
    raise NotHandled("np.shape of something that is not an array", node)


_PREDICATES = frozenset(("isnan", "isinf", "isfinite", "isclose", "signbit"))
_TUPLES = {"frexp": INT32, "modf": None}  # the type of their second result; None: that of the first
_ALLOCATING = frozenset(
    ("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like")
)
_WHOLE = frozenset((
    "arange", "linspace", "array", "asarray", "copy", "dot", "concatenate", "sort", "argsort", "searchsorted",
    "interp",
))  # fmt: skip
_REDUCTIONS = frozenset((
    "sum", "prod", "mean", "var", "std", "min", "max", "amin", "amax", "all", "any", "argmin", "argmax",
    "median", "nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd", "nanmedian",
    "count_nonzero",
))  # fmt: skip


def _function(name: str) -> Intrinsic:
    """A function of numbers that is not looked into."""
    last = name.rpartition(".")[2]

    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        if last in _ALLOCATING:
            return allocate(cx, last, node, given)
        if last == "arange" and not given.keywords:
            return arange(cx, given, node)
        if any(isinstance(v, (Array, Unresolved)) for v in given.positional[:1]) and last in _REDUCTIONS:
            return reduce(cx, last, node, given)
        if last in _WHOLE or any(isinstance(v, Array) for v in given.positional):
            raise NotHandled(f"{name} on whole arrays", node)
        operands = scalars(cx, given, node)
        if last in _TUPLES:
            first = _result(last, operands)
            types = (first, _TUPLES[last] or first)
            return Tuple(tuple(cx.opaque(f"{last}.{i}", operands, t, node) for i, t in enumerate(types)))
        return cx.opaque(last, operands, _result(last, operands), node)

    return lower


def _result(name: str, operands: tuple[n.Expr, ...]) -> Type:
    if name in _PREDICATES:
        return BOOL
    if name in ("gcd", "lcm"):
        return INT64
    types = [o.type for o in operands]
    if name == "sign" and types:
        return types[0]
    if name == "ldexp":
        return FLOAT32 if types and types[0] == FLOAT32 else FLOAT64
    if types and all(t == FLOAT32 for t in types):
        return FLOAT32
    known = all(is_int(t) or isinstance(t, FloatType) for t in types)
    return FLOAT64 if known or not types else UNKNOWN if name == "conj" else FLOAT64


PREFIXES["math."] = _function
PREFIXES["cuda.bf16."] = lambda name: _complex(name)
PREFIXES["cuda.fp16."] = lambda name: _complex(name)
PREFIXES["cmath."] = lambda name: _complex(name)
PREFIXES["np."] = _function


def _complex(name: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        return cx.opaque(name, scalars(cx, given, node), UNKNOWN, node)

    return lower


# --- operator

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "floordiv": "floordiv", "mod": "mod", "truediv": "div",
    "pow": "pow", "lshift": "shl", "rshift": "shr", "and_": "and", "or_": "or", "xor": "xor",
}  # fmt: skip


def _operation(op: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        return ops.binary(cx, op, *_two(cx, node, given), node)

    return lower


def _comparison(op: str) -> Intrinsic:
    def lower(cx: Context, node: ast.Call, given: Arguments) -> Value:
        return ops.compare(cx, op, *_two(cx, node, given), node)

    return lower


_Maker = Callable[[str], Intrinsic]
for _name, _op in _OPERATORS.items():
    INTRINSICS[f"operator.{_name}"] = _operation(_op)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    INTRINSICS[f"operator.{_name}"] = _comparison(_name)


@intrinsic("operator.neg")
def neg(cx: Context, node: ast.Call, given: Arguments) -> Value:
    return ops.unary(cx, "neg", one(cx, given, node), node)
