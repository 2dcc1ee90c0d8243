"""The dataflow graph for readers and for networkx: text, DOT, slices, uniformity, cycles.

`text` and `dot` need no networkx.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpulint.dataflow.graph import Event, Graph, Node
from gpulint.dataflow.text import place
from gpulint.ir import nodes as n
from gpulint.ir.printer import type_name
from gpulint.ir.types import UNKNOWN

if TYPE_CHECKING:
    import networkx as nx

_VARYING = {"fresh", "result", "unknown"}


def edges(graph: Graph) -> Iterator[tuple[str, str, str]]:
    """(operand, user, role): role is operand, next, subscript, view, value or guard."""
    for node in graph.nodes:
        for position, i in enumerate(node.inputs):
            back = node.kind == "mu" and position == 1
            yield f"v{i}", f"v{node.id}", "next" if back else "operand"
    for index, e in enumerate(graph.events):
        views = [i for p in e.arrays for i in p.nodes]
        uses = {"subscript": e.subscripts, "view": views, "value": e.values, "guard": e.path}
        for role, ids in uses.items():
            for i in ids:
                yield f"v{i}", f"e{index}", role


def to_networkx(graph: Graph) -> nx.DiGraph[Any]:
    """Values as `v<id>`, events as `e<index>`, with attributes `label`, `kind`, `loop`."""
    import networkx as nx

    out: nx.DiGraph[Any] = nx.DiGraph()
    for node in graph.nodes:
        out.add_node(f"v{node.id}", kind=node.kind, label=label(node), loop=node.loop)
    for index, e in enumerate(graph.events):
        out.add_node(f"e{index}", kind=e.kind, label=effect(e), loop=e.loops[-1] if e.loops else -1)
    for a, b, role in edges(graph):
        out.add_edge(a, b, role=role)
    return out


def backward_slice(graph: Graph, event: int) -> set[str]:
    """Everything that the address and the guard of an event are computed from."""
    import networkx as nx

    whole = to_networkx(graph)
    whole.remove_edges_from([(a, b) for a, b, role in whole.edges(data="role") if role == "value"])
    return set(nx.ancestors(whole, f"e{event}"))


def varying(graph: Graph) -> set[str]:
    """The values that may differ between two threads of a block.

    What thread coordinates, results of atomics, fresh values and untracked jumps flow into, and loads from
    arrays that the kernel writes. An over-approximation, except that it follows values only, not control.
    """
    import networkx as nx

    from gpulint.dataflow.analysis import written

    changed = written(graph)
    seeds = [f"v{v.id}" for v in graph.nodes if _varies(v, changed)]
    whole = to_networkx(graph)
    out = set(seeds)
    for seed in seeds:
        out.update(nx.descendants(whole, seed))
    return out


def _varies(node: Node, changed: set[str]) -> bool:
    if node.kind == "coord":
        return node.op in ("thread", "lane")
    if node.kind == "load":
        return any(p.base in changed for p in node.data.arrays)
    return node.kind in _VARYING


def cycles(graph: Graph) -> list[set[str]]:
    """The strongly connected components that carry values round a loop: its inductions."""
    import networkx as nx

    whole = to_networkx(graph)
    return [c for c in nx.strongly_connected_components(whole) if len(c) > 1]


# --- text --------------------------------------------------------------------------------------


def label(node: Node) -> str:
    """What a value is, without its operands."""
    if node.kind == "const":
        return repr(node.data)
    if node.kind == "param":
        return node.name
    if node.kind == "coord":
        return f"{node.op}.{'xyz'[node.data]}"
    if node.kind in ("extent", "size", "stride"):
        _, axis, _, name = node.data
        return f"{name}.size" if node.kind == "size" else f"{name}.{node.kind}[{axis}]"
    if node.kind == "load":
        return f"load {place(node.data.stmt)}"
    if node.kind in ("mu", "index", "inrange", "eta", "exit", "last"):
        return f"{node.kind} {node.name}".rstrip() + f" loop{node.data}"
    return node.op if node.kind in ("op", "compare") else f"{node.kind} {node.op}".rstrip()


def effect(e: Event) -> str:
    """What an event is."""
    if e.kind in ("load", "store", "atomic"):
        return f"{e.kind} {place(e.stmt)}"
    if isinstance(e.stmt, n.Barrier):
        return f"barrier {e.stmt.kind}"
    return f"unsupported: {getattr(e.stmt, 'reason', '')}"


def to_text(graph: Graph) -> str:
    """One value a line, then one effect a line with its guard."""
    lines: list[str] = []
    for v in graph.nodes:
        given = f" ({', '.join(f'v{i}' for i in v.inputs)})" if v.inputs else ""
        kind = "" if v.type == UNKNOWN else f": {type_name(v.type)}"
        inside = f"  in loop{v.loop}" if v.loop != -1 else ""
        lines.append(f"v{v.id} = {label(v)}{given}{kind}{inside}")
    for index, e in enumerate(graph.events):
        guard = f" if {' and '.join(f'v{i}' for i in e.path)}" if e.path else ""
        inside = f"  in {', '.join(f'loop{i}' for i in e.loops)}" if e.loops else ""
        subs = f" at {', '.join(f'v{i}' for i in e.subscripts)}" if e.subscripts else ""
        lines.append(f"e{index}: {effect(e)}{subs}{guard}{inside}")
    return "\n".join(lines)


def to_dot(graph: Graph) -> str:
    """The graph in Graphviz' language: effects as boxes, back edges dashed."""
    lines = ["digraph dataflow {"]
    lines += [f"  v{v.id} [label={_quoted(label(v))}];" for v in graph.nodes]
    lines += [f"  e{i} [label={_quoted(effect(e))}, shape=box];" for i, e in enumerate(graph.events)]
    for a, b, role in edges(graph):
        style = {"next": " [style=dashed]", "operand": ""}.get(role, f" [label={role}]")
        lines.append(f"  {a} -> {b}{style};")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
