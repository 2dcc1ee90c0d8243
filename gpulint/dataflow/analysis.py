"""From the dataflow graph to the access set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from gpulint import term as t
from gpulint.dataflow import text
from gpulint.dataflow.access import Access, AccessSet, Array, IntOp, Loop, Sync
from gpulint.dataflow.alike import alike
from gpulint.dataflow.build import Unknown, build
from gpulint.dataflow.graph import Event, Graph, LoopInfo, Path, Place, TooLarge
from gpulint.dataflow.induction import count
from gpulint.dataflow.lanes import Sizes, lane_atom, numel_facts, sizes
from gpulint.dataflow.masks import masked
from gpulint.dataflow.ops import operations
from gpulint.dataflow.padding import left_out
from gpulint.dataflow.shuffles import Pairs, taken
from gpulint.dataflow.signs import Signs, floored, limit, truncates
from gpulint.dataflow.terms import Opaque, Terms
from gpulint.dataflow.trips import entered
from gpulint.dataflow.typed import Typed
from gpulint.dataflow.uniform import Uniformity
from gpulint.dataflow.views import base_extents, locate
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.span import Span
from gpulint.ir.types import INT64, BoolType, IntType
from gpulint.term import Atom, Bool, Int, Scope
from gpulint.term.walk import atoms

Checks = tuple[tuple[Int, Int], ...]
_MODES = {"load": "read", "store": "write", "atomic": "atomic"}


def analyse(kernel: n.Kernel) -> AccessSet:
    """Every access that the kernel may make.

    Sound as over-approximation: an access happens only where its domain holds; the domain may hold
    elsewhere when `exact` is false. A kernel too large or too deeply nested gives a set with that
    reason as unsupported and every array tainted.
    """
    try:
        return Analysis(build(kernel)).run()
    except TooLarge:
        return _nothing(kernel, "the kernel computes too many values to analyse")
    except Unknown as error:
        return _nothing(kernel, str(error), error.span)
    except RecursionError:
        return _nothing(kernel, "the kernel is too deeply nested to analyse")


def _nothing(kernel: n.Kernel, reason: str, span: Span | None = None) -> AccessSet:
    names = frozenset(p.name for p in kernel.params if p.is_array)
    return AccessSet((), {}, (), (), (), 0, (), ((reason, span or kernel.span),), names)


@dataclass
class Analysis:
    """One kernel on its way from graph to access set."""

    graph: Graph
    terms: Terms = field(init=False)
    alike: Uniformity = field(init=False)
    sizes: list[Sizes] = field(init=False)  # of the tile of each node
    typed: Typed | None = field(init=False)
    _signs: dict[Bool, Signs] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    loops: dict[int, Loop] = field(default_factory=dict)
    by_node: dict[int, list[int]] = field(default_factory=dict)  # load node -> its accesses
    guards: dict[Path, tuple[Bool, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.terms = Terms(self.graph, written(self.graph))
        self.alike = Uniformity(self.graph)
        self.typed = Typed(self.graph) if self.graph.tile else None
        self.sizes = sizes(self.graph) if self.graph.tile else [{} for _ in self.graph.nodes]

    def run(self) -> AccessSet:
        arrays = {name: self._array(name) for name in self.graph.bases}
        for event in self.graph.events:
            if event.kind in _MODES:
                for place in event.arrays:
                    self._access(event, place, arrays)
        read = taken(self.terms) if any(e.kind == "barrier" for e in self.graph.events) else {}
        events = enumerate(self.graph.events)
        syncs = tuple(self._sync(e, read.get(i)) for i, e in events if e.kind == "barrier")
        ops = tuple(operations(self)) if self.accesses else ()
        facts, rank = launch_facts(self.graph, self.terms.integral)
        return AccessSet(
            tuple(self.accesses), arrays, ops, syncs, facts, rank, tuple(self.terms.notes),
            tuple(self.graph.unsupported), frozenset(self.graph.tainted), self._aranges(),
            self._descriptors(), grid_rank(self.graph), left_out(self) if self.graph.tile else (),
            entered(self.terms), tuple(self.terms.exchanges), tuple(self.terms.ballots.values()),
            self._flat(),
        )  # fmt: skip

    def _flat(self) -> bool:
        """Whether something rests on it that lanes go along x."""
        barriers = (e.stmt for e in self.graph.events if isinstance(e.stmt, n.Barrier))
        warps = any(b.kind == "warp" and b.orders for b in barriers)
        lanes = any((v.kind, v.op) == ("coord", "lane") for v in self.graph.nodes)
        return self.terms.flat and (warps or lanes or bool(self.terms.exchanges or self.terms.ballots))

    def _aranges(self) -> tuple[tuple[Int, Int, Span], ...]:
        tr = self.terms
        bounds = ((tr.integer(start), tr.integer(end), span) for start, end, span in self.graph.aranges)
        return tuple((tr.resolve(start), tr.resolve(end), span) for start, end, span in bounds)

    def _descriptors(self) -> tuple[tuple[str, tuple[Int, ...], Span], ...]:
        tr = self.terms
        found = self.graph.descriptors
        return tuple((a, tuple(tr.resolve(tr.integer(i)) for i in parts), span) for a, parts, span in found)

    def _array(self, name: str) -> Array:
        base = self.graph.bases[name]
        extents = base_extents(self.terms, name) or ()
        extents = tuple(self.terms.resolve(e) for e in extents)
        changed = name in self.terms.written
        return Array(name, base.space, base.element, extents, base.is_param, changed, base.span)

    # --- accesses --------------------------------------------------------------------------------

    def _access(self, event: Event, place: Place, arrays: dict[str, Array]) -> None:
        stmt = event.stmt
        guard, exact = self.guard(event.path)
        wraps = bool(getattr(stmt, "negative_wraps", True))
        found = locate(self.terms, place, event.subscripts, event.path, wraps=wraps, resolved=True)
        array = arrays[place.base]
        if found is None:
            subscripts, checks = self._anywhere(event, place, array)
            exact = False
        else:
            subscripts, checks = found.subscripts, tuple(found.checks)
        if truncates(guard, *subscripts):
            signs = self.signs(guard)
            guard, subscripts = signs.apply(guard), tuple(map(signs.apply, subscripts))
            checks = tuple((signs.apply(a), signs.apply(b)) for a, b in checks)
        value = self._value(event)
        whole: tuple[Int | Bool, ...] = (guard, *subscripts, *(x for c in checks for x in c))
        sides = self.sides(*whole)
        guard = t.and_(guard, *sides)
        tracked = exact and not event.repeats and not any(self.graph.loops[i].broken for i in event.loops)
        given = t.and_(self.terms.resolve(self.terms.given(event.path)), *sides)
        inner = self.graph.loops[event.loops[-1]] if event.loops else None
        exact &= not self.terms.names.loses(*whole) and len(event.arrays) == 1
        exact &= not event.repeats and (inner is None or self._tracked(inner))
        old, mark = self._old(event)
        index = len(self.accesses)
        self.accesses.append(Access(
            index, array, _MODES[event.kind], subscripts, checks, guard, self.around(event.loops), stmt.span,
            wraps, getattr(stmt, "op", ""), getattr(stmt, "scope", "device"), value, self._reads(event),
            text.place(stmt), text.subscripts(stmt), event.phase, getattr(stmt, "field", ""), exact,
            given=given, tracked=tracked, stmt=stmt, lanes=self._lanes(event), old=old, mark=mark,
            operands=self._operands(event), alike=self._alike(event), masked=masked(self, event),
        ))  # fmt: skip
        if event.node is not None:
            self.by_node.setdefault(event.node, []).append(index)

    def _alike(self, event: Event) -> bool:
        tiles = self.graph.tile and event.kind == "store"
        return tiles and alike(self.graph, event, self.terms.written)

    def _anywhere(self, event: Event, place: Place, array: Array) -> tuple[tuple[Int, ...], Checks]:
        """Unknown subscripts, for an access through a view that is not followed."""
        names = self.terms.names
        loop = event.loops[-1] if event.loops else -1
        name, span = f"some index of {place.base}", event.stmt.span
        axes = range(len(event.lanes))
        subs = tuple(names.integer(name, span, loop, lossy=True, lanes=axes) for _ in array.extents)
        if not subs:
            reason = f"{place.base}: the number of its axes is not known"
            self.graph.unsupported.append((reason, event.stmt.span))
            self.graph.tainted.add(place.base)
        self.terms.note(f"the view accessed by {text.place(event.stmt)} is not followed")
        return subs, tuple(zip(subs, array.extents, strict=True))

    def _lanes(self, event: Event) -> tuple[tuple[t.Sym, Int], ...]:
        extents = (self.terms.resolve(self.terms.integer(i)) for i in event.lanes)
        return tuple((lane_atom(axis), size) for axis, size in enumerate(extents))

    def signs(self, guard: Bool) -> Signs:
        if guard not in self._signs:
            self._signs[guard] = Signs(guard)
        return self._signs[guard]

    def sides(self, *terms: Int | Bool) -> list[Bool]:
        """What holds of the unknowns in the terms, and of those that this brings in."""
        out: list[Bool] = []
        seen: set[Atom] = set()
        work = list(terms)
        while work:
            for atom in sorted(set(atoms(work.pop())) - seen, key=lambda a: a.order):
                seen.add(atom)
                fact = self.terms.names.fact(atom)
                if fact is not None:
                    out.append(self.terms.resolve(fact))
                    work.append(out[-1])
        return out

    def _value(self, event: Event) -> Int | None:
        """What a store writes: an integer, or a named function of integers."""
        if event.kind != "store":
            return None
        value = self.terms.value(event.values[0])
        if isinstance(value, Opaque) and value.name is None:
            return None
        return self.terms.resolve(self.terms.integer(event.values[0]))

    def _old(self, event: Event) -> tuple[Int | None, t.Sym | None]:
        """What an atomic or a load finds, and the symbol in it that is this execution's own."""
        if event.node is None or not self.terms.integral[event.node]:
            return None, None
        value = self.terms.value(event.node)
        if isinstance(value, t.Literal):
            return None, value.atom if isinstance(value.atom, t.Sym) and not value.negated else None
        old = self.terms.resolve(self.terms.integer(event.node))
        alone = (m[0] for m, _ in old.terms if len(m) == 1)
        return old, next((a for a in alone if isinstance(a, t.Sym) and a in self.terms.names.birth), None)

    def _operands(self, event: Event) -> tuple[Int | None, ...]:
        if event.kind != "atomic":
            return ()
        tr = self.terms
        return tuple(tr.resolve(tr.integer(i)) if tr.integral[i] else None for i in event.values)

    def _reads(self, event: Event) -> tuple[int, ...]:
        if event.kind == "load":
            return ()
        slice_ = self.graph.ancestors(event.values)
        return tuple(sorted(a for i in slice_ for a in self.by_node.get(i, ())))

    def _tracked(self, loop: LoopInfo) -> bool:
        """Whether the guards of a loop's body say exactly which iterations run."""
        while True:
            if loop.broken or (loop.kind == "while" and not self._plain(loop)):
                return False
            if loop.parent == -1:
                return True
            loop = self.graph.loops[loop.parent]

    def _plain(self, loop: LoopInfo) -> bool:
        """A while loop whose condition, true now, was true in every iteration before."""
        known = count(self.terms, loop)
        return not self.terms.names.is_lossy(known.atom)

    # --- shared ----------------------------------------------------------------------------------

    def guard(self, path: Path) -> tuple[Bool, bool]:
        """The path condition in closed form, and whether all of it is tracked."""
        if path not in self.guards:
            condition, exact = self.terms.guard(path)
            self.guards[path] = floored(self.terms.resolve(condition)), exact
        return self.guards[path]

    def around(self, loops: tuple[int, ...]) -> tuple[Loop, ...]:
        return tuple(self._loop(self.graph.loops[i]) for i in loops)

    def _loop(self, info: LoopInfo) -> Loop:
        if info.id not in self.loops:
            self.loops[info.id] = self._make_loop(info)
        return self.loops[info.id]

    def _make_loop(self, info: LoopInfo) -> Loop:
        tr = self.terms
        counter = tr.counter(info.id)
        value = trips = None
        if info.bounds is not None:
            start, stop, step = (tr.resolve(tr.integer(i)) for i in info.bounds)
            value = t.add(start, t.mul(step, counter))
            trips = {1: t.sub(stop, start), -1: t.sub(start, stop)}.get(step.value or 0)
            trips = limit(trips) if trips is not None else None
        assert info.condition is not None
        uniform = self._same_trips(info) and self._uniform_around(info)
        if trips is None and info.kind == "while" and not info.broken and self._plain(info):
            known = count(tr, info)
            trips = known if known.value is not None else None
        if trips is None:
            name = f"{info.name or 'loop'}.trips"
            trips = tr.names.free(name, info.span, 0)
        atom = counter.atom
        assert isinstance(atom, t.Sym)
        return Loop(atom, trips, info.span, info.name, value, uniform, info.barrier, info.broken)

    def _same_trips(self, info: LoopInfo) -> bool:
        """Whether all threads of a block that come to the loop make the same trips."""
        if self.alike.loops[info.id]:
            return True
        assert info.condition is not None
        return not info.broken and self.uniform(self.terms.boolean(info.condition), info)

    def _uniform_around(self, info: LoopInfo) -> bool:
        """Whether the loop is reached by all threads of a block alike."""
        parent = self.graph.loops[info.parent] if info.parent != -1 else None
        return (parent is None or self._loop(parent).uniform) and self._same_way(info.path, parent)

    def _same_way(self, path: Path, inner: LoopInfo | None) -> bool:
        """Whether all threads of a block take the path alike, in equal iterations of uniform loops."""
        return all(self.alike.nodes[i] or self._same(i, inner) for i in path)

    def _same(self, i: int, inner: LoopInfo | None) -> bool:
        """Whether a condition has one value for all threads of a block."""
        tracked = self.graph.nodes[i].kind != "unknown"
        return tracked and self.uniform(self.terms.boolean(i), inner)

    def uniform(self, term: Int | Bool, info: LoopInfo | None) -> bool:
        """Whether a term is one for all threads of a block, in equal iterations of uniform loops."""
        term = self.terms.resolve(cast(Int, term))
        chain = self.graph.chain(info.id) if info is not None else ()
        counters = {self.terms.counter(i).atom for i in chain}
        return all(s.scope in (Scope.LAUNCH, Scope.BLOCK) or s in counters for s in t.symbols(term))

    def _sync(self, event: Event, read: Pairs | None) -> Sync:
        guard, _ = self.guard(event.path)
        loops = self.around(event.loops)
        inner = self.graph.loops[event.loops[-1]] if event.loops else None
        assert isinstance(event.stmt, n.Barrier)
        vague = (i for i in event.path if self.graph.nodes[i].kind == "unknown")
        whole = self.alike.path(vague) and all(
            self.alike.loops[i] or self._tracked(self.graph.loops[i]) for i in event.loops
        )
        differs = tuple(i for i in event.path if not (self.alike.nodes[i] or self._same(i, inner)))
        apart, _ = self.guard(differs)
        if event.stmt.kind == "grid":
            uniform = self._everywhere(event)
        else:
            uniform = all(lp.uniform for lp in loops) and not differs
        mask = None
        if event.stmt.mask is not None and self.graph.nodes[event.values[0]].op != "activemask":
            mask = self.terms.resolve(self.terms.integer(event.values[0]))
        stmt = event.stmt
        return Sync(
            stmt.kind, guard, loops, uniform, stmt.span, whole, apart, mask, stmt.collective, read, stmt
        )  # fmt: skip

    def _everywhere(self, event: Event) -> bool:
        """Whether all threads of the launch come to a barrier alike."""
        alike = Uniformity(self.graph, whole=True)
        around = (self.graph.loops[i].path for i in event.loops)
        return all(map(alike.path, (event.path, *around))) and all(alike.loops[i] for i in event.loops)


