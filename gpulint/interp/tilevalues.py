"""Tile values: elements in row-major order along the axes on which a value depends.

An element is an exact integer, a Python float, a bool or `POISON`; an integer that left its width is a
`Wrapped`, which remembers where. It is reported only when it decides something: as a subscript of an
element that is accessed, in a mask, or in a branch. So is the value of a lane that a load left out, an
`Undefined`, and where it is stored.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gpulint.interp import values as v
from gpulint.interp.launch import Point
from gpulint.interp.values import POISON, UNDEFINED
from gpulint.ir.printer import type_name
from gpulint.ir.span import Span
from gpulint.ir.symbols import MAX_TILE
from gpulint.ir.types import BoolType, FloatType, IntType, Type

QUICK = {"add", "sub", "mul"}  # integers give an integer, whatever their size
MEANINGFUL_SIGN = {"floordiv", "mod", "truncdiv", "truncmod", "shr", "min", "max"}


class Wrapped(int):
    """An integer (or a condition, as 0 or 1) that some operation took out of its width on the way."""

    span: Span
    detail: str

    @classmethod
    def of(cls, value: int, span: Span, detail: str) -> Wrapped:
        out = cls(value)
        out.span, out.detail = span, detail
        return out


@dataclass(frozen=True)
class Undefined:
    """The value of a lane that a load leaves out, and of all that is made of it.

    `point` is that lane, `by` and `what` the first operation on its way that combines lanes. `also`: lanes of
    other loads that the value depends on as well.
    """

    span: Span
    array: str
    point: Point
    by: Span | None = None
    what: str = ""
    also: tuple[Undefined, ...] = ()

    def combined(self, by: Span, what: str) -> Undefined:
        """The value after an operation that combines lanes."""
        also = tuple(x.combined(by, what) for x in self.also)
        return replace(self, also=also) if self.by is not None else replace(self, by=by, what=what, also=also)

    @property
    def origins(self) -> tuple[Undefined, ...]:
        return (self, *self.also)


@dataclass(frozen=True, eq=False)
class Tile:
    """Elements along some axes of a tile; the value is the same along every other axis.

    `undefined`: some element may be `Undefined`.
    """

    axes: tuple[int, ...]
    shape: tuple[int, ...]
    data: list[Any]
    undefined: bool = False

    @classmethod
    def of(cls, axes: tuple[int, ...], shape: tuple[int, ...], data: list[Any], maybe: bool = True) -> Tile:
        """The tile, looked through for undefined elements where there may be any."""
        return cls(axes, shape, data, maybe and any(d.__class__ is Undefined for d in data))


Value = Any  # an element, or a Tile
Sizes = dict[int, int]


class Unfit(Exception):
    """Tiles that do not fit together: of different shapes, or too large as one."""


def sizes(*values: Value) -> Sizes:
    """The sizes of the axes on which the values depend. Raises Unfit."""
    out: Sizes = {}
    for value in values:
        if isinstance(value, Tile):
            for axis, size in zip(value.axes, value.shape, strict=True):
                if out.setdefault(axis, size) != size:
                    raise Unfit("the tiles have different shapes")
    return dict(sorted(out.items()))


def spread(value: Value, over: Sizes) -> Iterator[Any]:
    """The elements of a value over all coordinates of these axes, in row-major order."""
    if not isinstance(value, Tile):
        return itertools.repeat(value, math.prod(over.values()))
    if value.axes == tuple(over):
        return iter(value.data)
    return (value.data[i] for i in _places(value, over))


def _places(value: Tile, over: Sizes) -> Iterator[int]:
    """The place in `value` of each coordinate."""
    steps: dict[int, int] = {}
    step = 1
    for axis, size in zip(reversed(value.axes), reversed(value.shape), strict=True):
        steps[axis] = step
        step *= size
    places = [0]
    for axis, size in over.items():
        stride = steps.get(axis, 0)
        places = [p + stride * i for p in places for i in range(size)]
    return iter(places)


def depends(given: Iterable[Any]) -> Undefined | None:
    """The value of what depends on these: undefined as any of them is, else None."""
    marks = [x for g in given if g.__class__ is Undefined for x in g.origins]
    if len(marks) < 2:
        return marks[0] if marks else None
    each_ = list({(x.span, x.by): replace(x, also=()) for x in reversed(marks)}.values())[::-1]
    return replace(each_[0], also=tuple(each_[1:]))


def strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, undefined where an operand is."""

    def run(*given: Any) -> Any:
        return depends(given) or function(*given)

    return run


def undefined(value: Value) -> bool:
    """Whether the value, or some element of it, is undefined."""
    return value.undefined if value.__class__ is Tile else value.__class__ is Undefined


def each(function: Callable[..., Any], *values: Value, lenient: bool = False, maybe: bool = False) -> Value:
    """The function applied element by element.

    `lenient`: it takes undefined operands itself. `maybe`: it may give undefined elements of its own.
    """
    maybe = maybe or any(map(undefined, values))
    if maybe and not lenient:
        function = strict(function)
    if not any(isinstance(value, Tile) for value in values):
        return function(*values)
    over = sizes(*values)
    if math.prod(over.values()) > MAX_TILE:
        raise Unfit(f"a tile of {math.prod(over.values())} elements")
    data = list(map(function, *(spread(value, over) for value in values)))
    return Tile.of(tuple(over), tuple(over.values()), data, maybe)


