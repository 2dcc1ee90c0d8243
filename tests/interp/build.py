"""Short constructors for kernels and launches of interpreter tests."""

from __future__ import annotations

from typing import Any

from gpulint import interp
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Outcome
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, FLOAT32, INT32, INT64, UNKNOWN, ArrayType


def at(row: int) -> Span:
    return Span("k.py", row, 0, row, 20)


def c(value: Any) -> n.Const:
    kind = {bool: BOOL, int: INT64, float: FLOAT32}.get(type(value), UNKNOWN)
    return n.Const(value, kind)


def e(value: Any) -> Any:
    """A name, a number or an expression, as an expression."""
    if isinstance(value, str):
        return n.Var(value, INT64)
    return c(value) if isinstance(value, (int, float, bool)) or value is None else value


def op(name: str, left: Any, right: Any, type_: Any = INT64, row: int = 1) -> n.Binary:
    return n.Binary(name, e(left), e(right), type_, at(row))


def cmp(name: str, left: Any, right: Any) -> n.Compare:
    return n.Compare(name, e(left), e(right))


TX, TY = n.Coord("thread", 0, INT32), n.Coord("thread", 1, INT32)
BX, BDX, GDX = (n.Coord(k, 0, INT32) for k in ("block", "block_size", "grid_size"))
GRID = op("add", op("mul", BX, BDX), TX)


def let(target: str, value: Any, row: int = 1) -> n.Assign:
    return n.Assign(target, e(value), at(row))


def load(target: str, array: str, *subs: Any, row: int = 1, wraps: bool = True) -> n.Load:
    return n.Load(target, array, tuple(map(e, subs)), UNKNOWN, wraps, span=at(row))


def store(array: str, *subs: Any, value: Any = 1, row: int = 1, wraps: bool = True) -> n.Store:
    return n.Store(array, tuple(map(e, subs)), e(value), wraps, span=at(row))


def atomic(kind: str, array: str, *subs: Any, operands: tuple[Any, ...] = (1,), target: str = "",
           scope: str = "device", row: int = 1) -> n.Atomic:  # fmt: skip
    return n.Atomic(kind, array, tuple(map(e, subs)), tuple(map(e, operands)), target, scope, span=at(row))


def when(condition: Any, *then: Any, other: tuple[Any, ...] = (), row: int = 1) -> n.If:
    return n.If(e(condition), then, other, at(row))


def loop(
    target: str, start: Any, stop: Any, step: Any, *body: Any, row: int = 1, type_: Any = INT64
) -> n.For:
    return n.For(target, e(start), e(stop), e(step), body, type_, at(row))


def sync(row: int = 1, kind: str = "block", **more: Any) -> n.Barrier:
    return n.Barrier(kind, span=at(row), **more)


def shared(name: str, size: int, element: Any = INT64, space: str = "shared", row: int = 1) -> n.Alloc:
    return n.Alloc(name, ArrayType(element, 1, space), (c(size),), span=at(row))


def kernel(*body: Any, element: Any = INT64, **ranks: int | None) -> n.Kernel:
    """A kernel over array parameters given as `name=rank`; a rank of -1 makes a scalar, None no rank."""
    params = tuple(
        n.Param(name, INT64 if rank == -1 else ArrayType(element, rank)) for name, rank in ranks.items()
    )
    return n.Kernel("k", "k", "numba", params, body, at(1), at(1))


def launch(grid: Any = 1, block: Any = 1, scalars: Any = None, max_reports: int = 1, points: Any = None,
           max_steps: int = 100_000, dynamic_shared: int = 0, **arrays: Any) -> ConcreteLaunch:  # fmt: skip
    def sizes(x: Any) -> Any:
        return (x, 1, 1) if isinstance(x, int) else x

    given = {
        name: a if isinstance(a, ConcreteArray) else ConcreteArray((a,) if isinstance(a, int) else a)
        for name, a in arrays.items()
    }
    return ConcreteLaunch(
        sizes(grid), sizes(block), given, scalars or {}, points, dynamic_shared, max_steps, max_reports
    )


def kinds(outcome: Outcome) -> list[str]:
    return [v.kind for v in outcome.violations]


def run(k: n.Kernel, **how: Any) -> Outcome:
    return interp.run(k, launch(**how))


def values(k: n.Kernel, name: str = "x", **how: Any) -> dict[int, Any]:
    """What the run wrote into a 1-D array; the run must be clean."""
    outcome = run(k, **how)
    assert outcome.violations == [], outcome.violations
    return {i: v for (i,), v in outcome.written[name].items()}


def value_of(expression: Any, **how: Any) -> Any:
    """The value of an expression, or None when it is unknown."""
    outcome = run(kernel(store("x", 0, value=expression), element=UNKNOWN, x=1), x=1, **how)
    assert outcome.violations == [], outcome.violations
    return outcome.written["x"][(0,)]
