"""Walking structured control: environments, path conditions, jumps and joins.

The path condition is a list of conjuncts that only grows within a statement list. A join after an
`if` is exact; a jump out of a loop leaves with a condition that is not tracked (`unknown`), which
only widens what may be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Union

from gpulint.dataflow.graph import ArrayValue, Graph, Node, Path, Place, Untracked
from gpulint.ir.span import NOWHERE, Span
from gpulint.ir.types import BOOL, UNKNOWN, Type

Env = dict[str, Union[int, ArrayValue]]
MAX_PLACES = 8
NOTHING = Untracked()


@dataclass
class Frame:
    """A region that jumps may leave: a block, a loop (break) or a loop body (continue)."""

    kind: str
    label: str
    depth: int  # loops around the region
    path: Path
    exits: list[tuple[Path, Env]] = field(default_factory=list)
    escaped: bool = False  # something inside ends or jumps further out
    escapes: Untracked = NOTHING  # on what that depends


@dataclass
class State:
    """Where the walk stands."""

    graph: Graph
    env: Env = field(default_factory=dict)
    path: Path = ()
    live: bool = True
    loops: list[int] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    phase: list[int] = field(default_factory=lambda: [0])
    lists: int = 0
    span: Span = NOWHERE  # of the statement at hand
    repeats: bool = False
    leaves: dict[Any, int] = field(default_factory=dict)

    def node(self, kind: str, inputs: Iterable[int] = (), *, op: str = "", type: Type = UNKNOWN,
             span: Span = NOWHERE, data: Any = None, name: str = "", expr: Any = None) -> int:  # fmt: skip
        loop = self.loops[-1] if self.loops else -1
        span = self.span if span is NOWHERE else span
        node = Node(0, kind, op, tuple(inputs), type, span, data, self.path, loop, name, expr)
        return self.graph.add(node)

    def leaf(self, key: Any, make: Callable[[], int]) -> int:
        """One node for equal constants, parameters and coordinates."""
        if key not in self.leaves:
            self.leaves[key] = make()
        return self.leaves[key]

    def literal(self, value: bool) -> int:
        return self.leaf(("bool", value), lambda: self.node("const", data=value, type=BOOL))

    def unknown(self, of: Untracked) -> int:
        """A condition that is not tracked."""
        return self.leaf(of, lambda: self.node("unknown", type=BOOL, data=of))

    def truth(self, i: int) -> bool | None:
        """The value of a constant condition."""
        node = self.graph.nodes[i]
        constant = node.kind == "const" and isinstance(node.data, (bool, int))
        return bool(node.data) if constant else None

    def negate(self, i: int) -> int:
        node, known = self.graph.nodes[i], self.truth(i)
        if known is not None:
            return self.literal(not known)
        if node.kind == "not":
            return node.inputs[0]
        return i if node.kind == "unknown" else self.node("not", (i,), type=BOOL, span=node.span)

    def junction(self, op: str, parts: Iterable[int]) -> int:
        """And or or of conditions; an unknown part makes the whole unknown."""
        zero = op == "or"
        kept: dict[int, None] = {}
        for p in parts:
            known = self.truth(p)
            if known is zero:
                return p
            if known is None:
                kept[p] = None
        vague = [p for p in kept if self.graph.nodes[p].kind == "unknown"]
        if vague:
            of = Untracked(tuple(p for p in kept if p not in vague))
            for p in vague:
                of |= self.graph.nodes[p].data
            return self.unknown(of)
        if len(kept) <= 1:
            return next(iter(kept), self.literal(not zero))
        return self.node(op, kept, type=BOOL)

    def enter(self) -> None:
        """A nested statement list begins."""
        self.lists += 1
        self.phase += [self.lists, 0]

    def leave(self) -> None:
        del self.phase[-2:]

    # --- joins ---------------------------------------------------------------------------------

    def branch(self, condition: int, then: Callable[[], None], other: Callable[[], None]) -> None:
        """Run both sides of an `if` and join what they leave."""
        known = self.truth(condition)
        if known is not None:
            (then if known else other)()
            return
        path, env, here = self.path, self.env, self.span
        negation = self.negate(condition)
        ends: list[tuple[bool, Path, Env]] = []
        for side, run in ((condition, then), (negation, other)):
            self.path, self.env, self.live = (*path, side), dict(env), True
            self.enter()
            run()
            self.leave()
            ends.append((self.live, self.path, self.env))
        (live1, path1, env1), (live2, path2, env2) = ends
        self.span = here
        self.live = live1 or live2
        if not (live1 and live2):
            self.path, self.env = (path1, env1) if live1 else (path2, env2)
            return
        base = len(path) + 1
        self.path = path
        extra = [self.junction("or", (negation, e)) for e in path1[base:]]
        extra += [self.junction("or", (condition, e)) for e in path2[base:]]
        self.env = self.merge(condition, env1, env2)
        self.path = (*path, *extra)

    def merge(self, condition: int, a: Env, b: Env) -> Env:
        """`a` where the condition holds, else `b`."""
        if a is b:
            return a
        return {k: self.join(k, condition, a.get(k), b.get(k)) for k in {**a, **b}}

    def join(self, name: str, condition: int, x: int | ArrayValue | None,
             y: int | ArrayValue | None) -> int | ArrayValue:  # fmt: skip
        if x == y and x is not None:
            return x
        if isinstance(x, tuple) or isinstance(y, tuple):
            return union(x if isinstance(x, tuple) else (), y if isinstance(y, tuple) else ())
        x = self.undefined(name) if x is None else x
        y = self.undefined(name) if y is None else y
        type = self.graph.nodes[x].type
        if self.graph.nodes[y].type != type:
            type = UNKNOWN
        return self.node("gamma", (condition, x, y), type=type, name=name)

    def undefined(self, name: str) -> int:
        return self.node("fresh", op="undefined", name=name)

    # --- jumps ---------------------------------------------------------------------------------

    def open(self, kind: str, label: str = "") -> Frame:
        frame = Frame(kind, label, len(self.loops), self.path)
        self.frames.append(frame)
        return frame

    def jump(self, kind: str, label: str = "") -> None:
        """Leave the innermost region of this kind and label; what follows is not reached."""
        self.live = False
        target = len(self.frames) - 1
        while target >= 0 and (self.frames[target].kind, self.frames[target].label) != (kind, label):
            target -= 1
        crossed = self.loops[self.frames[target].depth :] if target >= 0 else list(self.loops)
        self.escape(self.frames[target + 1 :], crossed)
        if target < 0:
            return
        frame, env = self.frames[target], dict(self.env)
        for loop in reversed(crossed):
            env = {k: self.carried_out(loop, v) for k, v in env.items()}
        extra = self.path[len(frame.path) :]
        frame.exits.append(((self.unknown(Untracked(extra, tuple(crossed))),) if crossed else extra, env))

    def escape(self, frames: Iterable[Frame], loops: Iterable[int]) -> None:
        """Control leaves the regions and the loops from here, where the path holds."""
        for frame in frames:
            frame.escaped = True
            frame.escapes |= Untracked(self.path[len(frame.path) :], tuple(self.loops[frame.depth :]))
        for loop in loops:
            info = self.graph.loops[loop]
            info.broken = True
            inner = self.loops[self.loops.index(loop) + 1 :]
            info.jumps.append(Untracked(self.path[len(info.path) :], tuple(inner)))

    def carried_out(self, loop: int, value: int | ArrayValue) -> int | ArrayValue:
        """A value of some iteration, as seen after a jump out of the loop."""
        first = self.graph.loops[loop].first
        if isinstance(value, tuple):
            return tuple(p if all(i < first for i in p.nodes) else Place(p.base, (), False) for p in value)
        if value < first:
            return value
        node = self.graph.nodes[value]
        return self.node("exit", (value,), data=loop, type=node.type, name=node.name, span=node.span)

    def close(self, frame: Frame) -> None:
        """End a region: join the ways that lead to its end."""
        self.frames.remove(frame)
        ways = list(frame.exits)
        left = frame.kind == "break" and frame.escaped
        if not ways:
            if left:
                self.path = (*frame.path, self.unknown(frame.escapes))
            return
        if self.live:
            ways.append((self.path[len(frame.path) :], self.env))
        conditions = [self.junction("and", extra) for extra, _ in ways]
        self.live, self.path, env = True, frame.path, ways[-1][1]
        for condition, (_, other) in zip(conditions[-2::-1], ways[-2::-1], strict=True):
            env = self.merge(condition, other, env)
        self.env = env
        if frame.escaped:
            stays = self.unknown(frame.escapes) if left else self.junction("or", conditions)
            self.path = (*frame.path, stays)

    def end_unless(self, condition: int) -> None:
        """The thread ends here unless the condition holds."""
        self.path = (*self.path, condition)
        self.escape(self.frames, self.loops)


def union(x: ArrayValue, y: ArrayValue) -> ArrayValue:
    """The arrays of either; too many views become unknown views of their bases."""
    both = tuple(dict.fromkeys((*x, *y)))
    if len(both) <= MAX_PLACES:
        return both
    return tuple(Place(b, (), False) for b in dict.fromkeys(p.base for p in both))
