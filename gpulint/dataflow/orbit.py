"""Loop-carried values that come round: double buffers, ring stages, swaps, signs.

The variables of one cycle are stepped together from their initial terms. When the terms come back to the
initial ones after p steps, and the step is the same in every iteration, the value in iteration k is that
after `k % p` steps. Exact; terms that are equal but not in normal form are missed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from gpulint import term as t
from gpulint.dataflow.terms import subst
from gpulint.term import Bool, Int, Sym
from gpulint.term.node import Atom

MAX_PERIOD = 8
MAX_GROUP = 4
MAX_WEIGHT = 200  # of the terms of one step

State = Mapping[Sym, "Int | Bool"]


def orbit(init: State, step: State) -> list[State] | None:
    """The states of one round, from the initial one on; None when no short round is found."""
    if len(init) > MAX_GROUP:
        return None
    states = [init]
    while len(states) <= MAX_PERIOD:
        now = cast("dict[Atom, Int | Bool]", dict(states[-1]))
        after = {s: subst(x, now) for s, x in step.items()}
        if all(after[s] == x for s, x in init.items()):
            return states
        if sum(x.weight for x in after.values()) > MAX_WEIGHT:
            return None
        states.append(after)
    return None


def at(values: Sequence[Int | Bool], k: Int) -> Int | Bool:
    """The value in iteration k of a variable that takes these values in turn."""
    phase = t.mod(k, t.const(len(values)))
    if all(isinstance(v, Int) and v.value is not None for v in values):
        first, second = (cast(Int, v) for v in values[:2])
        slope = t.sub(second, first)
        if all(v == t.add(first, t.mul(slope, t.const(j))) for j, v in enumerate(values)):
            return t.add(first, t.mul(slope, phase))
    out = values[-1]
    for j in reversed(range(len(values) - 1)):
        out = _choose(t.eq(phase, t.const(j)), values[j], out)
    return out


def _choose(c: Bool, x: Int | Bool, y: Int | Bool) -> Int | Bool:
    if isinstance(x, Bool) and isinstance(y, Bool):
        return t.or_(t.and_(c, x), t.and_(t.not_(c), y))
    return t.select(c, cast(Int, x), cast(Int, y))
