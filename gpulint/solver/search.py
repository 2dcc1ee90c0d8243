"""Witness search: a small concrete launch that breaks an obligation, replayed before it counts.

A solution is asked of Z3 with real products, small numbers first; the launch it describes is run by
the reference interpreter, and only a violation that occurs there, of the same kind at the same
place, is a refutation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Union

from gpulint.contract.bind import Binding
from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray
from gpulint.interp.launch import ConcreteLaunch, Point, Violation
from gpulint.interp.replay import shown
from gpulint.ir import symbols as names
from gpulint.solver import agree, contents, powers, space
from gpulint.solver.reader import Reader
from gpulint.solver.replays import ONE_RUN
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES, Seen
from gpulint.solver.verdict import Obligation, Witness
from gpulint.term import App, Bool, Int, Scope, Sym, const, eq, ge, le, mul, symbols
from gpulint.term.build import ONE, of_atom
from gpulint.term.node import Mono
from gpulint.term.walk import atoms

BLOCKS = ((32, 1, 1), (8, 8, 1), (4, 4, 4))  # usual block shapes by launch rank, kept small
ALL_THREADS = 2048  # up to this many threads the whole launch is replayed
SEARCH_RLIMIT = 3_000_000
SMALL_TILE = 64
COORDINATES = ("threadIdx.", "blockIdx.", "gid.", "lane")
Fill = tuple[Union[int, None], Union[int, None]]
FILLS: tuple[Fill, ...] = ((0, 0), (1, 1), (-1, -1), (1, 0), (None, None))
# what arrays hold where the model is silent (`Reader.launch`)


@dataclass(frozen=True)
class Ask:
    """What to look for: the conditions, the points' side marks ('' for one point), the kind."""

    obligation: Obligation
    conditions: tuple[Bool, ...]
    seen: tuple[Seen, ...]
    kind: str  # out-of-range, race, reload, wrap, negative-index, uninitialised
    array: str = ""


def usual(s: Setting) -> Setting:
    """The setting with a usual block shape in place of any: what an unseen launch looks like."""
    rank = max(1, min(3, s.accesses.rank))
    shape = BLOCKS[rank - 1]
    mapping: dict[Sym, Int] = {}
    for axis in AXES:
        mapping[space.atom_of(names.block_size(axis))] = const(shape[axis])
        if axis >= min(rank, s.accesses.grid_rank):
            mapping[space.atom_of(names.grid_size(axis))] = const(1)
    binding = Binding(mapping, (), (), True)
    return Setting(s.kernel, s.accesses, s.options, s.premises, None, binding, memo=s.memo)


def find(s: Setting, ask: Ask, whole: bool = False) -> Witness | None:
    """A replayed witness in a setting that binds the block sizes, or None."""
    free = sorted(
        (x for x in symbols(*ask.conditions, *launch_terms(s)) if not x.boolean),
        key=lambda x: (x.scope is not Scope.LAUNCH, x.order),
    )
    limits = [le(of_atom(x), 2**46) for x in free if x.scope is Scope.LAUNCH and x.hi is None]
    floors = [ge(of_atom(x), -1) for x in free if x.scope is Scope.LAUNCH and x.lo is None]
    # an expanded tensor (stride zero) is no input that a kernel of one element a lane is written for
    floors += [ge(of_atom(x), 1) for x in free if ".stride(" in x.name]
    floors += apart(s, free)
    laws = [*powers.next_powers(*ask.conditions, *launch_terms(s)), *least_rank(s, ask)]
    wanted = [*ask.conditions, *limits, *floors, *laws]
    tight = [le(size, SMALL_TILE) for size in _tile_sizes(s)] if ask.kind == "wrap" else []
    model = s.prover.model([*wanted, *tight], free, SEARCH_RLIMIT)
    if model is None and tight:
        model = s.prover.model(wanted, free, SEARCH_RLIMIT)
    if model is not None and not Reader(s, model, ask.seen).launched():
        # the conditions leave open how large the launch is: it must be one
        model = s.prover.model([*wanted, *(ge(x, 1) for x in geometry(s))], free, SEARCH_RLIMIT)
    if model is None:
        return None
    reader = Reader(s, model, ask.seen)
    whole = whole or bool(s.accesses.syncs)
    first: Witness | None = None
    placed = placed_by_data(ask) and not (
        ask.obligation.property == "disjoint" and contents.made_to_repeat(s)
    )
    ways = [(fill, True) for fill in (FILLS if hangs_on_data(ask) else FILLS[:1])]
    for fill, counters in [(FILLS[0], False), *ways] if reader.counts() else ways:
        launch = reader.launch(fill, ask.kind == "uninitialised", counters)
        if launch is None:
            return None
        if ask.obligation.lanes is not None and ask.obligation.lanes.wins:
            launch.unpadded = ask.obligation.span
        launch.points = None if whole else reader.points(launch.block)
        grid = any(y.kind == "grid" for y in s.accesses.syncs)
        if whole and threads(launch) > ALL_THREADS * (4 if grid else 1):
            launch.points = None if grid else blocks(reader.points(launch.block), launch.block)
            if not launch.points or len(launch.points) > ALL_THREADS:
                return None
        wrong = s.memo.replays.violations(s.kernel, launch, ONE_RUN * (2 if tight else 1))
        found = shown(wrong, ask.kind, ask.obligation.span, ask.array or None)
        if found is not None and not agree.harmless(ask.obligation, found):
            first = first or witness(reader, launch, found, ask.obligation.access)
            if not placed:
                return first
        elif placed:
            return None
    return first