def grid(axis: int, size: int) -> Tile:
    """The coordinate along an axis."""
    return Tile((axis,), (size,), list(range(size)))


# --- elements ----------------------------------------------------------------------------------


def marked(value: Any, *given: Any) -> Any:
    """The value, with the mark of the first operand that wrapped."""
    for g in given:
        if g.__class__ is Wrapped:
            if isinstance(value, int):
                return Wrapped.of(int(value), g.span, g.detail)
            return value
    return value


def fit(value: Any, t: IntType, span: Span, what: str) -> Any:
    """An integer as its type holds it."""
    if not isinstance(value, int):
        return value
    if t.lo <= value <= t.hi:
        return int(value) if value.__class__ is bool else value
    return Wrapped.of(t.wrap(value), span, f"{what}: {int(value)} does not fit {type_name(t)}")


def finish(value: Any, t: Type, span: Span, what: str) -> Any:
    """The result of an operation in its type."""
    if isinstance(t, IntType):
        return fit(value, t, span, what)
    if isinstance(t, FloatType):
        return float(value)
    if isinstance(t, BoolType):
        return v.truth(value)
    return POISON if isinstance(value, int) and value.bit_length() > v.MAX_BITS else value


def binary(op: str, t: Type, span: Span) -> Callable[[Any, Any], Any]:
    """An arithmetic operation on elements; what has no value is POISON."""
    apply = v.BINARY[op]
    quick = isinstance(t, IntType) and op in QUICK
    lo, hi = (t.lo, t.hi) if isinstance(t, IntType) else (0, 0)

    def run(a: Any, b: Any) -> Any:
        if quick and a.__class__ is int and b.__class__ is int:
            value = apply(a, b)
            if lo <= value <= hi:
                return value
        if a is POISON or b is POISON:
            return POISON
        try:
            return marked(_binary(op, apply, a, b, t, span), a, b)
        except UNDEFINED:
            return POISON

    return run


def _binary(op: str, apply: Callable[[Any, Any], Any], a: Any, b: Any, t: Type, span: Span) -> Any:
    if not isinstance(t, IntType):
        return finish(apply(_plain(a), _plain(b)), t, span, op)
    if op in ("and", "or", "xor"):
        return t.wrap(apply(_plain(a), _plain(b)))
    if op == "shl" and not 0 <= b < t.bits:
        return POISON
    if op == "pow" and abs(a) > 1 and b > t.bits:
        return Wrapped.of(t.wrap(pow(int(a), int(b), 1 << t.bits)), span, f"pow does not fit {type_name(t)}")
    if op in MEANINGFUL_SIGN:
        x, y = fit(a, t, span, f"operand of {op}"), fit(b, t, span, f"operand of {op}")
        return marked(fit(apply(_plain(x), _plain(y)), t, span, op), x, y)
    return fit(apply(_plain(a), _plain(b)), t, span, op)


def _plain(value: Any) -> Any:
    return int(value) if value.__class__ is Wrapped else value


def compare(op: str) -> Callable[[Any, Any], Any]:
    apply = v.COMPARE[op]

    def run(a: Any, b: Any) -> Any:
        if a is POISON or b is POISON:
            return POISON
        try:
            return marked(apply(a, b), a, b)
        except TypeError:
            return POISON

    return run


def unary(op: str, t: Type, span: Span) -> Callable[[Any], Any]:
    def run(a: Any) -> Any:
        if a is POISON:
            return POISON
        try:
            if op == "not":
                return marked(not a, a)
            if op == "invert" and isinstance(t, BoolType):
                return marked(not a, a)
            value = v.UNARY[op](_plain(a))
            if op == "invert" and isinstance(t, IntType):
                return marked(t.wrap(value), a)
            return marked(finish(value, t, span, op), a)
        except UNDEFINED:
            return POISON

    return run


def cast(t: Type, span: Span) -> Callable[[Any], Any]:
    def run(a: Any) -> Any:
        if not isinstance(a, (int, float)):
            return POISON
        try:
            value = int(a) if isinstance(t, IntType) else _plain(a)
            return marked(finish(value, t, span, "cast"), a)
        except UNDEFINED:
            return POISON

    return run


def logic(op: str) -> Callable[..., Any]:
    """And and or; a deciding operand overrules an unknown one."""
    deciding = op == "or"

    def run(*given: Any) -> Any:
        defined = [g for g in given if g.__class__ is not Undefined]
        truths = [v.truth(g) for g in defined]
        if deciding in truths:
            return marked(deciding, *given)
        if POISON in truths:
            return POISON
        return marked(not deciding, *given) if len(defined) == len(given) else strict(run)(*given)

    return run


def choose(c: Any, a: Any, b: Any) -> Any:
    if c.__class__ is Undefined:
        return c
    which = v.truth(c)
    return POISON if which is POISON else marked(a if which else b, c)
