"""Short constructors for tile kernels: values know how to combine, as the source would write them."""

from __future__ import annotations

import itertools
from typing import Any

from gpulint.interp import ConcreteArray, ConcreteLaunch
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.tiles import sized
from gpulint.ir.types import BOOL, FLOAT32, INT32, INT64, ArrayType


def at(row: int) -> Span:
    return Span("k.py", row, 0, row, 20)


_columns = itertools.count(100)


def _place() -> Span:
    """A place of its own for each operation."""
    column = next(_columns)
    return Span("k.py", 1, column, 1, column + 1)


class X:
    """An expression; operators build the next one with the wider of the operands' integer types."""

    def __init__(self, e: Any) -> None:
        self.e = e

    @property
    def type(self) -> Any:
        return getattr(self.e, "type", INT32)

    def _binary(self, op: str, other: Any, swapped: bool = False) -> X:
        other = x(other)
        kind = INT64 if INT64 in (self.type, other.type) else self.type
        a, b = (other, self) if swapped else (self, other)
        return X(n.Binary(op, a.e, b.e, kind, _place()))

    def _compare(self, op: str, other: Any) -> X:
        return X(n.Compare(op, self.e, x(other).e))

    def same(self, o: Any) -> X:
        return self._compare("eq", o)

    def __and__(self, o: Any) -> X:
        return X(n.Logic("and", (self.e, x(o).e)))

    def __or__(self, o: Any) -> X:
        return X(n.Logic("or", (self.e, x(o).e)))

    def col(self, size: Any) -> X:
        """`self[:, None]` for a tile of this size."""
        return self.move(lane(0, size))

    def row(self, size: Any) -> X:
        """`self[None, :]` for a tile of this size."""
        return self.move(lane(1, size))

    def move(self, *lanes: Any) -> X:
        """The tile at other coordinates."""
        return X(n.Relane(self.e, tuple(x(v).e for v in lanes), self.type))

    def wide(self) -> X:
        return X(n.Cast(self.e, INT64))


def _operators() -> None:
    """Arithmetic and comparisons of `X`, as Triton has them."""
    arithmetic = {
        "add": "add",
        "sub": "sub",
        "mul": "mul",
        "floordiv": "truncdiv",
        "mod": "truncmod",
        "xor": "xor",
    }
    for name, op in arithmetic.items():
        setattr(X, f"__{name}__", lambda self, o, op=op: self._binary(op, o))
        setattr(X, f"__r{name}__", lambda self, o, op=op: self._binary(op, o, True))
    for op in ("lt", "le", "gt", "ge"):
        setattr(X, f"__{op}__", lambda self, o, op=op: self._compare(op, o))


_operators()


def x(value: Any) -> X:
    """A number, a name or an expression as an expression."""
    if isinstance(value, X):
        return value
    if isinstance(value, bool):
        return X(n.Const(value, BOOL))
    if isinstance(value, int):
        return X(n.Const(value, INT32))
    return X(n.Const(value, FLOAT32)) if isinstance(value, float) else X(value)


def v(name: str, type_: Any = INT32) -> X:
    return X(n.Var(name, type_))


def pid(axis: int = 0) -> X:
    return X(n.Coord("block", axis, INT32))


def programs(axis: int = 0) -> X:
    return X(n.Coord("grid_size", axis, INT32))


def lane(axis: int, size: Any) -> X:
    return X(n.Lane(axis, x(size).e, INT32))


def arange(end: Any, start: int = 0) -> X:
    return lane(0, end) + start if start else lane(0, end)


def where(c: Any, a: Any, b: Any) -> X:
    return X(n.Choose(x(c).e, x(a).e, x(b).e, x(a).type))


def cdiv(a: Any, b: Any) -> X:
    return (x(a) + (x(b) - 1)) // b


def let(name: str, value: Any, row: int = 1) -> n.Assign:
    return n.Assign(name, x(value).e, at(row))


def _mask(mask: Any) -> Any:
    return None if mask is None else x(mask).e


def load(target: str, array: str, offset: Any, lanes: Any = (), mask: Any = None, other: Any = None,
         row: int = 1, type_: Any = FLOAT32) -> n.Load:  # fmt: skip
    given = None if other is None else x(other).e
    return n.Load(target, array, (x(offset).e,), type_, False, "", _shape(lanes), _mask(mask), given, at(row))


def store(
    array: str, offset: Any, lanes: Any = (), mask: Any = None, value: Any = 1, row: int = 1
) -> n.Store:
    return n.Store(array, (x(offset).e,), x(value).e, False, "", _shape(lanes), _mask(mask), at(row))


def atomic(array: str, offset: Any, lanes: Any = (), mask: Any = None, value: Any = 1, op: str = "add",
           target: str = "", row: int = 1) -> n.Atomic:  # fmt: skip
    given = (x(value).e,)
    return n.Atomic(
        op, array, (x(offset).e,), given, target, "device", False, _shape(lanes), _mask(mask), at(row)
    )


def _shape(lanes: Any) -> tuple[Any, ...]:
    return tuple(x(e).e for e in (lanes if isinstance(lanes, tuple) else (lanes,)))


def when(c: Any, *then: Any, other: tuple[Any, ...] = (), row: int = 1) -> n.If:
    return n.If(x(c).e, then, other, at(row))


def loop(target: str, start: Any, stop: Any, step: Any, *body: Any, row: int = 1) -> n.For:
    return n.For(target, x(start).e, x(stop).e, x(step).e, body, INT32, at(row))


def unknown(name: str, *operands: Any, rank: int = 0, type_: Any = INT32, follows: Any = (),
            row: int = 1) -> X:  # fmt: skip
    """The result of a reduction, a dot, a sort."""
    return X(n.Opaque(name, tuple(x(o).e for o in operands), type_, True, rank, at(row), follows))


def kernel(*body: Any, element: Any = FLOAT32, elements: Any = None) -> n.Kernel:
    """A kernel over the arrays and the free names of the statements; capital names are constexpr."""
    from gpulint.ir.walk import assigned, walk

    nodes = [e for s in body for e in walk(s)]
    arrays = dict.fromkeys(e.array for e in nodes if isinstance(e, (n.Load, n.Store, n.Atomic)))
    local = assigned(tuple(body))
    scalars = dict.fromkeys(e.name for e in nodes if isinstance(e, n.Var) and e.name not in local)
    kinds = {name: (elements or {}).get(name, element) for name in arrays}
    params = [n.Param(name, ArrayType(kind, 1)) for name, kind in kinds.items()]
    params += [n.Param(name, INT32, constexpr=name.isupper()) for name in scalars]
    return sized(n.Kernel("k", "k", "triton", tuple(params), tuple(body), at(1), at(1)))


def launch(grid: Any = 1, max_reports: int = 1, points: Any = None, arrays: Any = None,
           **numbers: int) -> ConcreteLaunch:  # fmt: skip
    """Arrays as `name=size` in `arrays` (or a ConcreteArray), everything else is a scalar."""
    sizes = (grid, 1, 1) if isinstance(grid, int) else grid
    given = {k: a if isinstance(a, ConcreteArray) else ConcreteArray((a,)) for k, a in (arrays or {}).items()}
    return ConcreteLaunch(sizes, (1, 1, 1), given, numbers, points, 0, 200_000, max_reports)
