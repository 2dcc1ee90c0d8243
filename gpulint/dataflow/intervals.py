"""Barrier intervals: which accesses of one block may happen without a barrier between them.

The statements of a kernel form a control-flow graph. An *interval start* is the kernel's entry or a
block barrier; for two threads of one warp also a barrier of the whole warp, for threads of different
blocks only a barrier of the grid. Two accesses may be concurrent when some start reaches both without
crossing another barrier: the threads leave the start together and each runs freely until its next
barrier. Branches are taken both ways, so the relation over-approximates (sound for proofs), given
that barriers are reached by all their participants, which is an obligation of its own.

A path from a start to an access says how far the counters of barrier loops have moved: a loop that
was entered on the way stands at its first iteration, one whose back edge was crossed once stands one
further. Since barriers are met together, both threads have the same counters at the start, so the two
counters at the accesses differ by a known number, or by an unknown one after two crossings.
Loops without a barrier are each thread's own and are not tracked. A loop that is known to run at least once
is not left where it was entered.

All threads of a block decide alike where a barrier hangs on it (a loop or a branch that holds one):
two paths that decide differently at the same visit are no pair. That, too, rests on convergence.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as Set
from dataclasses import dataclass, field

from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.walk import statements

MANY = 2  # back edges crossed: this many or more
MAX_STATES = 20_000
LOOP_ENTERED, LOOP_LEFT, LOOP_TEST = 4, 8, 16  # how a loop's counter stands, see `Intervals._step`

FULL = 0xFFFFFFFF  # the mask of a whole warp
BLOCK, WARP, GRID = ("block", "grid"), ("block", "grid", "warp"), ("grid",)
Steps = tuple[tuple[int, int], ...]  # (loop, how its counter stands), see `Walk`


@dataclass(frozen=True)
class Tie:
    """How the counters of a barrier loop at two concurrent accesses relate.

    `gap` is second minus first, None when unknown. `first` is the first access's counter itself
    when the loop was entered within the interval, else None. `ends`: for an access whose counterpart comes
    after the loop, how far before its end it stands (1: in the last iteration).
    """

    loop: object  # the loop's IR statement
    gap: int | None
    first: int | None
    ends: tuple[int | None, int | None] = (None, None)


@dataclass
class _Node:
    stmt: object
    next: list[tuple[int, str, int]] = field(default_factory=list)  # (node, edge kind, loop)
    cut: bool = False


class Intervals:
    """The barrier intervals of one kernel body.

    `cuts`: the kinds of barriers that order the threads in question: of a block (`BLOCK`), of one
    warp (`WARP`), of different blocks (`GRID`). `entered`: the loops that run at least once when reached.
    `without`: the ids of barrier statements that are passed over. `partial`: those of barriers of a part of a
    warp that both threads in question belong to.
    """

    def __init__(
        self, body: tuple[n.Stmt, ...], cuts: tuple[str, ...] = BLOCK, entered: Set[Span] = frozenset(),
        without: Set[int] = frozenset(), partial: Set[int] = frozenset(),
    ) -> None:  # fmt: skip
        self.cuts, self.entered, self.without, self.partial = cuts, entered, without, partial
        self.nodes: list[_Node] = [_Node(None)]
        self.loops: list[n.For | n.While] = []
        self.at: dict[int, list[int]] = {}  # id of a statement: its nodes
        self.complete = True
        _Builder(self).run(body)
        self._outer = {
            k: [j for j, outer in enumerate(self.loops) if j != k and _holds(outer, loop)]
            for k, loop in enumerate(self.loops)
        }
        starts = [i for i, node in enumerate(self.nodes) if i == 0 or node.cut]
        self._reach = [self._from(i) for i in starts]

    def ties(self, first: object, second: object) -> list[tuple[Tie, ...]] | None:
        """The ways in which two accesses may be concurrent; none: a barrier always separates them.

        None: nothing is known of them (they are ordered by nothing that can be relied on).
        """
        a, b = self.at.get(id(first)), self.at.get(id(second))
        if not self.complete or a is None or b is None:
            return None
        out: dict[tuple[Tie, ...], None] = {}
        for reach in self._reach:
            for i in a:
                for j in b:
                    for x in reach.get(i, ()):
                        for y in reach.get(j, ()):
                            ties = self._relate(x, y)
                            if ties is not None:
                                out[ties] = None
        return list(out)

    def _relate(self, x: Steps, y: Steps) -> tuple[Tie, ...] | None:
        """The tied counters of two paths from one start; None when the paths exclude each other."""
        left, right = dict(x), dict(y)
        if _parted(left, right) or _parted(right, left):
            return None
        ties = []
        for loop in sorted(k for k in left.keys() & right.keys() if k >= 0):
            mine, other = _Stand(left[loop]), _Stand(right[loop])
            together = all(left[k] == right[k] for k in self._outer[loop] if k in left and k in right)
            if together and (mine.parts(other) or other.parts(mine)):
                return None
            if mine.left or other.left:
                ends = mine.ends(other), other.ends(mine)
                if together and ends != (None, None):
                    ties.append(Tie(self.loops[loop], None, None, ends))
                continue
            known = mine.entered == other.entered and mine.crossed < MANY and other.crossed < MANY
            gap = other.crossed - mine.crossed if known else None
            first = mine.crossed if mine.entered and mine.crossed < MANY else None
            ties.append(Tie(self.loops[loop], gap, first))
        return tuple(ties)

    def _from(self, start: int) -> dict[int, set[Steps]]:
        """For each node reached without crossing a barrier, how the barrier loops' counters stand."""
        around = {k: LOOP_TEST if self._tests(k, start) else 0 for k in self._around(start)}
        seen: dict[int, set[Steps]] = {}
        stack = [(t, self._step(around, kind, loop)) for t, kind, loop in self.nodes[start].next]
        count = 0
        while stack:
            i, state = stack.pop()
            key = tuple(sorted(state.items()))
            if key in seen.setdefault(i, set()):
                continue
            seen[i].add(key)
            count += 1
            if count > MAX_STATES:
                self.complete = False
                return seen
            if not self.nodes[i].cut:
                for t, kind, loop in self.nodes[i].next:
                    if not self._skips(state, kind, loop):
                        stack.append((t, self._step(state, kind, loop)))
        return seen

    def _around(self, i: int) -> Iterable[int]:
        stmt = self.nodes[i].stmt
        return [k for k, loop in enumerate(self.loops) if stmt is not None and _holds(loop, stmt)]

    def _tests(self, loop: int, i: int) -> bool:
        """Whether a node belongs to the test of a loop, before it is decided whether the loop goes on."""
        s, stmt = self.loops[loop], self.nodes[i].stmt
        return isinstance(s, n.While) and any(x is stmt for x in statements(s.before))

    def _barrier(self, loop: n.For | n.While) -> bool:
        return any(self.cut(s) for s in statements((loop,)))

    def cut(self, s: object) -> bool:
        """Whether a statement is a barrier that all the threads in question meet at."""
        if not isinstance(s, n.Barrier) or s.kind not in self.cuts or not s.orders or id(s) in self.without:
            return False
        whole = s.mask is None or (isinstance(s.mask, n.Const) and s.mask.value in (FULL, -1))
        return s.kind != "warp" or whole or id(s) in self.partial

    def handed_over(self, first: object, second: object, fences: tuple[str, ...]) -> bool:
        """Whether an atomic may hand one access over to the other, behind one of these fences.

        The thread of one access then comes to a fence and an atomic, that of the other comes from an
        atomic. Whether the second atomic sees the first is not asked.
        """
        one, two = (self.at.get(id(x), []) for x in (first, second))
        atomics = [i for i, node in enumerate(self.nodes) if isinstance(node.stmt, n.Atomic)]
        received = self._onward(atomics)
        for x, y in ((one, two), (two, one)):
            behind = [i for i in self._onward(x) if getattr(self.nodes[i].stmt, "kind", "") in fences]
            if not self._onward(behind).isdisjoint(atomics) and not received.isdisjoint(y):
                return True
        return False

    def rounds(self, first: object, second: object) -> tuple[Span, ...] | None:
        """The loops around both that must come round for control to get from the first to the second.

        None: it may get there within one iteration of all of them, or nothing is known.
        """
        one, two = self.at.get(id(first)), self.at.get(id(second))
        if one is None or two is None:
            return None
        if self._onward(one).isdisjoint(two):
            return ()
        both = {k for k, loop in enumerate(self.loops) if _holds(loop, first) and _holds(loop, second)}
        if not self._onward(one, both).isdisjoint(two):
            return None
        return tuple(self.loops[k].span for k in sorted(both))

    def before(self, first: object, second: object, fences: tuple[str, ...] = ()) -> bool:
        """Whether control never gets from the second to the first, and from there only past such a fence."""
        one, two = self.at.get(id(first)), self.at.get(id(second))
        if one is None or two is None or not self._onward(two).isdisjoint(one):
            return False
        passed = frozenset(i for i, node in enumerate(self.nodes) if getattr(node.stmt, "kind", "") in fences)
        return not fences or self._onward(one, barred=passed).isdisjoint(two)

    def _onward(
        self, starts: Iterable[int], closed: Set[int] = frozenset(), barred: Set[int] = frozenset()
    ) -> set[int]:
        """The nodes that control may come to from these, not by the back edges of the closed loops.

        It does not go beyond those that are barred.
        """
        out: set[int] = set()
        stack = list(starts)
        while stack:
            for target, kind, loop in self.nodes[stack.pop()].next:
                if target not in out and target not in barred and not (kind == "back" and loop in closed):
                    out.add(target)
                    stack.append(target)
        return out

    def _skips(self, state: dict[int, int], kind: str, loop: int) -> bool:
        """Whether a path leaves a loop at its first visit that is known to run."""
        first = kind == "leave" and state.get(loop) == LOOP_ENTERED | LOOP_TEST
        return first and self.loops[loop].span in self.entered

    def _step(self, state: dict[int, int], kind: str, loop: int) -> dict[int, int]:
        """The counters after an edge: `enter` a loop, `back` to its test, `stay` or `leave` there, `break`.

        A counter stands as the number of back edges crossed (capped) with bits for a loop that was entered
        within the interval, one that was left, and one whose test is not over. `~loop` tells where a loop was
        left that was around the start, and outlives a later entry.
        """
        if kind == "plain" or not self._barrier(self.loops[loop]):
            return state
        new = dict(state)
        if kind == "enter":
            new[loop] = LOOP_ENTERED | LOOP_TEST
        elif kind == "back":
            now = _Stand(state.get(loop, 0))
            new[loop] = (now.value & LOOP_ENTERED) | LOOP_TEST | min(now.crossed + 1, MANY)
            for inner in [k for k in new if k >= 0 and loop in self._outer[k]]:
                del new[inner]
        elif kind == "stay":
            new[loop] = state.get(loop, 0) & ~LOOP_TEST
        elif kind == "leave":
            now = _Stand(state.get(loop, 0))
            new[loop] = now.value & ~LOOP_TEST | LOOP_LEFT
            if not now.entered and now.crossed < MANY:
                new[~loop] = now.crossed
        else:
            new.pop(loop, None)
        return new


