"""Expressions of a tile kernel, evaluated for a whole tile at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpulint.interp import tilevalues as tv
from gpulint.interp import values as v
from gpulint.interp.launch import UNDEFINED_LANE, Point
from gpulint.interp.memory import Region
from gpulint.interp.schedule import Triple
from gpulint.interp.thread import Cut, charge
from gpulint.interp.tilereduce import combined
from gpulint.interp.tilevalues import Tile, Undefined, Unfit, Value
from gpulint.interp.values import POISON, UNDEFINED
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.symbols import MAX_TILE

if TYPE_CHECKING:
    from gpulint.interp.machine import Machine
    from gpulint.interp.thread import Thread

EXTREMES: dict[str, Callable[..., Any]] = {"max": max, "min": min}


class Frame:
    """One program as it runs: its place and the values of its locals and arrays."""

    def __init__(self, thread: Thread, env: dict[str, Any]) -> None:
        self.thread, self.env = thread, env
        self.machine: Machine = thread.machine
        self.met = 0  # how often all lanes have come to one place

    def value(self, e: n.Expr) -> Value:
        """The value of an expression; Cut when its tiles do not fit together."""
        try:
            out = _EVALUATE[type(e)](self, e)
        except Unfit as error:
            raise Cut("not-executable", e.span, str(error)) from None
        if isinstance(out, Tile):
            charge(self.thread, len(out.data), e.span)
        return out

    def size(self, e: n.Expr, span: Span) -> int:
        """The size of an axis of a tile."""
        size = self.value(e)
        if not isinstance(size, int) or not 1 <= size <= MAX_TILE:
            raise Cut("not-executable", span, f"a tile of size {size!r}")
        return int(size)

    def meet(self) -> None:
        """A barrier, or what may hold one once compiled: all lanes come here before any goes on."""
        self.met += 1

    def wrapped(self, value: Any, span: Span, at: tuple[int, ...] = ()) -> None:
        """Report an element that decides something, if it left its width on the way or is undefined."""
        if value.__class__ is tv.Wrapped:
            self.machine.report("wrap", value.span, self.point(at), detail=value.detail)
        elif value.__class__ is Undefined:
            self.used(value, span)

    def used(self, value: Undefined, span: Span) -> None:
        """Report an undefined lane that something makes use of."""
        for x in value.origins:
            where = x.by or span
            self.machine.report(
                UNDEFINED_LANE, x.span, x.point, array=x.array, other_span=where, detail=x.what
            )

    def point(self, at: tuple[int, ...] = ()) -> Point:
        """The program with the coordinates of a lane, of the first three axes."""
        return (self.thread.block.index, padded(at))


def padded(at: tuple[int, ...]) -> Triple:
    """The coordinates of a lane as the thread part of a point: those of the first three axes."""
    x, y, z = (*at, 0, 0, 0)[:3]
    return (x, y, z)


def _const(f: Frame, e: n.Const) -> Value:
    return v.Text(e.value) if isinstance(e.value, str) else e.value


def _var(f: Frame, e: n.Var) -> Value:
    return f.env.get(e.name, POISON)


def _coord(f: Frame, e: n.Coord) -> Value:
    if e.kind == "block":
        return f.thread.block.index[e.axis]
    return f.machine.launch.grid[e.axis] if e.kind == "grid_size" else POISON


def _region(f: Frame, name: str, get: Callable[[Region], Any]) -> Value:
    region = f.env.get(name)
    return get(region) if region.__class__ is Region else POISON


def _extent(f: Frame, e: n.Extent) -> Value:
    return _region(f, e.array, lambda r: r.extents[e.axis] if e.axis < len(r.extents) else POISON)


def _size(f: Frame, e: n.Size) -> Value:
    return _region(f, e.array, Region.size)


def _stride(f: Frame, e: n.Stride) -> Value:
    return _region(f, e.array, lambda r: r.stride(e.axis, e.unit))


def _unary(f: Frame, e: n.Unary) -> Value:
    return tv.each(tv.unary(e.op, e.type, e.span), f.value(e.operand))


def _binary(f: Frame, e: n.Binary) -> Value:
    return tv.each(tv.binary(e.op, e.type, e.span), f.value(e.left), f.value(e.right))


def _compare(f: Frame, e: n.Compare) -> Value:
    return tv.each(tv.compare(e.op), f.value(e.left), f.value(e.right))


def _logic(f: Frame, e: n.Logic) -> Value:
    return tv.each(tv.logic(e.op), *(f.value(o) for o in e.operands), lenient=True)


def _choose(f: Frame, e: n.Choose) -> Value:
    return tv.each(tv.choose, f.value(e.condition), f.value(e.then), f.value(e.other), lenient=True)


def _cast(f: Frame, e: n.Cast) -> Value:
    return tv.each(tv.cast(e.type, e.span), f.value(e.operand))


def _lane(f: Frame, e: n.Lane) -> Value:
    return tv.grid(e.axis, f.size(e.size, e.span))


def _relane(f: Frame, e: n.Relane) -> Value:
    """Gather: the element at the computed coordinates."""
    operand = f.value(e.operand)
    if not isinstance(operand, Tile):
        return operand
    if operand.axes[-1] >= len(e.lanes):
        raise Cut("not-executable", e.span, "a tile is taken at too few coordinates")
    lanes = [f.value(e.lanes[axis]) for axis in operand.axes]

    def element(*at: Any) -> Any:
        place = 0
        for i, size in zip(at, operand.shape, strict=True):
            if i is POISON or not 0 <= i < size:
                return POISON
            place = place * size + int(i)
        return tv.marked(operand.data[place], *at)

    return tv.each(element, *lanes, maybe=operand.undefined)


def _opaque(f: Frame, e: n.Opaque) -> Value:
    last = e.name.rpartition(".")[2]
    if e.fresh:
        given = [f.value(o) for o in e.operands]
        if any(isinstance(g, Tile) for g in given):
            f.meet()
        if any(map(tv.undefined, given)):
            return combined(e, given)
        extreme = EXTREMES.get(last) if e.rank == 0 and len(given) == 1 else None
        return POISON if extreme is None else _extreme(extreme, given[0])
    function = v.function(e.name)

    def element(*given: Any) -> Any:
        if function is None:
            return POISON
        try:
            return tv.marked(tv.finish(function(*given), e.type, e.span, e.name), *given)
        except UNDEFINED:
            return POISON

    return tv.each(element, *(f.value(o) for o in e.operands))


def _extreme(function: Callable[..., Any], value: Value) -> Value:
    """The largest or smallest element: the same however often each is repeated along other axes."""
    data = value.data if isinstance(value, Tile) else [value]
    if not all(isinstance(d, int) for d in data):
        return POISON
    return tv.marked(function(data), *data)


_EVALUATE: dict[type, Callable[[Frame, Any], Value]] = {
    n.Const: _const, n.Var: _var, n.Coord: _coord, n.Extent: _extent, n.Size: _size, n.Stride: _stride,
    n.Unary: _unary, n.Binary: _binary, n.Compare: _compare, n.Logic: _logic, n.Choose: _choose,
    n.Cast: _cast, n.Opaque: _opaque, n.Lane: _lane, n.Relane: _relane,
}  # fmt: skip
