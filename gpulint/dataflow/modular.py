"""Operations of which only the value modulo a pointer's width enters an address.

A pointer is moved in 64 bits, and sums, differences and products commute with taking values modulo
2^64. So where nothing else lies between an operation of 64 bits and the address, the machine's address is
the exact one modulo 2^64; an access that is shown to be in range, in exact integers, has an exact address
within 64 bits, and the two are one. Whether such an operation leaves its width is then no question of its
own: it is answered by the access's range.

Sound only together with that: every access of a tile kernel is asked to be in range. Anything else that an
operation's value flows into (a quotient, a comparison, a narrower or wider type, a subscript of
another load) needs the exact value, and so do all operations below that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpulint.dataflow.graph import Graph, Node
from gpulint.ir.types import IntType

BITS = 64  # of a pointer
_RING = ("add", "sub", "mul", "neg")


def modular(graph: Graph, roots: Iterable[int]) -> frozenset[int]:
    """The nodes that the subscripts `roots` of one access take modulo 2^64 alone."""
    exact: set[int] = set()
    free: set[int] = set()
    work = [(i, True) for i in roots]
    while work:
        i, only = work.pop()
        if i in exact or (only and i in free):
            continue
        only = only and _wide(graph.nodes[i])
        (free if only else exact).add(i)
        work.extend(_inputs(graph.nodes[i], only))
    return frozenset(free - exact)


def _wide(node: Node) -> bool:
    return isinstance(node.type, IntType) and node.type.bits == BITS


def _inputs(node: Node, only: bool) -> Iterator[tuple[int, bool]]:
    """The operands of a node, and whether each matters modulo the width alone as far as the node goes."""
    if node.kind in ("load", "result"):
        if node.data.other is not None:
            yield node.data.other, False
    elif node.kind == "op" and node.op in _RING:
        yield from ((i, only) for i in node.inputs)
    elif node.kind == "gamma":
        condition, *values = node.inputs
        yield condition, False
        yield from ((i, only) for i in values)
    elif node.kind == "relane":
        operand, *there = node.inputs
        yield operand, only
        yield from ((i, False) for i in there)
    elif node.kind == "mu":
        yield from ((i, only) for i in node.inputs)
    else:
        yield from ((i, False) for i in node.inputs)
