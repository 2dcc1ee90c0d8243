"""Which values of unknown type are integers.

A parameter is taken as an integer (in a comparison with integers only its order matters), and so is the
result of a vote; a loaded value, or what an atomic found, of unknown type only when some value of its
array reaches a subscript or a loop bound, where nothing but an integer compiles, or the atomic is one of
integers only or counts (adds a number written as an integer: of a counter in floats, as of a parameter,
only the order matters). Everything computed from a value that is no integer is none.
"""

from __future__ import annotations

from gpulint.dataflow.graph import Graph, Node
from gpulint.ir import nodes as n
from gpulint.ir.collectives import SHUFFLES
from gpulint.ir.types import BoolType, FloatType, IntType

_ARITHMETIC = {
    "add", "sub", "mul", "floordiv", "mod", "truncdiv", "truncmod", "shl", "shr", "and", "or", "xor",
    "min", "max", "neg", "invert", "abs", "pow",
}  # fmt: skip
INTEGER_ATOMICS = {"cas", "inc", "dec", "and", "or", "xor"}  # that only integers have
_CARRIERS = {"gamma", "mu", "eta", "exit", "last"}
_WHOLE = {"lane", "coord", "extent", "size", "stride", "index", "param"}
_CONDITIONS = {"compare", "and", "or", "not", "inrange", "unknown"}


def index_arrays(graph: Graph) -> set[str]:
    """The arrays whose loaded values reach a subscript, a view or a loop bound by arithmetic."""
    stack = [i for e in graph.events for i in e.subscripts]
    stack += [i for e in graph.events for p in e.arrays for i in p.nodes]
    stack += [i for loop in graph.loops for i in loop.bounds or ()]
    stack += [i for e in graph.events for i in e.lanes]
    seen: set[int] = set()
    out: set[str] = set()
    while stack:
        i = stack.pop()
        if i in seen:
            continue
        seen.add(i)
        node = graph.nodes[i]
        if node.kind in ("load", "result"):
            out.update(p.base for p in node.data.arrays)
        elif node.kind == "op" and node.op in _ARITHMETIC:
            stack.extend(node.inputs)
        elif node.kind == "relane" or (node.kind == "cast" and graph.tile and isinstance(node.type, IntType)):
            stack.extend(node.inputs[:1])
        elif node.kind == "fresh" and node.op in SHUFFLES:
            stack.append(node.inputs[1])
        elif node.kind in _CARRIERS:
            stack.extend(node.inputs[1:] if node.kind == "gamma" else node.inputs[:2])
    return out


def integers(graph: Graph) -> list[bool]:
    """For each node, whether it is an integer (or a condition)."""
    indexed = index_arrays(graph)
    out = [True] * len(graph.nodes)
    changed = True
    while changed:
        changed = False
        for node in graph.nodes:
            if out[node.id] and not _integer(node, out, indexed):
                out[node.id] = False
                changed = True
    return out


def _counts(s: n.Stmt) -> bool:
    """Whether a statement adds an integer constant atomically."""
    given = s.operands if isinstance(s, n.Atomic) and s.op in ("add", "sub") else ()
    return bool(given) and all(isinstance(e, n.Const) and type(e.value) is int for e in given)


def _integer(node: Node, known: list[bool], indexed: set[str]) -> bool:
    if isinstance(node.type, (IntType, BoolType)):
        return True
    if isinstance(node.type, FloatType):
        return False
    if node.kind in _WHOLE or node.kind in _CONDITIONS:
        return True
    if node.kind == "const":
        return isinstance(node.data, int)
    if node.kind == "load" or (node.kind == "result" and node.data.kind == "atomic"):
        if getattr(node.data.stmt, "op", "") in INTEGER_ATOMICS or _counts(node.data.stmt):
            return True
        return any(p.base in indexed for p in node.data.arrays)
    if node.kind == "relane":
        return known[node.inputs[0]]
    if node.kind == "op":
        return node.op in _ARITHMETIC and all(known[i] for i in node.inputs)
    if node.kind in _CARRIERS:
        values = node.inputs[1:] if node.kind == "gamma" else node.inputs[:2]
        return all(known[i] for i in (values[:1] if node.kind in ("eta", "exit", "last") else values))
    if node.kind == "fresh" and node.op in SHUFFLES:
        return known[node.inputs[1]]
    return node.kind == "result" or (node.kind == "fresh" and node.op == "undefined")
