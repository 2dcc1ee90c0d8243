"""Which lanes' results of a shuffle matter, and which lanes those read.

A reduction within a part of a warp reads beyond its mask at lanes whose result is thrown away. So each use
(a store, an atomic, a subscript, a condition, a loop bound) is walked back to the shuffles that it is made
from: the lanes at which it happens ask for the same lanes of its operands, and a lane of a shuffle's result
asks for the lane of its operand that it reads. Loops of a fixed number of trips are walked back trip by
trip; of others any iteration may have made the value.

Over-approximates the lanes asked for: a lane is left out only where the condition of the use is false
for it whatever warp it is in. Lanes are told apart along x alone, so this holds for blocks that have one
thread along y and z.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from gpulint import term as t
from gpulint.dataflow.graph import Event, Graph, Node, Path
from gpulint.dataflow.induction import count
from gpulint.dataflow.terms import Terms
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.collectives import SHUFFLES, WARP, source
from gpulint.term import FALSE, Atom, Bool, Int, Scope

Lanes = int  # one bit a lane
Round = tuple[tuple[int, int], ...]  # loops with the iteration that a value is of; of others any
Pairs = tuple[tuple[int, int], ...]
EVERY: Lanes = (1 << WARP) - 1
MAX_STEPS = 4000
MAX_TRIPS = 64


def taken(tr: Terms) -> dict[int, Pairs | None]:
    """For the event of each shuffle, by index: (lane, lane that it reads) where the result matters.

    None where what is read, or by which lanes, cannot be told.
    """
    events = tr.graph.events
    made = {e.node: i for i, e in enumerate(events) if _shuffle(e) and e.node is not None}
    return _Walk(tr, _fixed_trips(tr), made).run() if made else {}


def _shuffle(e: Event) -> bool:
    return isinstance(e.stmt, n.Barrier) and e.stmt.collective in SHUFFLES


class _Walk:
    def __init__(self, tr: Terms, trips: Mapping[int, Int], made: Mapping[int, int]) -> None:
        self.tr, self.graph, self.trips, self.made = tr, tr.graph, trips, made
        self.asked: dict[tuple[int, Round], Lanes] = {}
        self.work: list[tuple[int, Round]] = []
        self.pairs: dict[int, set[tuple[int, int]]] = {i: set() for i in made.values()}
        self.vague: set[int] = set()
        self.where: dict[tuple[Bool, Round], Lanes] = {}

    def run(self) -> dict[int, Pairs | None]:
        for i, path in _uses(self.graph):
            self.ask(i, (), self.reached(path, ()))
        steps = 0
        while self.work and steps < MAX_STEPS:
            steps += 1
            i, at = self.work.pop()
            self.node(self.graph.nodes[i], at, self.asked[i, at])
        if self.work:
            self.vague.update(self.made.values())
        return {i: None if i in self.vague else tuple(sorted(p)) for i, p in self.pairs.items()}

    def ask(self, i: int, at: Round, lanes: Lanes) -> None:
        """The value of a node matters at these lanes."""
        chain = self.graph.chain(self.graph.nodes[i].loop)
        key = i, tuple((loop, k) for loop, k in at if loop in chain)
        if lanes & ~self.asked.get(key, 0):
            self.asked[key] = self.asked.get(key, 0) | lanes
            self.work.append(key)

    def node(self, node: Node, at: Round, lanes: Lanes) -> None:
        if node.id in self.made:
            self.shuffle(node, at, lanes & self.reached(node.path, at))
        elif node.kind == "gamma":
            condition, then, other = node.inputs
            self.ask(condition, at, lanes)
            known = self.graph.nodes[condition].kind != "unknown"
            holds = self.tr.boolean(condition) if known else t.TRUE
            self.ask(then, at, lanes & self.holding(holds, at))
            self.ask(other, at, lanes & (self.holding(t.not_(holds), at) if known else EVERY))
        elif node.kind == "mu":
            self.carried(node, at, lanes)
        elif node.kind in ("eta", "exit") and node.data in self.trips:
            self.ask(node.inputs[0], (*at, (node.data, self.trips[node.data].value or 0)), lanes)
        else:
            for i in node.inputs:
                self.ask(i, at, lanes)

    def carried(self, mu: Node, at: Round, lanes: Lanes) -> None:
        """A variable at the header of a loop: its start, or what the iteration before left."""
        k = dict(at).get(mu.data)
        if k is None or k == 0:
            self.ask(mu.inputs[0], at, lanes)
        if k is None or k > 0:
            before = tuple((loop, j - (loop == mu.data)) for loop, j in at)
            self.ask(mu.inputs[1], before, lanes)

    def shuffle(self, node: Node, at: Round, lanes: Lanes) -> None:
        _, value, by = node.inputs
        event, name = self.made[node.id], node.op
        self.ask(by, at, lanes)
        distance = self.tr.resolve(self.tr.integer(by)) if self.tr.integral[by] else None
        if distance is not None and distance.value is None:
            distance = t.subst(distance, self.iteration(at))
        if distance is None or distance.value is None:
            self.vague.add(event)
            self.ask(value, at, EVERY if lanes else 0)
            return
        found = [(lane, source(name, lane, distance.value)) for lane in range(WARP) if lanes >> lane & 1]
        self.pairs[event].update(found)
        self.ask(value, at, sum({1 << there for _, there in found}))

    def iteration(self, at: Round) -> dict[Atom, Int | Bool]:
        return {cast(Atom, self.tr.counter(loop).atom): t.const(k) for loop, k in at}

    def reached(self, path: Path, at: Round) -> Lanes:
        """The lanes that may come to where the path leads."""
        condition, _ = self.tr.guard(path)
        return self.holding(condition, at)

    def holding(self, condition: Bool, at: Round) -> Lanes:
        """The lanes at which a condition may hold."""
        if (condition, at) not in self.where:
            there = t.subst(self.tr.resolve(condition), self.iteration(at))
            lanes = (1 << lane for lane in range(WARP) if t.subst(there, of_lane(lane)) != FALSE)
            self.where[condition, at] = sum(lanes)
        return self.where[condition, at]


def of_lane(lane: int) -> dict[Atom, Int | Bool]:
    """The coordinates of the threads of one lane, where lanes go along x."""
    warp = t.sym("warp", Scope.POINT, 0, symbols.MAX_THREADS // WARP - 1)
    thread = t.add(t.mul(t.const(WARP), warp), t.const(lane))
    own = t.sym("laneid", Scope.POINT, 0, WARP - 1)
    return {cast(Atom, symbols.thread(0).atom): thread, cast(Atom, own.atom): t.const(lane)}


def _uses(graph: Graph) -> Iterator[tuple[int, Path]]:
    """The values that leave a thread or decide what it does, with the path to where they do."""
    for e in graph.events:
        if e.kind != "barrier":
            yield from (
                (i, e.path) for i in (*e.values, *e.subscripts, *(i for p in e.arrays for i in p.nodes))
            )
        yield from _conditions(e.path)
    for loop in graph.loops:
        ends: Iterable[int | None] = (*(loop.bounds or ()), loop.condition)
        yield from ((i, loop.path) for i in ends if i is not None)
        yield from (x for jump in loop.jumps for x in _conditions((*loop.path, *jump.path)))


def _conditions(path: Path) -> Iterator[tuple[int, Path]]:
    return ((i, path[:k]) for k, i in enumerate(path))


def _fixed_trips(tr: Terms) -> dict[int, Int]:
    """The numbers of trips that are constants, of loops that nothing but their condition ends."""
    counts = {loop.id: count(tr, loop) for loop in tr.graph.loops if not loop.broken}
    return {i: c for i, c in counts.items() if c.value is not None and 0 <= c.value <= MAX_TRIPS}
