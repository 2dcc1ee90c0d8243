"""What is known of values in memory that the kernel itself changes: counters, and small shared values.

An atomic that only ever adds finds what the element held before the launch plus something that is not
negative: the amounts of the additions before it. Each thread runs an addition outside loops once, which
bounds additions of bounded amounts. Elements of a shared or local array lie between the least and the
greatest value that is stored to it, given that it is written before it is read, and additions to it can
only raise them; both are obligations of their own (initialised, disjoint). Counters are taken not to come
round.
"""

from __future__ import annotations

from gpulint import term as t
from gpulint.dataflow.graph import Event, Node
from gpulint.dataflow.terms import Terms
from gpulint.dataflow.views import locate
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.types import IntType
from gpulint.term import Int
from gpulint.term.interval import Interval, join

MAX_STORES = 16
MAX_DEPTH = 8


def writes(tr: Terms, base: str) -> list[Event]:
    """The stores and atomics that may touch a base array."""
    kinds = ("store", "atomic")
    return [e for e in tr.graph.events if e.kind in kinds and any(p.base == base for p in e.arrays)]


def found(tr: Terms, node: Node) -> Int | None:
    """What an atomic finds in an array of the host that the kernel only adds to; None for any other."""
    event: Event = node.data
    if event.kind != "atomic" or len(event.arrays) != 1 or tr.graph.tile:
        return None
    base = tr.graph.bases[event.arrays[0].base]
    if not base.is_param or base.name in tr.graph.tainted:
        return None
    every = writes(tr, base.name)
    amounts = [_amount(tr, e) for e in every]
    place = locate(tr, event.arrays[0], event.subscripts, event.path, wraps=True)
    if place is None or any(a is None or a.lo is None or a.lo < 0 for a in amounts):
        return None
    before = tr.names.integer(f"added before (line {node.span.row})", None, node.loop, 0)
    most = [a.hi for a in amounts if a is not None and a.hi is not None]
    if len(most) == len(every) and not any(e.loops for e in every):
        own = amounts[every.index(event)] or t.ZERO
        tr.names.hold(before, t.le(t.add(before, own), t.mul(t.const(sum(most)), _threads())))
    return t.add(t.load(base.name, place.subscripts), before)


def _threads() -> Int:
    """The threads of the launch."""
    out = t.ONE
    for axis in range(3):
        out = t.mul(out, t.mul(symbols.grid_size(axis), symbols.block_size(axis)))
    return out


def _amount(tr: Terms, e: Event) -> Int | None:
    """What an event adds to an element; None where it is no addition or that is not known."""
    if not isinstance(e.stmt, n.Atomic) or e.stmt.op != "add" or len(e.values) != 1:
        return None
    return tr.integer(e.values[0]) if tr.integral[e.values[0]] else None


def bounds(tr: Terms, base: str) -> Interval:
    """Inclusive bounds of the integers in a shared or local array, from what is written to it."""
    space, every = tr.graph.bases[base].space, writes(tr, base)
    if (
        space not in ("shared", "local")
        or base in tr.graph.tainted
        or tr.graph.tile
        or len(every) > MAX_STORES
    ):
        return None, None
    out: Interval | None = None
    raised = False
    for e in every:
        if isinstance(e.stmt, n.Store):
            one = _range(tr, e.values[0], MAX_DEPTH)
            out = one if out is None else join(out, one)
        elif isinstance(e.stmt, n.Atomic) and e.stmt.op == "add":
            raised = True
            if (_range(tr, e.values[0], MAX_DEPTH)[0] or -1) < 0:
                return None, None
        else:
            return None, None
    low, high = out or (None, None)
    return low, None if raised else high


def _range(tr: Terms, i: int, depth: int) -> Interval:
    """Bounds of a value that show without its term: constants, coordinates, choices of such."""
    node = tr.graph.nodes[i]
    if node.kind == "const" and isinstance(node.data, int):
        return int(node.data), int(node.data)
    if node.kind == "coord":
        x = tr.integer(i)
        return x.lo, x.hi
    if node.kind == "cast" and isinstance(node.type, IntType) and depth:
        return _range(tr, node.inputs[0], depth - 1)
    if node.kind == "gamma" and depth:
        return join(*(_range(tr, j, depth - 1) for j in node.inputs[1:]))
    return None, None
