"""Operations whose narrow result is widened afterwards: `(row * n + col).to(tl.int64)`.

Who widens the result means it to be large, and what it holds has wrapped by then. A number that is widened
to be multiplied (`(batch * rows + row).to(tl.int64) * width`) is none: it is the product after it that is
meant to be large, and rows are fewer than elements.
"""

from __future__ import annotations

from gpulint.dataflow.graph import Graph, Node
from gpulint.ir.types import IntType

_KEEPING = ("add", "sub", "mul", "neg")


def widened_late(graph: Graph) -> frozenset[int]:
    """The products whose value reaches a cast to a wider integer through sums and products alone."""
    found: set[int] = set()
    factors = {i for n in graph.nodes if n.kind == "op" and n.op == "mul" for i in n.inputs}
    casts = [n for n in graph.nodes if n.kind == "cast" and n.id not in factors]
    work = [i for n in casts for i in n.inputs if _widens(graph.nodes[i], n)]
    while work:
        i = work.pop()
        node = graph.nodes[i]
        if i not in found and node.kind == "op" and node.op in _KEEPING:
            found.add(i)
            work += node.inputs
    return frozenset(i for i in found if graph.nodes[i].op == "mul")


def _widens(source: Node, cast: Node) -> bool:
    a, b = source.type, cast.type
    return isinstance(a, IntType) and isinstance(b, IntType) and a.bits <= 32 < b.bits
