"""Launches of one host loop that fill an output together: run one after another, what none of them writes.

Each round is the launch with the loop's counter at a number, for all numbers at which the site's facts hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from gpulint.interp.launch import ConcreteLaunch, Index
from gpulint.interp.machine import run
from gpulint.ir.addresses import writes_of
from gpulint.solver import layouts
from gpulint.solver.model import Model
from gpulint.solver.reader import Reader
from gpulint.solver.setting import Setting
from gpulint.term import Bool, Int, Sym, const, subst, symbols

MAX_COUNT = 64  # values of a counter that are looked at
MAX_ROUNDS = 16  # launches that are run for one output
MAX_ELEMENTS = 300_000  # elements of an output that is looked at for gaps
STEPS = 1_500_000  # operations of all those runs


def about(s: Setting, counters: Sequence[Sym]) -> tuple[Bool, ...]:
    """The facts of a site that speak of counters: where they hold, there is a launch."""
    facts = s.binding.facts if s.binding is not None else ()
    return tuple(f for f in facts if symbols(f) & set(counters))


def unwritten(
    s: Setting, name: str, reader: Reader, launch: ConcreteLaunch, counters: Sequence[Sym]
) -> Index | None:
    """An element of an output that no round of a concrete launch writes; None where none is known."""
    shape = launch.arrays[name].shape
    if not 0 < prod(shape) <= MAX_ELEMENTS:
        return None
    every = [launch] if not counters else _each(s, reader.model, counters)
    if not every:
        return None
    written: set[Index] = set()
    for one in every:
        one.max_steps = STEPS // len(every)
        outcome = run(writes_of(s.kernel, name), one)
        if not outcome.complete or one.arrays[name].shape != shape:
            return None
        written |= outcome.written.get(name, {}).keys()
    every_index = product(*(range(n) for n in shape))
    return next((index for index in every_index if index not in written), None)


def _each(s: Setting, model: Model, counters: Sequence[Sym]) -> list[ConcreteLaunch] | None:
    """The launches of all rounds; None when they are too many or not known."""
    facts = about(s, counters)
    out: list[ConcreteLaunch] = []
    if len(counters) != 1:
        return None
    for k in range(MAX_COUNT + 1):
        at: Mapping[Sym, Int] = {counters[0]: const(k)}
        held = [model.truth(subst(f, at)) for f in facts]
        if None in held or (all(held) and (k == MAX_COUNT or len(out) == MAX_ROUNDS)):
            return None
        launch = Reader(layouts.known_at(s, at), model, ()).launch() if all(held) else None
        if all(held) and launch is None:
            return None
        out += [launch] if launch is not None else []
    return out
