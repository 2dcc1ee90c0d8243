"""What a shuffle hands on of an atomic's result: the value of another thread of the warp, as a term.

`base = shfl_sync(mask, base, lane)` gives every thread what one of them found in a counter. The result is
the term that was brought with each symbol of a point replaced by a symbol for the thread that is read, its
coordinates among them; what a ballot gave is the same for both. So whatever holds of the term at any thread
holds of the result; that the thread is of the same warp, and which lane it is, is for the solver to add
(`solver.aggregated`). Only of shuffles outside loops, where each thread makes one; and only where an
atomic's result takes part, since terms would grow.
"""

from __future__ import annotations

from typing import cast

from gpulint import term as t
from gpulint.dataflow.access import Ballot, Exchange
from gpulint.dataflow.graph import Node
from gpulint.dataflow.terms import Terms
from gpulint.ir import symbols
from gpulint.ir.collectives import WARP
from gpulint.term import Atom, Bool, Int, Scope, Sym

MAX_MOVED = 16  # symbols of one exchange


def received(tr: Terms, node: Node) -> Int | None:
    """The result of a `shfl_sync` of an atomic's result; None for any other value."""
    if node.op != "shfl_sync" or node.loop != -1 or not tr.integral[node.inputs[1]]:
        return None
    brought = tr.resolve(tr.integer(node.inputs[1]))
    if not (t.symbols(brought) & tr.handed) or not tr.integral[node.inputs[2]]:
        return None
    lane = t.mod(tr.resolve(tr.integer(node.inputs[2])), t.const(WARP))
    ballots = [b for b in map(tr.ballots.get, t.symbols(lane)) if b is not None]
    own = t.symbols(brought, *(b.votes for b in ballots)) - tr.ballots.keys()
    own = {s for s in own if s.scope is Scope.POINT} | {cast(Sym, symbols.thread(0).atom)}
    if len(own) > MAX_MOVED or any(s.scope is Scope.LOOP for s in t.symbols(brought)):
        return None
    moved = {s: _other(tr, s, node) for s in sorted(own, key=lambda s: s.order)}
    there = cast("dict[Atom, Int | Bool]", moved)
    for s, other in moved.items():
        inside = t.lt(symbols.thread(0), symbols.block_size(0))
        fact = inside if s == symbols.thread(0).atom else tr.names.side.get(s)
        if fact is not None and isinstance(other, Int):
            tr.names.hold(other, t.subst(fact, there))
    pairs = tuple((s, cast(Sym, x.atom)) for s, x in moved.items())
    tr.exchanges.append(Exchange(pairs, lane, node.span))
    return t.subst(brought, there)


def _other(tr: Terms, s: Sym, node: Node) -> Int | t.Literal:
    """The symbol of the thread that is read."""
    name = f"{s.name} of the lane read"
    lossy = s in tr.names.lossy
    if s.boolean:
        return cast(t.Literal, tr.names.boolean(name, node.span, -1, lossy=lossy))
    return tr.names.integer(name, node.span, -1, s.lo, s.hi, lossy=lossy)


def note_ballot(tr: Terms, node: Node, result: Int) -> None:
    """Remember what a ballot outside loops counts, under a mask that is known."""
    mask = tr.resolve(tr.integer(node.inputs[0])) if node.op == "ballot_sync" and node.loop == -1 else None
    if mask is not None and mask.value is not None and isinstance(result.atom, Sym):
        votes = tr.resolve(tr.boolean(node.inputs[1]))
        tr.ballots[result.atom] = Ballot(result.atom, votes)
