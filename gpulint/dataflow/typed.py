"""Operations that fit their width as long as their operands fit theirs.

The sum of two 32-bit integers fits 64 bits. So if such an operation left its width, some operation
before it did, at the same place: the question is asked of that one alone.
"""

from __future__ import annotations

from gpulint.dataflow.graph import Graph, Node
from gpulint.ir.symbols import MAX_GRID, MAX_TILE
from gpulint.ir.types import IntType
from gpulint.term.interval import Interval, meet, plus, scale, times

_CLOSED = {"add", "sub", "mul", "neg"}


class Typed:
    """Ranges of nodes, given that every operation fits its type."""

    def __init__(self, graph: Graph) -> None:
        self.ranges: list[Interval] = []
        for node in graph.nodes:  # operands come first
            self.ranges.append(self._range(node))

    def fits(self, node: Node) -> bool:
        """Whether the operation fits wherever its operands do."""
        if node.op not in _CLOSED or not isinstance(node.type, IntType):
            return False
        lo, hi = self._result(node)
        return lo is not None and hi is not None and node.type.lo <= lo and hi <= node.type.hi

    def _range(self, node: Node) -> Interval:
        own = (node.type.lo, node.type.hi) if isinstance(node.type, IntType) else (None, None)
        if node.kind == "const" and isinstance(node.data, int):
            return node.data, node.data
        if node.kind == "lane":
            return 0, MAX_TILE - 1
        if node.kind == "coord" and node.op == "block":
            return 0, MAX_GRID[node.data] - 1
        if node.kind == "op" and node.op in _CLOSED:
            return meet(own, self._result(node))
        if node.kind in ("cast", "relane"):
            return meet(own, self.ranges[node.inputs[0]])
        return own

    def _result(self, node: Node) -> Interval:
        first, *rest = (self.ranges[i] for i in node.inputs)
        if node.op == "neg":
            return scale(first, -1)
        if node.op == "mul":
            return times(first, rest[0])
        return plus(first, rest[0] if node.op == "add" else scale(rest[0], -1))
