"""Expressions compiled to closures over the environment of a thread.

An environment is a list: slot 0 holds the thread, the next ones coordinates and sizes, the rest
locals, scalar parameters and arrays. A closure never raises: what has no value is POISON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpulint.interp import values as v
from gpulint.interp.memory import Region
from gpulint.interp.values import POISON, UNDEFINED
from gpulint.ir import nodes as n
from gpulint.ir.collectives import COLLECTIVES
from gpulint.ir.printer import type_name
from gpulint.ir.span import Span
from gpulint.ir.types import BoolType, FloatType, IntType

Env = list[Any]
Evaluate = Callable[[Env], Any]
Finish = Callable[[Env, Any], Any]

COORDS = ("thread", "block", "block_size", "grid_size")
LANE_SLOT = 1 + 3 * len(COORDS)
FIRST_NAME = LANE_SLOT + 1
MEANINGFUL_SIGN = {"floordiv", "mod", "truncdiv", "truncmod", "shr", "min", "max"}


class Names:
    """Slots of the names of one kernel."""

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}

    def slot(self, name: str) -> int:
        return self.slots.setdefault(name, FIRST_NAME + len(self.slots))


def coord_slot(kind: str, axis: int) -> int:
    return 1 + 3 * COORDS.index(kind) + axis


def expression(e: n.Expr, names: Names) -> Evaluate:
    """The closure that evaluates `e`."""
    return _COMPILERS[type(e)](e, names)


def constant(value: Any) -> Evaluate:
    return lambda env: value


def _const(e: n.Const, names: Names) -> Evaluate:
    return constant(v.Text(e.value) if isinstance(e.value, str) else e.value)


def _read(slot: int) -> Evaluate:
    return lambda env: env[slot]


def _var(e: n.Var, names: Names) -> Evaluate:
    return _read(names.slot(e.name))


def _coord(e: n.Coord, names: Names) -> Evaluate:
    if e.kind == "warp_size":
        return constant(32)
    if e.kind == "lane":
        return _read(LANE_SLOT)
    return _read(coord_slot(e.kind, e.axis)) if e.kind in COORDS else constant(POISON)


def _of_region(name: str, names: Names, get: Callable[[Region], Any]) -> Evaluate:
    slot = names.slot(name)

    def run(env: Env) -> Any:
        region = env[slot]
        return get(region) if region.__class__ is Region else POISON

    return run


def _extent(e: n.Extent, names: Names) -> Evaluate:
    axis = e.axis

    def get(region: Region) -> Any:
        return region.extents[axis] if -len(region.extents) <= axis < len(region.extents) else POISON

    return _of_region(e.array, names, get)


def _size(e: n.Size, names: Names) -> Evaluate:
    return _of_region(e.array, names, Region.size)


def _stride(e: n.Stride, names: Names) -> Evaluate:
    return _of_region(e.array, names, lambda region: region.stride(e.axis, e.unit))


def note_wrap(env: Env, span: Span, what: str, value: int, t: IntType) -> int:
    """Report that `value` leaves `t`; gives what the register holds."""
    detail = f"{what}: {value} does not fit {type_name(t)}"
    thread = env[0]
    thread.machine.report("wrap", span, thread.point, detail=detail)
    return t.wrap(value)


def fit(t: IntType, span: Span, what: str) -> Finish:
    """Bring the result of an integer operation into its type, reporting when it leaves it."""
    lo, hi = t.lo, t.hi

    def finish(env: Env, value: Any) -> Any:
        if isinstance(value, int):
            value = int(value)
            return value if lo <= value <= hi else note_wrap(env, span, what, value, t)
        return value

    return finish


def _as_float(env: Env, value: Any) -> Any:
    try:
        return float(value)
    except UNDEFINED:
        return v.unclear(value)


def _as_bool(env: Env, value: Any) -> Any:
    return v.truth(value)


def _capped(env: Env, value: Any) -> Any:
    if isinstance(value, (int, float, bool)):
        return value if isinstance(value, float) or value.bit_length() <= v.MAX_BITS else POISON
    return v.unclear(value)


def finisher(t: n.ValueType, span: Span, what: str) -> Finish:
    if isinstance(t, IntType):
        return fit(t, span, what)
    if isinstance(t, FloatType):
        return _as_float
    return _as_bool if isinstance(t, BoolType) else _capped


def _binary(e: n.Binary, names: Names) -> Evaluate:
    left, right = expression(e.left, names), expression(e.right, names)
    op = v.BINARY[e.op]
    finish = finisher(e.type, e.span, e.op)
    if not isinstance(e.type, IntType):
        return _generic(left, right, op, finish)
    if e.op in MEANINGFUL_SIGN:
        return _converting(left, right, op, finish, e)
    if e.op in ("pow", "shl"):
        return _bounded(left, right, op, e)
    lo, hi = e.type.lo, e.type.hi
    if e.op in ("and", "or", "xor"):
        return _bitwise(left, right, op, e.type)

    def run(env: Env) -> Any:
        try:
            value = op(left(env), right(env))
        except UNDEFINED:
            return POISON
        return value if value.__class__ is int and lo <= value <= hi else finish(env, value)

    return run


def _generic(left: Evaluate, right: Evaluate, op: Callable[[Any, Any], Any], finish: Finish) -> Evaluate:
    def run(env: Env) -> Any:
        try:
            value = op(left(env), right(env))
        except UNDEFINED:
            return POISON
        return finish(env, value)

    return run


def _converting(
    left: Evaluate, right: Evaluate, op: Callable[[Any, Any], Any], finish: Finish, e: n.Binary
) -> Evaluate:
    """Operations whose result depends on the operands' values in the type, not on their residue."""
    assert isinstance(e.type, IntType)
    convert = fit(e.type, e.span, f"operand of {e.op}")
    shift = e.op == "shr"

    def run(env: Env) -> Any:
        a, b = convert(env, left(env)), right(env)
        try:
            return finish(env, op(a, b if shift else convert(env, b)))
        except UNDEFINED:
            return POISON

    return run


