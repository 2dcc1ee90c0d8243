"""Which operations an address is computed from, and at which lanes and in which iteration.

An operation on a tile value need not fit everywhere: where its result is used only at other
coordinates (`offs[None, :]`), it matters there; what a loop carries into an iteration was computed in
the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from gpulint import term as t
from gpulint.dataflow.graph import Node
from gpulint.dataflow.lanes import T, moved
from gpulint.dataflow.terms import Terms
from gpulint.term import Atom, Bool, Int

MAX_USES = 4  # ways in which one operation may be used before it must fit everywhere


@dataclass(frozen=True)
class Use:
    """Where a value is used, seen from an access.

    `lanes`: its coordinates over the lanes of the access, none when they are the same. `before`: the
    loops of which the value is that of the previous iteration. `everywhere`: nothing is known of
    where, so every lane and iteration counts.
    """

    lanes: tuple[Int, ...] = ()
    before: frozenset[int] = frozenset()
    everywhere: bool = False

    def at(self, tr: Terms, node: int) -> Use:
        """This use of one node: no more than what its value may vary with."""
        loops = self.before.intersection(tr.graph.chain(tr.graph.nodes[node].loop))
        return replace(self, before=loops, lanes=self.lanes if tr.lanes[node] else ())

    def term(self, tr: Terms, term: T) -> T:
        """The term as the access uses it."""
        if self.lanes:
            term = moved(term, self.lanes)
        earlier: dict[Atom, Int | Bool] = {}
        for loop in self.before:
            k = tr.counter(loop)
            earlier[cast(Atom, k.atom)] = t.sub(k, t.ONE)
        return t.subst(term, earlier)

    def condition(self, tr: Terms) -> Bool:
        """What holds where there is such a use."""
        return t.and_(*(t.ge(tr.counter(loop), t.ONE) for loop in sorted(self.before)))


SAME, EVERYWHERE = Use(), Use(everywhere=True)


def uses(tr: Terms, roots: Iterable[int], loops: tuple[int, ...]) -> dict[int, list[Use]]:
    """The nodes that the roots are computed from, with their uses; of a load, what masked-off lanes give."""
    out: dict[int, list[Use]] = {}
    work = [(i, SAME) for i in roots]
    while work:
        i, use = work.pop()
        use = use.at(tr, i)
        have = out.setdefault(i, [])
        if use in have or EVERYWHERE in have:
            continue
        if len(have) >= MAX_USES:
            use = EVERYWHERE
        have.append(use)
        work.extend(_inputs(tr, tr.graph.nodes[i], use, loops))
    return out


def _inputs(tr: Terms, node: Node, use: Use, loops: tuple[int, ...]) -> Iterator[tuple[int, Use]]:
    if node.kind in ("load", "result"):
        if node.data.other is not None:
            yield node.data.other, use
    elif node.kind == "relane":
        operand, *there = node.inputs
        yield from ((i, use) for i in there)
        yield operand, _elsewhere(tr, operand, there, use)
    elif node.kind == "mu":
        yield node.inputs[0], use
        within = node.data in loops and not use.everywhere
        yield node.inputs[1], replace(use, before=use.before | {node.data}) if within else EVERYWHERE
    else:
        inner = EVERYWHERE if node.kind == "fresh" else use
        yield from ((i, inner) for i in node.inputs)


def _elsewhere(tr: Terms, operand: int, there: list[int], use: Use) -> Use:
    if use.everywhere or not tr.lanes[operand]:
        return use
    coordinates = (tr.resolve(tr.integer(i)) for i in there)
    return replace(use, lanes=tuple(moved(c, use.lanes) if use.lanes else c for c in coordinates))


__all__ = ["SAME", "Use", "uses"]