@dataclass(frozen=True)
class _Stand:
    """Where a path stands with a barrier loop, see `Intervals._step`."""

    value: int

    @property
    def crossed(self) -> int:
        return self.value & 3

    @property
    def entered(self) -> bool:
        return bool(self.value & LOOP_ENTERED)

    @property
    def left(self) -> bool:
        return bool(self.value & LOOP_LEFT)

    def ends(self, other: _Stand) -> int | None:
        """How far before the end of the loop this path stands where the other left it: all fail one test."""
        known = self.entered == other.entered and self.crossed < MANY and other.crossed < MANY
        inside = known and other.left and not self.left and not self.value & LOOP_TEST
        return other.crossed - self.crossed if inside else None

    def went_on(self, visit: int) -> bool:
        """Whether the path stayed in the loop at this visit of its test."""
        if self.crossed == MANY:
            return False
        return visit < self.crossed or (visit == self.crossed and not self.value & (LOOP_LEFT | LOOP_TEST))

    def parts(self, other: _Stand) -> bool:
        """Whether this path left the loop at a visit of its test where the other went on."""
        if not self.left or self.entered != other.entered or self.crossed == MANY:
            return False
        return other.went_on(self.crossed)


def _parted(gone: dict[int, int], other: dict[int, int]) -> bool:
    """Whether a path left a loop around the start at a visit of its test where the other went on."""
    for key, crossed in gone.items():
        stand = _Stand(other.get(~key, LOOP_ENTERED)) if key < 0 else None
        if stand is not None and not stand.entered and stand.went_on(crossed):
            return True
    return False