def _bitwise(left: Evaluate, right: Evaluate, op: Callable[[Any, Any], Any], t: IntType) -> Evaluate:
    """On bit patterns nothing leaves the width."""

    def run(env: Env) -> Any:
        try:
            return t.wrap(op(left(env), right(env)))
        except UNDEFINED:
            return POISON

    return run


def _bounded(left: Evaluate, right: Evaluate, op: Callable[[Any, Any], Any], e: n.Binary) -> Evaluate:
    """Powers and left shifts, whose exact result may be too large to write down."""
    t, span, name = e.type, e.span, e.op
    assert isinstance(t, IntType)
    finish = fit(t, span, name)

    def run(env: Env) -> Any:
        a, b = left(env), right(env)
        try:
            if b < 0 or (name == "shl" and b >= t.bits):
                return POISON
            if name == "pow" and abs(a) > 1 and b > t.bits:
                detail = f"pow: {a} ** {b} does not fit {type_name(t)}"
                env[0].machine.report("wrap", span, env[0].point, detail=detail)
                return t.wrap(pow(a, b, 1 << t.bits))
            return finish(env, op(a, b))
        except UNDEFINED:
            return POISON

    return run


def _unary(e: n.Unary, names: Names) -> Evaluate:
    operand = expression(e.operand, names)
    if e.op == "not":

        def negated(env: Env) -> Any:
            value = v.truth(operand(env))
            return value if value is POISON else not value

        return negated
    op = v.UNARY[e.op]
    finish = finisher(e.type, e.span, e.op)
    if e.op == "invert" and isinstance(e.type, IntType):
        t = e.type
        finish = lambda env, value: t.wrap(value) if isinstance(value, int) else POISON  # noqa: E731

    def run(env: Env) -> Any:
        try:
            return finish(env, op(operand(env)))
        except UNDEFINED:
            return POISON

    return run


def _compare(e: n.Compare, names: Names) -> Evaluate:
    left, right = expression(e.left, names), expression(e.right, names)
    op = v.COMPARE[e.op]

    def run(env: Env) -> Any:
        a, b = left(env), right(env)
        if a is POISON or b is POISON:
            return POISON
        try:
            return op(a, b)
        except TypeError:
            return POISON

    return run


def _logic(e: n.Logic, names: Names) -> Evaluate:
    """Left to right, stopping early; an unknown operand is overruled by a deciding one."""
    operands = tuple(expression(o, names) for o in e.operands)
    deciding = e.op == "or"

    def run(env: Env) -> Any:
        unknown = False
        for operand in operands:
            value = v.truth(operand(env))
            if value is POISON:
                unknown = True
            elif value is deciding:
                return deciding
        return POISON if unknown else not deciding

    return run


def _choose(e: n.Choose, names: Names) -> Evaluate:
    condition = expression(e.condition, names)
    then, other = expression(e.then, names), expression(e.other, names)

    def run(env: Env) -> Any:
        which = v.truth(condition(env))
        if which is POISON:
            return POISON
        return then(env) if which else other(env)

    return run


def _cast(e: n.Cast, names: Names) -> Evaluate:
    operand = expression(e.operand, names)
    finish = finisher(e.type, e.span, "cast")
    to_int = isinstance(e.type, IntType)

    def run(env: Env) -> Any:
        value = operand(env)
        if not isinstance(value, (int, float)):
            return v.unclear(value)
        try:
            return finish(env, int(value) if to_int else value)
        except UNDEFINED:
            return POISON

    return run


def _bits(e: n.Opaque, operand: Evaluate) -> Evaluate:
    """A count over the bits of an integer, as wide as its type."""
    count, t = v.BITS[e.name], e.operands[0].type
    assert isinstance(t, IntType)
    bits = t.bits

    def run(env: Env) -> Any:
        value = operand(env)
        return count(value & ((1 << bits) - 1), bits) if isinstance(value, int) else v.unclear(value)

    return run


def _received(env: Env) -> Any:
    return env[0].received


def _opaque(e: n.Opaque, names: Names) -> Evaluate:
    if e.fresh and e.name in COLLECTIVES:
        return _received
    if e.name in v.BITS and e.operands and isinstance(e.operands[0].type, IntType):
        return _bits(e, expression(e.operands[0], names))
    function = None if e.fresh else v.function(e.name)
    if function is None:
        return constant(POISON)
    operands = tuple(expression(o, names) for o in e.operands)
    finish = finisher(e.type, e.span, e.name)

    def run(env: Env) -> Any:
        try:
            return finish(env, function(*[o(env) for o in operands]))
        except UNDEFINED:
            return POISON

    return run


_COMPILERS: dict[type, Callable[[Any, Names], Evaluate]] = {
    n.Const: _const, n.Var: _var, n.Coord: _coord, n.Extent: _extent, n.Size: _size, n.Stride: _stride,
    n.Unary: _unary, n.Binary: _binary, n.Compare: _compare, n.Logic: _logic, n.Choose: _choose,
    n.Cast: _cast, n.Opaque: _opaque,
}  # fmt: skip
