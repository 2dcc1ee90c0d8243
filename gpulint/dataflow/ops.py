"""The integer operations on the way to an address or a guard: what no-wrap is asked of.

An operation that feeds a guard must fit wherever it is computed; one that feeds only addresses, where
the access happens. The slice stops at loads: their own subscripts are accesses of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from gpulint import term as t
from gpulint.dataflow import text
from gpulint.dataflow.access import Access, IntOp
from gpulint.dataflow.graph import Event, Node
from gpulint.dataflow.late import widened_late
from gpulint.dataflow.modular import modular
from gpulint.dataflow.needed import SAME, Use, uses
from gpulint.dataflow.signs import truncates
from gpulint.dataflow.values import bits_kept
from gpulint.ir import symbols
from gpulint.ir.types import INT32, INT64, FloatType, IntType
from gpulint.term import Int
from gpulint.term.build import of_atom

if TYPE_CHECKING:
    from gpulint.dataflow.analysis import Analysis

_MAY_LEAVE = {"add", "sub", "mul", "shl", "pow", "neg", "abs", "floordiv", "truncdiv"}


def operations(a: Analysis) -> Iterator[IntOp]:
    """Every operation that could leave its width, once for each place where it matters."""
    events = [e for e in a.graph.events if e.kind in ("load", "store", "atomic")]
    guards = a.graph.ancestors(_conditions(a, events), through_loads=False)
    seen: set[IntOp] = set()
    for i in sorted(guards):
        node = a.graph.nodes[i]
        found = _term(a, node)
        if found is None:
            continue
        everywhere = _make(a, node, found, _reached(a, node), a.graph.chain(node.loop), "guard")
        if everywhere.guard != t.FALSE and everywhere not in seen:
            seen.add(everywhere)
            yield everywhere
    late = widened_late(a.graph) if a.graph.tile else frozenset()
    for event, access in _pairs(a, events):
        free = modular(a.graph, event.subscripts) if a.graph.tile else frozenset()
        for node, use in _address(a, event, guards):
            op = _at(a, node, use, event, access)
            if op is not None and node.id in free | late:
                op = replace(op, modular=node.id in free, late=node.id in late)
            if op is not None and op.guard != t.FALSE and op not in seen:
                seen.add(op)
                yield op


def _conditions(a: Analysis, events: list[Event]) -> set[int]:
    """The path conditions of the accesses, the bounds of their loops included."""
    roots = {i for e in events for i in e.path}
    for loop in {i for e in events for i in e.loops}:
        roots.update(a.graph.loops[loop].bounds or ())
    return roots


def _pairs(a: Analysis, events: list[Event]) -> Iterator[tuple[Event, Access]]:
    position = 0
    for e in events:
        yield e, a.accesses[position]
        position += len(e.arrays)


def _address(a: Analysis, event: Event, guards: set[int]) -> list[tuple[Node, Use]]:
    roots = [*event.subscripts, *(i for p in event.arrays for i in p.nodes)]
    if a.graph.tile:
        found = uses(a.terms, roots, event.loops)
        return [(a.graph.nodes[i], use) for i in sorted(found) if i not in guards for use in found[i]]
    every = a.graph.ancestors(roots, through_loads=False) - guards
    return [(a.graph.nodes[i], SAME) for i in sorted(every)]


def _at(a: Analysis, node: Node, use: Use, event: Event, access: Access) -> IntOp | None:
    term = _term(a, node)
    if term is None:
        return None
    chain = a.graph.chain(node.loop)
    if use.everywhere or chain != event.loops[: len(chain)]:
        return _make(a, node, term, _reached(a, node), chain, "address")
    parts = [access.guard, *(t.lt(of_atom(lane), size) for lane, size in access.lanes)]
    if use != SAME or event.path[: len(node.path)] != node.path:
        parts += [use.condition(a.terms), use.term(a.terms, a.guard(node.path)[0])]
    return _make(a, node, use.term(a.terms, term), t.and_(*parts), event.loops, "address")


def _reached(a: Analysis, node: Node) -> t.Bool:
    """Where the operation is computed: its path, and the lanes of its own tile."""
    sizes = ((axis, size) for axis, found in sorted(a.sizes[node.id].items()) for size in sorted(found))
    inside = (t.lt(symbols.lane(axis), a.terms.resolve(a.terms.integer(size))) for axis, size in sizes)
    return t.and_(a.guard(node.path)[0], *inside)


def _term(a: Analysis, node: Node) -> Int | None:
    """The value that must fit, None for a node that always does."""
    if _untyped(a, node):
        return a.terms.resolve(a.terms.integer(node.id))
    if not isinstance(node.type, IntType) or not a.terms.integral[node.id] or node.expr is None:
        return None
    if node.kind == "op":
        if node.op not in _MAY_LEAVE or (a.typed is not None and a.typed.fits(node)):
            return None
        out = a.terms.resolve(a.terms.integer(node.id))
        if node.op in ("floordiv", "truncdiv"):
            divisor = a.terms.resolve(a.terms.integer(node.inputs[1]))
            if divisor.lo is not None and divisor.lo >= 0:
                return None
    elif node.kind == "cast" and a.terms.integral[node.inputs[0]]:
        out = a.terms.resolve(a.terms.integer(node.inputs[0]))
        if _widens(a.graph.nodes[node.inputs[0]].type, node.type) or bits_kept(a.graph, node):
            return None
    else:
        return None
    return None if out.value is not None and node.type.lo <= out.value <= node.type.hi else out


def _untyped(a: Analysis, node: Node) -> bool:
    """Whether a node is a product with loaded values whose width no type in the source tells."""
    if (
        not a.graph.tile
        or node.kind != "op"
        or node.op != "mul"
        or isinstance(node.type, (IntType, FloatType))
    ):
        return False
    return (
        bool(a.terms.integral[node.id])
        and node.expr is not None
        and bool(t.apps(a.terms.resolve(a.terms.integer(node.id)), op="load"))
    )


def _widens(source: object, target: IntType) -> bool:
    if isinstance(source, IntType):
        return target.lo <= source.lo and source.hi <= target.hi
    return target == INT64


def _make(a: Analysis, node: Node, term: Int, guard: t.Bool, loops: tuple[int, ...], feeds: str) -> IntOp:
    assert node.expr is not None
    guard = t.and_(guard, *a.sides(term, guard))
    if truncates(term, guard):
        signs = a.signs(guard)
        guard, term = signs.apply(guard), signs.apply(term)
    type_ = node.type if isinstance(node.type, IntType) else INT32  # the narrowest that index tensors come in
    return IntOp(term, type_, guard, a.around(loops), node.span, feeds, text.bare(node.expr))