def least_rank(s: Setting, ask: Ask) -> list[Bool]:
    """Arrays of no known rank have as many axes as the code shows: their size is the product of those.

    Only such arrays have a size of its own beside their extents (`contract.hostarray.link_ranks`).
    """
    sizes: dict[str, Sym] = {}
    axes: dict[str, dict[int, Sym]] = {}
    for x in symbols(*ask.conditions, *launch_terms(s), *s.prover.facts):
        name, dot, part = x.name.rpartition(".")
        if dot and part == "size":
            sizes[name] = x
        elif dot and part.startswith("shape[") and part[6:-1].lstrip("-").isdigit():
            axes.setdefault(name, {})[int(part[6:-1])] = x
    out = []
    for name, found in axes.items():
        rank = max(1 + k if k >= 0 else -k for k in found)
        for k in (k for k in found if k < 0 and rank + k in found):
            out.append(eq(of_atom(found[k]), of_atom(found[rank + k])))
        places = {k % rank: x for k, x in found.items()}
        if name in sizes and len(places) == rank:
            out.append(eq(of_atom(sizes[name]), prod(map(of_atom, places.values()))))
    return out


def prod(terms: Iterable[Int]) -> Int:
    out = ONE
    for t in terms:
        out = mul(out, t)
    return out


def apart(s: Setting, free: Sequence[Sym]) -> list[Bool]:
    """No tensor of the caller overlaps itself: it spans at least as many elements as it has.

    A launch with an expanded tensor proves nothing wrong with a kernel that takes its elements for apart.
    """
    out = []
    for a in s.site.arguments.values() if s.site is not None else ():
        if isinstance(a, HostArray) and a.span is not None and a.shape and s.binding is not None:
            span, used = s.binding.host(a.span), symbols(a.span)
            if any(".stride(" in x.name for x in used) and used & set(free):
                out.append(ge(span, s.binding.host(prod(a.shape))))
    return out


def _tile_sizes(s: Setting) -> list[Int]:
    """The lengths of the kernel's tiles that the launch leaves open: small ones are replayed in full."""
    sizes = (s.term(size) for a in s.accesses.accesses for _, size in a.lanes)
    return [t for t in dict.fromkeys(sizes) if t.value is None]


def blocks(points: tuple[Point, ...], block: tuple[int, int, int]) -> tuple[Point, ...]:
    """All the threads of the points' blocks."""
    if threads_of(block) > ALL_THREADS:
        return ()
    x, y, z = map(range, block)
    inside = list(product(x, y, z))
    return tuple((b, t) for b in dict.fromkeys(p[0] for p in points) for t in inside)


def threads_of(block: tuple[int, int, int]) -> int:
    return block[0] * block[1] * block[2]


def hangs_on_data(ask: Ask) -> bool:
    """Whether some condition is a predicate of loaded values, which the model cannot choose.

    So it may be where nothing is known of the condition, or where it holds an unknown of a point.
    """
    unknown = (x for x in symbols(*ask.conditions) if x.scope is Scope.POINT)
    if not ask.conditions or any(not x.name.startswith(COORDINATES) for x in unknown):
        return True
    return any(isinstance(a, App) and a.op in ("fn", "load") for a in atoms(*ask.conditions))


def placed_by_data(ask: Ask) -> bool:
    """Whether a subscript is an unknown loaded value: no contents may be held against it, so a violation
    counts only where it shows whatever the arrays hold."""
    if ask.obligation.property not in ("in-range", "disjoint"):
        return False
    unknown = (x for seen in ask.seen for x in symbols(*seen.subscripts) if x.scope is Scope.POINT)
    return any(not x.name.startswith(COORDINATES) for x in unknown)


def threads(launch: ConcreteLaunch) -> int:
    out = 1
    for n in (*launch.grid, *launch.block):
        out *= n
    return out


def witness(reader: Reader, launch: ConcreteLaunch, v: Violation, access: Access | None = None) -> Witness:
    """What a reader is told: the violation as the interpreter saw it, in the user's names."""
    both = (v.point,) if v.other is None else (v.point, v.other)
    return Witness(
        params=reader.names(), grid=launch.grid, block=launch.block, points=both, array=v.array,
        element=tuple(v.element), extents=tuple(v.extents), values=reader.values(v.point),
        trips=reader.trips(), replayed=True, tile=reader.tile(access),
    )  # fmt: skip


def geometry(s: Setting) -> list[Int]:
    return [s.term(f(axis)) for axis in AXES for f in (names.grid_size, names.block_size)]


def launch_terms(s: Setting) -> list[Int]:
    extents = [s.term(x) for a in s.accesses.arrays.values() if a.is_param for x in a.extents]
    return geometry(s) + extents + [s.term(names.scalar(p)) for p in s.kernel.params if not p.is_array]


def of_geometry(mono: Mono) -> bool:
    """Whether a product is of coordinates and launch sizes alone."""
    return all(
        isinstance(a, Sym) and a.name.split("#")[0].startswith(("block", "grid.", "threadIdx.", "gid."))
        for a in mono
    )