def written(graph: Graph) -> set[str]:
    """The base arrays that the kernel may write."""
    out = set(graph.tainted)
    for e in graph.events:
        if e.kind in ("store", "atomic"):
            out.update(p.base for p in e.arrays)
    return out


def grid_rank(graph: Graph) -> int:
    """The axes of the grid that the kernel looks at, at least one."""
    coordinates = (v for v in graph.nodes if v.kind == "coord")
    return 1 + max((v.data for v in coordinates if v.op in ("block", "grid_size")), default=0)


def launch_facts(graph: Graph, integral: list[bool]) -> tuple[tuple[Bool, ...], int]:
    """What holds of coordinates and integer parameters, and the launch rank that the coordinates imply.

    An integer argument whose type is not known is at most 64 bits wide.
    """
    used = sorted({("thread" if v.op == "lane" else v.op, v.data) for v in graph.nodes if v.kind == "coord"})
    axes = {axis for kind, axis in used if kind in ("thread", "block_size")}
    facts: list[Bool] = []
    for kind, axis in used:
        if kind == "thread":
            facts.append(t.lt(symbols.thread(axis), symbols.block_size(axis)))
        elif kind == "block":
            facts.append(t.lt(symbols.block(axis), symbols.grid_size(axis)))
    if len(axes) > 1:
        product = t.ONE
        for axis in sorted(axes):
            product = t.mul(product, symbols.block_size(axis))
        facts.append(t.le(product, t.const(symbols.MAX_THREADS)))
    if graph.tile:
        facts += _tile_facts(graph, used)
    for v in graph.nodes:
        if v.kind == "param" and integral[v.id] and not isinstance(v.type, BoolType):
            width = v.type if isinstance(v.type, IntType) else INT64
            given = symbols.scalar(v.data)
            facts += [t.ge(given, t.const(width.lo)), t.le(given, t.const(width.hi))]
    rank = 1 + max((axis for kind, axis in used if kind in ("thread", "block")), default=-1)
    return tuple(f for f in facts if f != t.TRUE), rank


def _tile_facts(graph: Graph, used: list[tuple[str, int]]) -> list[Bool]:
    """Programs along the axes that no coordinate names, and the compiler's limit of a tile's size."""
    programs = {axis for kind, axis in used if kind == "block"}
    others = (axis for axis in range(max(programs, default=1)) if axis not in programs)
    out = [t.lt(symbols.block(axis), symbols.grid_size(axis)) for axis in others]
    params = {v.data.name: v.data for v in graph.nodes if v.kind == "param" and v.data.constexpr}
    sized = {name: symbols.scalar(p) for name, p in params.items() if p.lo == 1}
    out += [t.le(size, symbols.MAX_TILE) for size in sized.values()]
    return out + [f for shape in graph.shapes for f in numel_facts(shape, sized)]


__all__ = ["Analysis", "IntOp", "analyse"]
