"""Lanes: which axes of its tile a value varies along, and tile values at other coordinates.

A tile value is a term over the symbols lane0, lane1, ...; to take it at other coordinates is to
substitute those. A header variable whose closed form is not known yet is still a plain symbol that
hides its lanes, so a term with one is kept in a `$relane` application until the form is there; the
lanes of its operand are bound there under names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast

from gpulint import term as t
from gpulint.dataflow.graph import Graph, Node
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.term import App, Atom, Bool, Int, Scope, Sym
from gpulint.term.build import of_atom
from gpulint.term.walk import transform

RELANE = "$relane"
T = TypeVar("T", Int, Bool)
X = TypeVar("X")
Lanes = frozenset[int]
Sizes = dict[int, frozenset[int]]  # axis -> nodes of the sizes of the tiles that a value is made of
NONE: Lanes = frozenset()


# --- which axes --------------------------------------------------------------------------------


def lanes(graph: Graph) -> list[Lanes]:
    """For each node, the axes along which its value may vary (an over-approximation)."""
    every = frozenset(_axes(graph))
    return _fixpoint(graph, NONE, lambda node, known: _lanes(node, known, every))


def _axes(graph: Graph) -> Iterable[int]:
    """The axes of all tiles of the kernel."""
    for node in graph.nodes:
        if node.kind == "lane":
            yield node.data
        elif node.kind == "fresh":
            yield from range(getattr(node.expr, "rank", 0))
    for e in graph.events:
        yield from range(len(e.lanes))


def _lanes(node: Node, known: list[Lanes], every: Lanes) -> Lanes:
    if node.kind == "lane":
        return frozenset((node.data,))
    if node.kind in ("load", "result"):
        return frozenset(range(len(node.data.lanes)))
    if node.kind == "fresh":
        return frozenset(range(node.expr.rank)) if isinstance(node.expr, n.Opaque) else every
    if node.kind == "relane":
        operand, *others = node.inputs
        gone = {a for a in known[operand] if a >= len(others)}
        return frozenset(gone).union(*(known[others[a]] for a in known[operand] if a < len(others)))
    return NONE.union(*(known[i] for i in node.inputs))


def sizes(graph: Graph) -> list[Sizes]:
    """For each node, the sizes of the axes of its tile, as far as they are known."""
    return _fixpoint(graph, {}, _sizes)


def _sizes(node: Node, known: list[Sizes]) -> Sizes:
    if node.kind == "lane":
        return {node.data: frozenset(node.inputs)}
    if node.kind in ("load", "result"):
        return {axis: frozenset((size,)) for axis, size in enumerate(node.data.lanes)}
    out: Sizes = {}
    for i in node.inputs[1:] if node.kind == "relane" else () if node.kind == "fresh" else node.inputs:
        for axis, found in known[i].items():
            out[axis] = out.get(axis, NONE) | found
    return out


def _fixpoint(graph: Graph, start: X, rule: Callable[[Node, list[X]], X]) -> list[X]:
    out = [start] * len(graph.nodes)
    changed = True
    while changed:
        changed = False
        for node in graph.nodes:
            new = rule(node, out)
            if new != out[node.id]:
                out[node.id], changed = new, True
    return out


# --- other coordinates -------------------------------------------------------------------------


def mapping(coordinates: Iterable[Int]) -> dict[Atom, Int | Bool]:
    """What to put in place of each lane."""
    return {lane_atom(axis): there for axis, there in enumerate(coordinates)}


def lane_atom(axis: int) -> Sym:
    return cast(Sym, symbols.lane(axis).atom)


def moved(term: T, coordinates: tuple[Int, ...]) -> T:
    """The value whose lane k is lane `coordinates[k]` of `term`."""
    if not hidden(term):
        return t.subst(term, mapping(coordinates))
    inside = t.subst(term, {lane_atom(a): _bound(a) for a in range(len(coordinates))})
    return cast(T, _wrapped(inside, coordinates))


def _wrapped(inside: Int | Bool, coordinates: tuple[Int, ...]) -> Int | Bool:
    if isinstance(inside, Int):
        return t.fn(RELANE, inside, *coordinates, lo=inside.lo, hi=inside.hi)
    return t.bool_app(RELANE, t.select(inside, 1, 0), *coordinates)


def _bound(axis: int) -> Int:
    return t.sym(f"$lane{axis}", Scope.POINT, 0)


def hidden(term: Int | Bool) -> bool:
    """Whether header variables without a closed form are in the term."""
    return any(s.name.startswith("$") and not s.name.startswith("$lane") for s in t.symbols(term))


def settled(term: T) -> T:
    """The term with every coordinate change made whose operand is in closed form now."""
    if not any(a.data == RELANE for a in t.apps(term, op="fn")):
        return term
    return transform(term, _settle)


def _settle(a: Atom) -> Int | None:
    if not isinstance(a, App) or a.data != RELANE:
        return None
    inside: Int = a.args[0]
    coordinates: tuple[Int, ...] = a.args[1:]
    axes = range(len(coordinates))
    if hidden(inside):
        inside = t.subst(inside, {lane_atom(axis): _bound(axis) for axis in axes})
        return t.fn(RELANE, inside, *coordinates, lo=a.lo, hi=a.hi)
    there = {cast(Sym, _bound(axis).atom): coordinates[axis] for axis in axes}
    return t.subst(inside, {**there, **mapping(coordinates)})


__all__ = ["lanes", "moved", "settled", "sizes"]


def numel_facts(shape: tuple[n.Expr, ...], sized: Mapping[str, Int]) -> list[Bool]:
    """That a tile has at most so many elements; of a square one, what that says of its side."""
    total = t.ONE
    for e in shape:
        size = sized.get(e.name) if isinstance(e, n.Var) else None
        if isinstance(e, n.Const) and isinstance(e.value, int):
            size = t.const(e.value)
        if size is None:
            return []
        total = t.mul(total, size)
    out = [t.le(total, symbols.MAX_TILE)]
    if len(total.terms) == 1 and len(set(total.terms[0][0])) == 1:
        mono, count = total.terms[0]
        side = round((symbols.MAX_TILE // count) ** (1 / len(mono)))
        side -= side ** len(mono) * count > symbols.MAX_TILE
        out.append(t.le(of_atom(mono[0]), side))
    return out