def _holds(loop: n.For | n.While, stmt: object) -> bool:
    return any(s is stmt for s in statements((loop,)))


Ends = list[tuple[int, str, int]]  # dangling edges: (from node, kind, loop)


class _Builder:
    """Statements to nodes and edges. A list of dangling edges stands for 'wherever control is'."""

    def __init__(self, out: Intervals) -> None:
        self.out = out
        self.breaks: list[Ends] = []
        self.continues: list[Ends] = []
        self.labels: dict[str, list[Ends]] = {}

    def run(self, body: tuple[n.Stmt, ...]) -> None:
        self.labels[""] = [[]]
        self.block(body, [(0, "plain", -1)])

    def node(self, stmt: object, ends: Ends, cut: bool = False) -> Ends:
        i = len(self.out.nodes)
        self.out.nodes.append(_Node(stmt, cut=cut))
        self.out.at.setdefault(id(stmt), []).append(i)
        self.join(ends, i)
        return [(i, "plain", -1)]

    def join(self, ends: Ends, target: int) -> None:
        for i, kind, loop in ends:
            self.out.nodes[i].next.append((target, kind, loop))

    def block(self, body: tuple[n.Stmt, ...], ends: Ends) -> Ends:
        for s in body:
            if not ends:
                return ends
            ends = self.statement(s, ends)
        return ends

    def statement(self, s: n.Stmt, ends: Ends) -> Ends:
        if isinstance(s, (n.Load, n.Store, n.Atomic)):
            return self.node(s, ends)
        if isinstance(s, n.Barrier):
            return self.node(s, ends, cut=self.out.cut(s))
        if isinstance(s, n.If):
            fork = self.node(s, ends)
            return [*self.block(s.then, list(fork)), *self.block(s.other, list(fork))]
        if isinstance(s, (n.For, n.While)):
            return self.loop(s, ends)
        if isinstance(s, n.Block):
            self.labels.setdefault(s.label, []).append([])
            ends = self.block(s.body, ends)
            return [*ends, *self.labels[s.label].pop()]
        if isinstance(s, n.Leave):
            if self.labels.get(s.label):
                self.labels[s.label][-1].extend(ends)
            return []
        if isinstance(s, (n.Break, n.Continue)):
            stack = self.breaks if isinstance(s, n.Break) else self.continues
            if stack:
                stack[-1].extend(ends)
            return []
        return ends

    def loop(self, s: n.For | n.While, ends: Ends) -> Ends:
        number = len(self.out.loops)
        self.out.loops.append(s)
        i = len(self.out.nodes)
        self.out.nodes.append(_Node(s))
        for source, kind, loop in ends:
            mid = len(self.out.nodes)  # a node of its own, so that an edge has one meaning
            self.out.nodes.append(_Node(None, [(i, "enter", number)]))
            self.out.nodes[source].next.append((mid, kind, loop))
        header: Ends = [(i, "plain", -1)]
        if isinstance(s, n.While):
            header = self.block(s.before, header)
        self.breaks.append([])
        self.continues.append([])
        body = self.block(s.body, self.through(header, "stay", number))
        for source, kind, loop in [*body, *self.continues.pop()]:
            mid = len(self.out.nodes)
            self.out.nodes.append(_Node(None, [(i, "back", number)]))
            self.out.nodes[source].next.append((mid, kind, loop))
        out: Ends = []
        for how, ends in (("leave", header), ("break", self.breaks.pop())):
            out += self.through(ends, how, number)
        return out

    def through(self, ends: Ends, how: str, number: int) -> Ends:
        """The edges, each followed by one of another kind."""
        out: Ends = []
        for source, kind, loop in ends:
            mid = len(self.out.nodes)  # a node of its own, so that an edge has one meaning
            self.out.nodes.append(_Node(None))
            self.out.nodes[source].next.append((mid, kind, loop))
            out.append((mid, how, number))
        return out
