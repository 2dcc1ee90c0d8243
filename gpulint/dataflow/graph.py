"""The per-point index dataflow graph: gated single assignment over one kernel.

Nodes are values, in an order where operands come first (only the `next` input of a mu points
forward); events are the effects (loads, stores, atomics, barriers, unsupported statements).

Kinds of nodes: const, param, coord, extent, size, stride; op, compare, and, or, not, cast, gamma
(condition, then, else); lane (of a tile: its size), relane (a tile value, then coordinates in it);
mu (a variable at a loop header: initial, next), index (the variable of a range loop), inrange (its
bound), eta (a value when the loop ends), exit (a value when a jump leaves the loop), last (a loop
variable afterwards); load, result, opaque, fresh, unknown (a path condition that is not tracked, with
what it depends on).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from gpulint.ir import nodes as n
from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import UNKNOWN, Type

if TYPE_CHECKING:
    import networkx as nx

MAX_NODES = 20_000
Path = tuple[int, ...]


class TooLarge(Exception):
    """The kernel has more values than the analysis is willing to hold."""


@dataclass
class Node:
    """One value. `path` holds the conditions (conjuncts) under which control computes it."""

    id: int
    kind: str
    op: str = ""
    inputs: tuple[int, ...] = ()
    type: Type = UNKNOWN
    span: Span = NOWHERE
    data: Any = None
    path: Path = ()
    loop: int = -1  # the innermost loop around it
    name: str = ""
    expr: n.Expr | None = None


@dataclass(frozen=True)
class Slice:
    """A kept axis of a view; bounds are nodes."""

    start: int | None
    stop: int | None
    step: int | None


@dataclass(frozen=True)
class Step:
    """One view operation: an index or a slice an axis, then perhaps a transposition; or a new shape."""

    indices: tuple[Union[int, Slice], ...]
    transpose: bool = False
    shape: tuple[int, ...] = ()

    @property
    def nodes(self) -> tuple[int, ...]:
        out: list[int] = [*self.shape]
        for i in self.indices:
            parts = (i.start, i.stop, i.step) if isinstance(i, Slice) else (i,)
            out.extend(p for p in parts if p is not None)
        return tuple(out)


@dataclass(frozen=True)
class Place:
    """A base array seen through views; not `known`: some view of it."""

    base: str
    steps: tuple[Step, ...] = ()
    known: bool = True

    @property
    def nodes(self) -> tuple[int, ...]:
        return tuple(i for s in self.steps for i in s.nodes)


ArrayValue = tuple[Place, ...]  # the arrays that a name may stand for


@dataclass
class Base:
    """A base array. `shape` (nodes) is given for allocations whose shape is."""

    name: str
    space: str
    element: Type
    ndim: int | None
    is_param: bool
    span: Span
    shape: tuple[int, ...] | None = None
    dynamic: bool = False  # the dynamic shared memory of a block


@dataclass
class Event:
    """An effect. `node` is its result, `value` the stored value; `loops` outermost first."""

    kind: str  # load, store, atomic, barrier, unsupported
    stmt: n.Stmt
    path: Path
    loops: tuple[int, ...]
    phase: tuple[int, ...]
    arrays: ArrayValue = ()
    subscripts: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    node: int | None = None
    repeats: bool = False  # computes a while condition: also runs once after the last iteration
    lanes: tuple[int, ...] = ()  # of a tile access: the sizes of its axes
    mask: int | None = None  # then also the last condition of `path`
    other: int | None = None


@dataclass(frozen=True)
class Untracked:
    """What a condition that is not tracked depends on: conditions on the way, and trips of loops."""

    path: Path = ()
    loops: tuple[int, ...] = ()

    def __or__(self, other: Untracked) -> Untracked:
        path = dict.fromkeys((*self.path, *other.path))
        return Untracked(tuple(path), tuple(dict.fromkeys((*self.loops, *other.loops))))


@dataclass
class LoopInfo:
    """A loop. Its nodes have ids from `first` to `last`; `broken`: a jump may leave it early.

    `jumps` say of each jump out of it on which conditions within the loop and inner loops it depends.
    """

    id: int
    kind: str  # for, while
    parent: int
    path: Path
    span: Span
    name: str = ""
    bounds: tuple[int, int, int] | None = None  # start, stop, step of a range
    condition: int | None = None
    mus: dict[str, int] = field(default_factory=dict)
    first: int = 0
    last: int = 0
    broken: bool = False
    barrier: bool = False
    jumps: list[Untracked] = field(default_factory=list)


@dataclass
class Graph:
    """Nodes, loops, events and base arrays of one kernel."""

    nodes: list[Node] = field(default_factory=list)
    loops: list[LoopInfo] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    bases: dict[str, Base] = field(default_factory=dict)
    exits: set[int] = field(default_factory=set)  # conditions that hold since a loop has ended
    unsupported: list[tuple[str, Span]] = field(default_factory=list)
    tainted: set[str] = field(default_factory=set)
    tile: bool = False  # of a tile dialect
    shapes: tuple[tuple[n.Expr, ...], ...] = ()  # of tiles that the kernel makes for certain
    aranges: list[tuple[int, int, Span]] = field(default_factory=list)
    descriptors: list[tuple[str, tuple[int, ...], Span]] = field(default_factory=list)

    def add(self, node: Node) -> int:
        if len(self.nodes) >= MAX_NODES:
            raise TooLarge
        node.id = len(self.nodes)
        self.nodes.append(node)
        return node.id

    def within(self, loop: int, outer: int) -> bool:
        """Whether `loop` is `outer` or nested in it."""
        while loop != -1 and loop != outer:
            loop = self.loops[loop].parent
        return loop == outer

    def chain(self, loop: int) -> tuple[int, ...]:
        """The loops around (and with) `loop`, outermost first."""
        out: list[int] = []
        while loop != -1:
            out.append(loop)
            loop = self.loops[loop].parent
        return tuple(reversed(out))

    def ancestors(self, roots: Iterable[int], through_loads: bool = True) -> set[int]:
        """The slice: every node that the roots are computed from, loop-carried ones included."""
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            i = stack.pop()
            if i in seen:
                continue
            seen.add(i)
            node = self.nodes[i]
            if through_loads or node.kind not in ("load", "result"):
                stack.extend(node.inputs)
            elif node.kind == "load" and node.data.other is not None:
                stack.append(node.data.other)  # which takes the place of a load
        return seen

    def to_networkx(self) -> nx.DiGraph[Any]:
        """Values as `v<id>`, events as `e<index>`; edges run from operands to users, with a `role`."""
        from gpulint.dataflow.export import to_networkx

        return to_networkx(self)

    def to_text(self) -> str:
        """One value a line, then one effect a line."""
        from gpulint.dataflow.export import to_text

        return to_text(self)

    def to_dot(self) -> str:
        """The graph in Graphviz' language."""
        from gpulint.dataflow.export import to_dot

        return to_dot(self)
