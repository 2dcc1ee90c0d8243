"""Stores that every program of a launch makes alike: at the same places, of the same values.

Nothing that such a store is computed from hangs on which program it is: no program id, no result of an
atomic, no element of an array that the kernel writes. Programs that meet there store one value, and in
whichever order they do the array ends the same. A value that is not understood counts as a function of
what it is computed from, so this says when two programs *may* store alike, never that they do not.
"""

from __future__ import annotations

from collections.abc import Collection

from gpulint.dataflow.graph import Event, Graph


def alike(graph: Graph, event: Event, written: Collection[str]) -> bool:
    """Whether all programs make the store alike, as far as the kernel shows; `written`: arrays it changes."""
    work = [*event.subscripts, *event.values, *event.path, *_bounds(graph, event.loops)]
    work += [i for p in event.arrays for i in p.nodes]
    seen: set[int] = set()
    while work:
        i = work.pop()
        if i in seen:
            continue
        seen.add(i)
        node = graph.nodes[i]
        if (node.kind, node.op) == ("coord", "block") or node.kind in ("result", "unknown"):
            return False
        if node.kind == "load":
            if any(p.base in written or p.base in graph.tainted for p in node.data.arrays):
                return False
            work += [*node.data.path, *_bounds(graph, node.data.loops)]
        work += [*node.inputs, *node.path, *_bounds(graph, graph.chain(node.loop))]
    return True


def _bounds(graph: Graph, loops: Collection[int]) -> list[int]:
    """What decides how often the loops run."""
    found = [graph.loops[i] for i in loops]
    return [
        i for x in found for i in (*(x.bounds or ()), *([x.condition] if x.condition is not None else []))
    ]
