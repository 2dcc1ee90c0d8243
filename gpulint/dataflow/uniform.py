"""Which values and jumps are the same for all threads of a block.

A value is uniform when any two threads of a block that compute it in the same iteration of the loops
around it get the same. A loop is uniform when all threads of a block that come to it in the same iteration
of the loops around it make the same trips: its condition is uniform, and so is every jump out of it,
with the loops between. What is uniform at the end of a uniform loop is so behind it.

The same for all threads of the launch, where a grid barrier needs it (`whole`).

The greatest solution is sought: everything is taken as uniform until an operand is not. Sound for
kernels whose barriers are convergent and whose accesses are free of races, which are obligations of
their own: up to the first barrier that is not convergent and the first race, a vote has one result,
and a load of one element in one barrier interval gives one value, since nothing may write the element in
between. Private arrays, results of atomics and fresh values are never uniform.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpulint.dataflow.graph import Graph, LoopInfo, Node, Place, Untracked
from gpulint.ir import nodes as n

LAUNCH_COORDS = ("block_size", "grid_size", "warp_size")


class Uniformity:
    """The nodes and loops of one graph that are uniform in a block, or in the whole launch."""

    def __init__(self, graph: Graph, *, whole: bool = False) -> None:
        self.graph, self.whole = graph, whole
        self.nodes = [True] * len(graph.nodes)
        self.loops = [True] * len(graph.loops)
        while self._lower():
            pass

    def path(self, path: Iterable[int]) -> bool:
        """Whether all threads of a block take the path alike."""
        return all(self.nodes[i] for i in path)

    def _lower(self) -> bool:
        """Take back what does not hold; whether anything was."""
        changed = False
        for loop in self.graph.loops:
            if self.loops[loop.id] and not self._loop(loop):
                self.loops[loop.id] = False
                changed = True
        for node in self.graph.nodes:
            if self.nodes[node.id] and not self._node(node):
                self.nodes[node.id] = False
                changed = True
        return changed

    def _loop(self, loop: LoopInfo) -> bool:
        if loop.condition is None or not self.nodes[loop.condition]:
            return False
        return all(self.untracked(j) for j in loop.jumps)

    def untracked(self, what: Untracked) -> bool:
        """Whether a condition that is not tracked is one for the block."""
        return self.path(what.path) and all(self.loops[i] for i in what.loops)

    def _node(self, node: Node) -> bool:
        if not all(self.nodes[i] for i in node.inputs):
            return False
        if node.kind == "coord":
            return node.op in LAUNCH_COORDS or (node.op == "block" and not self.whole)
        if node.kind in ("eta", "exit"):
            return bool(self.loops[node.data])
        if node.kind == "load":
            return len(node.data.arrays) == 1 and self._common(node.data.arrays[0])
        if node.kind == "result":
            stmt = node.data.stmt
            return isinstance(stmt, n.Barrier) and stmt.kind == "block" and not self.whole
        if node.kind == "unknown":
            return self.untracked(node.data)
        return node.kind not in ("fresh", "lane", "relane")

    def _common(self, place: Place) -> bool:
        """Whether all threads see one array there, at one place."""
        space, tainted = self.graph.bases[place.base].space, place.base in self.graph.tainted
        if space == "local" or (space == "shared" and self.whole) or tainted:
            return False
        return place.known and all(self.nodes[i] for i in place.nodes)
