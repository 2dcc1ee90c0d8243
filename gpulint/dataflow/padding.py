"""Lanes that loads leave out, followed to where they are used.

A lane that a load's mask leaves out has no value (or, with `other`, a padding). Walking back from every
use (a stored value, an operand of an atomic, a subscript, a mask, a branch, the bounds of a loop) to the
loads finds under which condition, and at which lane of the load, the use depends on such a lane: choices
add their condition, changes of coordinates move the lane, reductions and products ask for every lane
along the axes that they combine, and what a loop carries may stem from any earlier iteration.

Sound as an over-approximation: a lane that is used meets one of the cases. The walk gives up on a node
that is used in too many ways and then counts every use of it (`Walk.everywhere`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from gpulint import term as t
from gpulint.dataflow import ways
from gpulint.dataflow.access import EXPONENTIALS, Access, LeftOut, LeftOutCase
from gpulint.dataflow.graph import Event, Node
from gpulint.dataflow.lanes import T, lane_atom
from gpulint.dataflow.signs import truncates
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import FloatType
from gpulint.term import Atom, Bool, Int, Scope
from gpulint.term.build import of_atom

if TYPE_CHECKING:
    from gpulint.dataflow.analysis import Analysis

MAX_WAYS = 16  # in which one node may be used before every use counts
MAX_STEPS = 3000
MAX_CASES = 6  # of one load at one use
ACCESSES = ("load", "store", "atomic")
EXTREMES = ("max", "min", "argmax", "argmin")
PLAIN = ("direct", "real")  # the value itself, as it was loaded or made a float
CARRIED = (*PLAIN, "sum")  # ways in which what a loop gathers is used as its parts are
At = tuple[tuple[Atom, Int], ...]


@dataclass(frozen=True)
class Way:
    """One way in which a value is used.

    `at`: where, as terms in place of its lanes and loop counters (those that are missing are the
    user's own). `what` and `span`: the operation closest to the load that combines lanes, or the use
    itself. `pure`: how the value comes to it: `direct` (converted, scaled, at other lanes), `real` (so, made
    a float), `sum` (so, into a sum), `exp` (so, into an exponential that is summed), or empty.
    """

    at: At
    condition: Bool
    what: str
    span: Span
    combined: bool = False
    pure: str = ""

    def term(self, term: T) -> T:
        return t.subst(term, dict(self.at)) if self.at else term

    def under(self, condition: Bool) -> Way:
        return replace(self, condition=t.and_(self.condition, condition))


def left_out(a: Analysis) -> tuple[LeftOut, ...]:
    """The loads of a tile kernel whose left-out lanes some use depends on."""
    loads = [e for e in a.graph.events if e.kind == "load" and e.mask is not None and e.node is not None]
    loads = [e for e in loads if e.other is None or _zero(a, e)]
    if not loads:
        return ()
    walk = Walk(a, _reached(a, {cast(int, e.node) for e in loads}))
    for root, way in _uses(a):
        walk.follow(root, way)
    return tuple(walk.result())


def _zero(a: Analysis, e: Event) -> bool:
    """Whether a load pads with zero."""
    assert e.other is not None
    node = a.graph.nodes[e.other]
    return node.kind == "const" and isinstance(node.data, (int, float)) and node.data == 0


def _reached(a: Analysis, start: set[int]) -> set[int]:
    """The nodes that the values of these loads flow into."""
    out = set(start)
    changed = True
    while changed:
        changed = False
        for node in a.graph.nodes:
            if node.id not in out and out.intersection(_sources(node)):
                out.add(node.id)
                changed = True
    return out


def _sources(node: Node) -> Iterable[int]:
    """What a value is made of; a load only of its padding."""
    if node.kind == "load":
        return (node.data.other,) if node.data.other is not None else ()
    return () if node.kind == "result" else node.inputs


def _uses(a: Analysis) -> Iterator[tuple[int, Way]]:
    """Every use of a value that counts: the node, and where."""
    done: set[int] = set()
    position = 0
    for e in a.graph.events:
        access = None
        if e.kind in ACCESSES:
            access = a.accesses[position]
            position += len(e.arrays)
        for i in e.path if e.mask is None else e.path[:-1]:
            if i not in done:
                done.add(i)
                yield i, _whole(a, i, "branch", e.stmt.span)
        if access is None:
            continue
        own = Way((), access.domain, e.kind, e.stmt.span)
        names = "stored value" if e.kind == "store" else f"atomic {getattr(e.stmt, 'op', '')}"
        yield from ((i, replace(own, what=names)) for i in e.values)
        yield from ((i, replace(own, what="subscript")) for i in e.subscripts)
        if e.mask is not None:
            yield e.mask, Way((), _unmasked(a, e, access), "mask", e.stmt.span)
    for loop in a.graph.loops:
        for i in (*(loop.bounds or ()), *((loop.condition,) if loop.condition is not None else ())):
            yield i, _whole(a, i, "loop", loop.span)


def _whole(a: Analysis, i: int, what: str, span: Span) -> Way:
    return Way((), a.guard(a.graph.nodes[i].path)[0], what, span)


def _unmasked(a: Analysis, e: Event, access: Access) -> Bool:
    """Where an access is reached, whatever its mask says."""
    path = e.path[:-1] if e.path and e.path[-1] == e.mask else e.path
    guard, _ = a.guard(path)
    return replace(access, guard=guard).domain


@dataclass
class Walk:
    """The walk back from the uses, over the nodes that the loads flow into."""

    a: Analysis
    reached: set[int]
    seen: dict[int, set[Way]] = field(default_factory=dict)
    everywhere: set[int] = field(default_factory=set)
    found: dict[tuple[int, str, Span, str], dict[tuple[Bool, At], Event]] = field(default_factory=dict)
    steps: int = 0
    fresh: int = 0

    def follow(self, root: int, way: Way) -> None:
        work = [(root, way)]
        while work:
            i, way = work.pop()
            if i not in self.reached or way.condition == t.FALSE:
                continue
            way = self._kept(i, way)
            known = self.seen.setdefault(i, set())
            if way in known:
                continue
            self.steps += 1
            if len(known) >= MAX_WAYS or self.steps > MAX_STEPS:
                if i in self.everywhere:
                    continue
                self.everywhere.add(i)
                way = replace(way, at=self._anywhere(i), condition=t.TRUE, pure="")
            known.add(way)
            work.extend(self._inputs(self.a.graph.nodes[i], way))

    def _kept(self, i: int, way: Way) -> Way:
        """The way, with no more places than the value may vary with."""
        varies = set(self._places(i))
        return replace(way, at=tuple((k, x) for k, x in way.at if k in varies))

    def _anywhere(self, i: int) -> At:
        """Some lane and some iteration."""
        return tuple((x, self._some()) for x in self._places(i))

    def _places(self, i: int) -> list[Atom]:
        """The lanes and loop counters that a value may vary with."""
        tr = self.a.terms
        loops = self.a.graph.chain(self.a.graph.nodes[i].loop)
        counters = [cast(Atom, tr.counter(x).atom) for x in loops]
        return [*(lane_atom(axis) for axis in sorted(tr.lanes[i])), *counters]

    def _some(self) -> Int:
        self.fresh += 1
        return t.sym(f"{ways.SOME}{self.fresh}", Scope.POINT, 0)

    # --- one step --------------------------------------------------------------------------------

    def _inputs(self, node: Node, way: Way) -> Iterator[tuple[int, Way]]:
        kind = node.kind
        if kind == "load":
            self._load(node, way)
        elif kind == "gamma":
            yield from self._choice(node, way)
        elif kind in ("and", "or"):
            yield from self._junction(node, way)
        elif kind == "relane":
            yield from self._relane(node, way)
        elif kind == "mu":
            yield from self._carried(node, way)
        elif kind in ("eta", "exit", "last"):
            counter = cast(Atom, self.a.terms.counter(node.data).atom)
            pure = way.pure if way.pure in CARRIED else ""
            ended = replace(way, at=(*way.at, (counter, self._some())), pure=pure)
            yield from ((i, ended) for i in node.inputs)
        elif kind == "fresh":
            yield from self._combined(node, way)
        else:
            passed = self._passed(node, way)
            yield from ((i, w) for i, w in zip(node.inputs, passed, strict=True))

    def _choice(self, node: Node, way: Way) -> Iterator[tuple[int, Way]]:
        c, then, other = node.inputs
        vague = self.a.graph.nodes[c].kind == "unknown"
        condition = t.TRUE if vague else way.term(self._condition(c))
        yield c, replace(way, pure="")
        yield then, way.under(condition)
        yield other, way.under(t.TRUE if vague else t.not_(condition))

    def _condition(self, i: int) -> Bool:
        return self.a.terms.resolve(self.a.terms.boolean(i))

    def _junction(self, node: Node, way: Way) -> Iterator[tuple[int, Way]]:
        """An operand matters only where no other decides."""
        for i in node.inputs:
            rest = [way.term(self._condition(j)) for j in node.inputs if j != i]
            if node.kind == "or":
                rest = [t.not_(r) for r in rest]
            yield i, replace(way, pure="").under(t.and_(*rest))

    def _relane(self, node: Node, way: Way) -> Iterator[tuple[int, Way]]:
        operand, *others = node.inputs
        tr = self.a.terms
        there = [way.term(tr.resolve(tr.integer(i))) for i in others]
        yield from ((i, replace(way, pure="")) for i in others)
        lanes = {lane_atom(axis): place for axis, place in enumerate(there)}
        kept = tuple((k, x) for k, x in way.at if k not in lanes)
        yield operand, replace(way, at=(*kept, *lanes.items()))

    def _carried(self, node: Node, way: Way) -> Iterator[tuple[int, Way]]:
        """A variable at a loop's header: what it held at first, or after any iteration before."""
        counter = self.a.terms.counter(node.data)
        atom = cast(Atom, counter.atom)
        now = dict(way.at).get(atom, counter)
        kept = tuple((k, x) for k, x in way.at if k != atom)
        gathers = way.pure in CARRIED and not self._beats_zero(node.inputs[0], way)
        way = replace(way, pure=way.pure if gathers else "")
        yield node.inputs[0], replace(way, at=kept, pure="")
        if isinstance(now.atom, t.Sym) and now.atom.name.startswith(ways.SOME):
            yield node.inputs[1], way
            return
        before = self._some()
        yield node.inputs[1], replace(way, at=(*kept, (atom, before))).under(t.lt(before, now))

    def _combined(self, node: Node, way: Way) -> Iterator[tuple[int, Way]]:
        """A reduction, a product or a sort: every lane along the axes that it combines."""
        e = node.expr
        follows = e.follows if isinstance(e, n.Opaque) else ()
        here = dict(way.at)
        for position, i in enumerate(node.inputs):
            own = follows[position] if position < len(follows) else ()
            at = dict(way.at)
            conditions: list[Bool] = []
            for axis in sorted(self.a.terms.lanes[i]):
                to = own[axis] if axis < len(own) else n.EVERY
                if to >= 0:
                    at[lane_atom(axis)] = here.get(lane_atom(to), of_atom(lane_atom(to)))
                    continue
                some = self._some()
                at[lane_atom(axis)] = some
                conditions += self._within(i, axis, some, at)
                if to != n.EVERY:
                    last = lane_atom(n.upto(to))
                    conditions.append(t.le(some, here.get(last, of_atom(last))))
            mixes = any(k < 0 for k in own) or not own
            pure = {"sum": "sum", **dict.fromkeys(EXTREMES, "direct")}.get(node.op, "")
            new = replace(way, at=tuple(at.items()), pure=pure)
            if mixes or not way.combined:
                new = replace(new, what=node.op, span=node.span, combined=True)
            yield i, new.under(t.and_(*conditions))

    def _within(self, i: int, axis: int, place: Int, at: dict[Atom, Int]) -> Iterator[Bool]:
        """That a lane lies within the tile, as far as its size is known."""
        tr = self.a.terms
        for size in sorted(self.a.sizes[i].get(axis, ())):
            yield t.lt(place, t.subst(tr.resolve(tr.integer(size)), at))

    def _passed(self, node: Node, way: Way) -> list[Way]:
        """An operation on each element: how its operands come to what combines the lanes."""
        plain = replace(way, pure="")
        if not way.pure:
            return [plain for _ in node.inputs]
        if node.kind == "cast":
            real = way.pure == "direct" and isinstance(node.type, FloatType)
            return [replace(way, pure="real") if real else way]
        if node.kind == "op" and node.op == way.what.removeprefix("arg") and way.pure in PLAIN:
            a, b = node.inputs
            return [plain if self._beats_zero(b, way) else way, plain if self._beats_zero(a, way) else way]
        if node.kind == "op" and node.op == "add" and way.pure == "sum":
            return [way, way]
        if node.kind == "opaque" and node.op in ("exp", "exp2") and way.pure == "sum":
            return [replace(way, pure="exp")]
        if node.kind == "op" and node.op in ("mul", "div"):
            scalar = [not self.a.terms.lanes[i] for i in node.inputs]
            keeps = [scalar[1], scalar[0] and node.op == "mul"] if len(scalar) == 2 else [False]
            return [way if k else plain for k in keeps]
        if node.kind == "op" and node.op == "sub" and way.pure == "exp":
            return [way, plain]
        return [plain for _ in node.inputs]

    def _beats_zero(self, i: int, way: Way) -> bool:
        """Whether an operand of an extreme, or what it starts from, is no less extreme than a zero."""
        node = self.a.graph.nodes[i]
        value = node.data if node.kind == "const" else None
        if way.pure not in PLAIN or not isinstance(value, (int, float)):
            return False
        return value <= 0 if way.what.endswith("min") else value >= 0

    # --- loads -----------------------------------------------------------------------------------

    def _load(self, node: Node, way: Way) -> None:
        event: Event = node.data
        assert event.mask is not None or event.other is None
        if event.mask is None:
            return
        wins = ""
        if event.other is not None:
            real = isinstance(self._pad(event), float) or way.pure == "real" or way.what.endswith("min")
            wins = way.what if way.pure in PLAIN and real else ""
            wins = EXPONENTIALS if way.pure == "exp" else wins
            if not wins:
                return
        key = (node.id, way.what, way.span, wins)
        self.found.setdefault(key, {}).setdefault((way.condition, way.at), event)

    def _pad(self, event: Event) -> object:
        assert event.other is not None
        return self.a.graph.nodes[event.other].data

    def result(self) -> Iterator[LeftOut]:
        for (node, what, span, wins), cases in self.found.items():
            indices = self.a.by_node.get(node, ())
            if not indices:
                continue
            access = self.a.accesses[indices[0]]
            event = next(iter(cases.values()))
            kept = [x for x in cases if not self._plain(access, event, *x)]
            kept = ways.fewest(kept, MAX_CASES)
            made = [self._case(access, event, c, at) for c, at in kept[:MAX_CASES]]
            yield LeftOut(access, tuple(made), what, span, wins, len(kept) <= MAX_CASES)

    def _plain(self, access: Access, event: Event, condition: Bool, at: At) -> bool:
        """Whether the use itself is under the load's mask, at that lane: such a case asks for nothing."""
        assert event.mask is not None
        place = dict(at)
        domain = t.and_(condition, t.subst(_unmasked(self.a, event, access), place))
        known = set(t.conjuncts(domain))
        return domain == t.FALSE or known.issuperset(t.conjuncts(t.subst(self._condition(event.mask), place)))

    def _case(self, access: Access, event: Event, condition: Bool, at: At) -> LeftOutCase:
        assert event.mask is not None
        place = dict(at)
        domain = t.subst(_unmasked(self.a, event, access), place)
        inside = t.subst(self._condition(event.mask), place)
        domain = t.and_(condition, domain, *self.a.sides(domain, inside, condition))
        if truncates(domain, inside):
            signs = self.a.signs(domain)
            domain, inside = signs.apply(domain), signs.apply(inside)
        outside = t.and_(domain, t.not_(inside))
        where = replace(access, subscripts=(), checks=(), lanes=(), guard=outside, loops=())
        return LeftOutCase(where, domain, inside)


__all__ = ["left_out"]
