"""Loops that run at least once wherever control comes to them.

The condition of a loop, in closed form for the first iteration, follows from the conditions under which the
loop is reached. Sound as 'runs' only: a loop that is not named may run as well. Jumps out of a loop make no
difference, since they come after its condition has held once.
"""

from __future__ import annotations

from typing import cast

from gpulint import term as t
from gpulint.dataflow.facts import Facts
from gpulint.dataflow.graph import LoopInfo
from gpulint.dataflow.induction import inner
from gpulint.dataflow.terms import Terms, subst
from gpulint.ir.span import Span


def entered(tr: Terms) -> frozenset[Span]:
    """The places of the loops that run at least once; of several loops at one place all must."""
    barriers = [loop for loop in tr.graph.loops if loop.barrier]
    runs = {loop.span for loop in barriers if _runs(tr, loop)}
    return frozenset(
        runs - {loop.span for loop in tr.graph.loops if loop.span in runs and not _runs(tr, loop)}
    )


def _runs(tr: Terms, loop: LoopInfo) -> bool:
    if loop.condition is None:
        return False
    first = inner(tr, tr.boolean(loop.condition), loop)
    first = tr.resolve(cast(t.Bool, subst(first, {cast(t.Sym, tr.counter(loop.id).atom): t.ZERO})))
    if first == t.TRUE:
        return True
    condition, _ = tr.guard(loop.path)
    guard = tr.resolve(condition)
    return all(Facts(guard).settle(c) is True for c in t.conjuncts(first))
