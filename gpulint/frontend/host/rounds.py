"""Loops of the host code around a launch: over which counters its rounds fill an allocation together.

A launch in `for start in range(0, n, step):` happens for every value of the counter that meets the conditions
on the way to it, as long as nothing leaves the loop early. Those conditions must speak of the counter and of
what was there before the loop alone: of anything else nobody can say in which rounds it holds. An
allocation that was empty when the loop began then holds what all those launches wrote.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import as_array
from gpulint.term import Bool, Int, symbols


@dataclass
class HostLoop:
    """A loop that is being run. `counter` None: not known to take every value of a range.

    `empty` are the allocations without any value when it began, `facts` what was known, `names` how many
    unknowns had a name.
    """

    empty: frozenset[str]
    facts: frozenset[Bool]
    names: int
    whole: bool
    counter: Int | None = None


def entered(s: State, node: ast.stmt, names: int) -> HostLoop:
    """The loop at its start; one that is left by break or return is not run to its end."""
    arrays = [a for v in s.env.values() if (a := as_array(v)) is not None]
    empty = frozenset(a.buffer for a in arrays if s.touched.get(a.buffer, a.initialised) is False)
    plain = isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    whole = plain and not any(map(_leaves, getattr(node, "body", ())))
    return HostLoop(empty, frozenset(s.facts), names, whole)


def _leaves(node: ast.AST) -> bool:
    """Whether some statement may end the loop or its function; a break of an inner loop counts too."""
    return any(isinstance(n, (ast.Break, ast.Return, ast.Yield, ast.YieldFrom)) for n in ast.walk(node))


def rounds(loops: Sequence[HostLoop], s: State, names: Sequence[str], buffer: str) -> tuple[Int, ...]:
    """The counters of the loops, outermost first, that fill an allocation; () where that is not known.

    `names` are those of all unknowns so far, in their order.
    """
    first = next((i for i, loop in enumerate(loops) if buffer in loop.empty), len(loops))
    counters = [loop.counter for loop in loops[first:]]
    if not counters or None in counters:
        return ()
    found = tuple(c for c in counters if c is not None)
    outer = loops[first]
    own = {x.name for c in found for x in symbols(c)}
    made = tuple(n for n in names[outer.names :] if n not in own)
    new = [f for f in s.facts if f not in outer.facts]
    settled = not any(x.boolean or x.name.startswith(made) for x in symbols(*new) if x.name not in own)
    return found if settled else ()
