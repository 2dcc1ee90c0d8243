"""Graph nodes to terms: the values on demand, header variables in closed form, path conditions.

Integers are exact and without a width (`ops` asks separately that each operation fits). A variable
at a loop header is first a placeholder symbol; `resolve` exchanges placeholders for the closed
forms of `induction`. What is no integer and no condition stays an `Opaque`: a named function of
integers when it depends on nothing that changes, else an unknown of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, Union, cast

from gpulint import term as t
from gpulint.dataflow import lanes
from gpulint.dataflow.facts import Facts
from gpulint.dataflow.graph import Graph, Node, Path, Place
from gpulint.dataflow.kinds import integers
from gpulint.dataflow.names import Names
from gpulint.dataflow.text import bare, place
from gpulint.ir import symbols
from gpulint.ir.types import IntType
from gpulint.term import Bool, Int, Scope, Sym
from gpulint.term.interval import Interval, meet
from gpulint.term.node import Atom

if TYPE_CHECKING:
    from gpulint.dataflow.access import Ballot, Exchange
    from gpulint.dataflow.views import Found

T = TypeVar("T", Int, Bool)
MAX_LABEL = 40  # characters of an expression that names an unknown
MAX_WEIGHT = 1200  # nodes of a term, written out as a tree


@dataclass(frozen=True)
class Opaque:
    """A value that is no integer: the function `name` of `args`, `_` marking their places.

    `name` None: not a function of integers, an unknown.
    """

    name: str | None
    args: tuple[Int, ...] = ()


Value = Union[Int, Bool, Opaque]


def subst(term: Int | Bool, mapping: Mapping[Atom, Int | Bool]) -> Int | Bool:
    """`term.subst` for a term of either sort."""
    return t.subst(cast(Int, term), mapping)


def flat(graph: Graph) -> bool:
    """Whether the kernel knows its threads along x alone: its lanes then are taken to go along x."""
    used = (v for v in graph.nodes if v.kind == "coord" and v.op in ("thread", "block_size"))
    return all(v.data == 0 for v in used)


class Terms:
    """Terms of the nodes of one graph, made on demand and kept."""

    def __init__(self, graph: Graph, written: set[str]) -> None:
        self.graph = graph
        self.written = written
        self.integral = integers(graph)
        self.values: dict[int, Value] = {}
        self.coerced: dict[tuple[int, bool], Int | Bool] = {}
        self.lanes = lanes.lanes(graph) if graph.tile else [lanes.NONE] * len(graph.nodes)
        self.rank = 1 + max((v.data for v in graph.nodes if (v.kind, v.op) == ("coord", "block")), default=0)
        self.flat = flat(graph)
        reserved = {n.name for n in graph.nodes if n.kind == "param"}
        self.names = Names(reserved, self.context if graph.tile else None)
        self.placeholders: dict[Sym, int] = {}
        self.closed: dict[Sym, Int | Bool] = {}
        self.resolved: dict[Int | Bool, Int | Bool] = {}
        self.open: set[Sym] = set()
        self.counters: dict[int, Int] = {}
        self.counts: dict[int, Int] = {}
        self.guards: dict[Path, tuple[Bool, bool]] = {}
        self.exits: dict[tuple[int, str, Sym], Int | Bool] = {}
        self.facts: dict[tuple[Bool, Int | None], Facts] = {}
        self.followed: dict[tuple[Place, Path, bool], Found | None] = {}
        self.notes: dict[str, None] = {}
        self.handed: set[Sym] = set()  # what atomics find is made of
        self.exchanges: list[Exchange] = []
        self.ballots: dict[Sym, Ballot] = {}

    # --- access --------------------------------------------------------------------------------

    def value(self, root: int) -> Value:
        """The value of a node, with placeholders for header variables."""
        if root not in self.values:
            from gpulint.dataflow.values import compute

            for i in self._pending(root):
                self.values[i] = self._bounded(self.graph.nodes[i], compute(self, self.graph.nodes[i]))
        return self.values[root]

    def _bounded(self, node: Node, value: Value) -> Value:
        """The value, or an unknown in place of a term too large to reason about."""
        if isinstance(value, Opaque) or value.weight <= MAX_WEIGHT:
            return value
        name = f"{node.name or node.op or 'value'} (line {node.span.row})"
        self.note(f"the value of {name} is too large a term")
        if isinstance(value, Bool):
            return self.names.boolean(name, None, node.loop, lossy=True)
        return self.names.integer(name, None, node.loop, value.lo, value.hi, lossy=True)

    def _pending(self, root: int) -> list[int]:
        seen: set[int] = set()
        stack = [root]
        while stack:
            i = stack.pop()
            if i in seen or i in self.values:
                continue
            seen.add(i)
            node = self.graph.nodes[i]
            stack.extend(node.inputs[:1] if node.kind == "mu" else node.inputs)
            if node.kind in ("load", "extent", "size"):
                stack.extend(node.path)
        return sorted(seen)

    def integer(self, i: int) -> Int:
        """The node as an integer term."""
        value = self.value(i)
        if isinstance(value, Int):
            return value
        if (i, True) not in self.coerced:
            self.coerced[i, True] = self.as_int(self.graph.nodes[i], value)
        return cast(Int, self.coerced[i, True])

    def boolean(self, i: int) -> Bool:
        """The node as a condition: its truth value."""
        value = self.value(i)
        if isinstance(value, Bool):
            return value
        if (i, False) not in self.coerced:
            self.coerced[i, False] = self.as_bool(self.graph.nodes[i], value)
        return cast(Bool, self.coerced[i, False])

    def as_int(self, node: Node, value: Bool | Opaque) -> Int:
        if isinstance(value, Bool):
            return t.select(value, 1, 0)
        if value.name is None:
            return self.unknown(node, self.label(node))
        return t.fn(value.name, *value.args)

    def as_bool(self, node: Node, value: Int | Opaque) -> Bool:
        if isinstance(value, Int):
            return t.ne(value, 0)
        if value.name is None:
            return self.names.boolean(self.label(node), None, node.loop, lanes=self.lanes[node.id])
        return t.bool_app(value.name, *value.args)

    def unknown(self, node: Node, name: str, *, lossy: bool = False, within: Interval = (None, None)) -> Int:
        """An unknown integer for a node, within the bounds of its type and those given."""
        lo, hi = (node.type.lo, node.type.hi) if isinstance(node.type, IntType) else (None, None)
        lo, hi = meet((lo, hi), within)
        return self.names.integer(name, None, node.loop, lo, hi, lossy=lossy, lanes=self.lanes[node.id])

    def context(self, loop: int) -> tuple[Int, ...]:
        """What tells the programs and the iterations of a loop apart."""
        programs = tuple(symbols.block(axis) for axis in range(self.rank))
        return (*programs, *(self.counter(i) for i in self.graph.chain(loop)))

    def settled(self, term: T) -> T:
        """The term with the coordinate changes made that waited for closed forms."""
        return lanes.settled(term) if self.graph.tile else term

    def label(self, node: Node) -> str:
        """A short name for the value of a node, for a reader of the kernel."""
        if node.kind == "load":
            return f"{place(node.data.stmt)} (line {node.span.row})"
        written = bare(node.expr) if node.expr is not None else ""
        stem = written if written and len(written) <= MAX_LABEL else node.name or node.op or node.kind
        return f"{stem} (line {node.span.row})"

    # --- closed forms ----------------------------------------------------------------------------

    def resolve(self, term: T) -> T:
        """The term with every header variable in closed form; one whose form is being found stays."""
        if term in self.resolved:
            return cast(T, self.resolved[term])
        used = [s for s in t.symbols(term) if s in self.placeholders]
        if not used:
            return term
        ready = {s: self.closed_form(s) for s in used if s not in self.open}
        out = self.settled(t.subst(term, ready))
        if not self.open:
            self.resolved[term] = out
        return out

    def closed_form(self, symbol: Sym) -> Int | Bool:
        from gpulint.dataflow.induction import close

        if symbol not in self.closed:
            close(self, symbol)
        form = self.closed[symbol]
        return self.resolve(cast(Int, form))

    def counter(self, loop: int) -> Int:
        """The iteration number, named as the loop variable where it is the same."""
        if loop not in self.counters:
            info = self.graph.loops[loop]
            name = f"{info.name}.k" if info.name else "k"
            if info.bounds is not None:
                start, _, step = (self.resolve(self.integer(i)) for i in info.bounds)
                name = info.name if start.value == 0 and step.value == 1 else name
            self.counters[loop] = t.sym(self.names.unique(name, info.span), Scope.LOOP, 0)
        return self.counters[loop]

    def guard(self, path: Path) -> tuple[Bool, bool]:
        """The path condition (with placeholders), and whether all of it is tracked."""
        if path not in self.guards:
            tracked = [i for i in path if self.graph.nodes[i].kind != "unknown"]
            condition = t.and_(*(self.boolean(i) for i in tracked))
            self.guards[path] = condition, len(tracked) == len(path)
        return self.guards[path]

    def given(self, path: Path) -> Bool:
        """The conditions of the path that hold because a loop has ended (with placeholders)."""
        return t.and_(*(self.boolean(i) for i in path if i in self.graph.exits))

    def note(self, text: str) -> None:
        self.notes[text] = None
