"""Obligation covered for an output: an array that the host allocated without a value is written everywhere.

Shown by giving, for any element, the program, lane and loop counters that write it (`elements`,
`inverse`). What is left open of that condition for one write (a mask that leaves a row's end out, the side
of a branch) another write may make up for; together they must leave nothing. A launch whose numbers
leave a gap is run whole, and an element that stays unwritten refutes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as Set

from gpulint.contract.alias import linked
from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray, LaunchSite, of_device
from gpulint.interp.launch import ConcreteLaunch
from gpulint.ir import symbols as names
from gpulint.solver import (
    abstract,
    digits,
    elements,
    layouts,
    parts,
    powers,
    relations,
    rounds,
    search,
    space,
)
from gpulint.solver.blame import owner
from gpulint.solver.branches import coordinate, element_of, surely, together
from gpulint.solver.inverse import hits, inverse
from gpulint.solver.onto import permuted
from gpulint.solver.reader import Reader
from gpulint.solver.search import ALL_THREADS, SEARCH_RLIMIT, threads
from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, UNDER, Obligation, Verdict, Witness
from gpulint.term import (
    ONE,
    App,
    Bool,
    Cmp,
    Int,
    Junction,
    Scope,
    Sym,
    and_,
    conjuncts,
    ge,
    le,
    lt,
    not_,
    or_,
    subst,
    symbols,
)
from gpulint.term.build import of_atom
from gpulint.term.walk import atoms

SMALL = 4096  # the greatest size in a launch of which nothing is asked
LARGE = 1 << 17  # the greatest size in a launch that is run to show a gap


def outputs(s: Setting, sites: Sequence[LaunchSite], contract: Sequence[Clause]) -> list[Verdict]:
    """Arrays that the host allocated without a value and that only this launch writes.

    `contract` are the kernel's clauses that some launch from here meets: what holds under them counts.
    """
    assert s.site is not None
    out = []
    for name, arg in s.site.arguments.items():
        array = s.accesses.arrays.get(name)
        if not isinstance(arg, HostArray) or not arg.whole:
            continue
        rounds_ = arg.initialised is None and arg.fresh
        if array is None or not array.written or not (rounds_ or arg.initialised is False):
            continue
        known = name not in s.accesses.tainted and not written_elsewhere(arg, s.site, sites)
        writes = [x for x in s.accesses.accesses if x.array.name == name and x.mode == "write"]
        if rounds_ and not (known and arg.rounds and _only_written(s, name)):
            out += _at_once(s, name, writes if known else []) or _in_parts(s, name)
            continue
        if writes and known:
            out.append(_output(s, name, writes, _counters(arg) if rounds_ else (), contract))
    return out


def _counters(arg: HostArray) -> tuple[Sym, ...]:
    """The symbols that count the rounds of the host loops which fill an allocation."""
    return tuple(x for t in arg.rounds for x in symbols(t))


def _only_written(s: Setting, name: str) -> bool:
    """Whether the kernel never reads the array: then nothing was to be there before its rounds."""
    return all(x.mode == "write" for x in s.accesses.accesses if x.array.name == name)


def _at_once(s: Setting, name: str, writes: list[Access]) -> list[Verdict]:
    """That a launch fills the whole allocation by itself, whatever the other rounds do to it."""
    how = _all_written(s, name, writes, ())[0] if writes else ""
    o = Obligation("covered", "output", writes[0].span, access=writes[0]) if how else None
    return [Verdict(o, PROVED, site=s.site, rung=how)] if o is not None else []


def _in_parts(s: Setting, name: str) -> list[Verdict]:
    """An allocation that launches of a loop fill together: whether they fill it all is not decided."""
    own = [x for x in s.accesses.accesses if x.array.name == name]
    if not _only_written(s, name) or not own:
        return []
    o = Obligation("covered", "output", own[0].span, access=own[0])
    reason = f"{name} may be filled by several launches, which are not followed together"
    return [Verdict(o, UNDECIDED, site=s.site, reason=reason)]


def written_elsewhere(arg: HostArray, site: LaunchSite, sites: Sequence[LaunchSite]) -> bool:
    """Whether another launch of the same host function takes the allocation too."""
    return any(
        isinstance(other, HostArray) and linked(other, arg)
        for x in sites
        if x is not site and x.function == site.function and x.span != site.span
        for other in x.arguments.values()
    )


def _output(
    s: Setting, name: str, writes: list[Access], counters: tuple[Sym, ...], contract: Sequence[Clause]
) -> Verdict:
    """Proved, refuted, proved under what the caller is to see to, or undecided."""
    o = Obligation("covered", "output", writes[0].span, access=writes[0])
    how, left = _all_written(s, name, writes, counters)
    if how:
        return Verdict(o, PROVED, site=s.site, rung=how)
    packed = layouts.row_major(s, name)
    how = _all_written(packed, name, writes, counters)[0] if packed is not None else ""
    if how:
        clause = Clause(predicate="contiguous", arrays=(name,))
        return Verdict(o, UNDER, site=s.site, rung=how, clauses=(clause,))
    given = _given(s, o, name, writes, counters, contract)
    if relations.of_callers(given.clauses):
        return given
    if s.binding is not None and s.binding.exact and all(pure(space.see(a)) for a in writes):
        w = _gap(s, name, [], SMALL, counters) or (_gap(s, name, left, LARGE, counters) if left else None)
        for more in _lengthened(s, name, writes) if w is None and not counters else ():
            w = w or _gap(s, name, more, LARGE, counters)
        if w is not None:
            return Verdict(o, REFUTED, witness=w, site=s.site, rung="search")
    return given


def _given(
    s: Setting,
    o: Obligation,
    name: str,
    writes: list[Access],
    counters: tuple[Sym, ...],
    contract: Sequence[Clause],
) -> Verdict:
    """Proved under the kernel's contract and what this launch's host code leaves to its caller."""
    kept = s.with_premises(contract)
    how = _all_written(kept, name, writes, counters)[0] if kept is not s else ""
    if how:
        return Verdict(o, UNDER, site=s.site, rung=how, clauses=kept.premises)
    for at in dict.fromkeys((s, kept)) if not counters else ():
        for inside, reached in _ways(at, name, writes, counters):
            gaps = [_open(at, inside, c) for c in reached]
            found = relations.sufficient(at, inside, gaps, list(map(s.term, writes[0].array.extents)))
            if found:
                cs = (*at.premises, *found)
                return Verdict(o, UNDER, site=s.site, rung="relations", clauses=cs)
    return Verdict(o, UNDECIDED, site=s.site, reason=f"not shown that every element of {name} is written")


def _all_written(
    s: Setting, name: str, writes: list[Access], counters: tuple[Sym, ...]
) -> tuple[str, list[Bool]]:
    """What shows that the writes reach every element, or ''; and conditions that leave one out if so."""
    left: list[Bool] = []
    if not counters and any(_by_digits(s, a) for a in writes):
        return "digits", left
    for inside, reached in (*_ways(s, name, writes, counters), *together(s, writes, counters)):
        gaps = [_open(s, inside, c) for c in reached]
        if any(not g for g in gaps):
            return "inverse", []
        missed = [and_(inside, *(not_(and_(*g)) for g in gaps))] if gaps else []
        if missed and (_complementary(missed[0]) or s.prover.unsat(*missed)):
            return "inverse+z3", []
        if not left and _own_fault(inside, gaps, _steps(s, counters)):
            left = missed
    return "", left


def _complementary(missed: Bool) -> bool:
    """Whether some alternative of a condition is refuted part by part by the condition itself.

    So it is where one write happens when a flag holds and another one when it does not.
    """
    said = set(conjuncts(missed))
    ways = (c for c in said if isinstance(c, Junction) and c.op == "or")
    return any(all(not_(part) in said for part in c.args) for c in ways)


def _steps(s: Setting, counters: tuple[Sym, ...]) -> set[str]:
    """Numbers of the caller by which host loops go on: into how many parts the work is cut is no input."""
    monos = [m for f in rounds.about(s, counters) if isinstance(f, Cmp) for m, _ in f.poly.terms]
    beside = {x for m in monos if set(m) & set(counters) for x in m}
    return {x.name for x in beside if isinstance(x, Sym) and owner(x.name) == x.name}


def _ways(
    s: Setting, name: str, writes: list[Access], counters: tuple[Sym, ...]
) -> list[tuple[Bool, list[Bool]]]:
    """Ways to say which element is meant, and the conditions under which the writes reach it."""
    extents = tuple(map(s.term, writes[0].array.extents))
    out = []
    if s.tiles and len(extents) == 1:
        element = _tensor(s, name) or elements.any_of(extents, (ONE,))
        steps, when = frozenset(counters), rounds.about(s, counters)
        found = (elements.reached(s, a, element, steps, when) for a in writes)
        out.append((element.inside, [c for c in found if c is not None]))
        for p in (parts.reached(s, a, element) for a in writes) if not counters else ():
            if p is not None and s.prover.prove(element.inside, p.needed):
                out.append((and_(element.inside, p.facts), [p.condition]))
    if counters:
        return out
    flat, inside = element_of(s, writes)
    out.append((inside, [c for c in (_reached(s, a, flat) for a in writes) if c is not None]))
    return out


def _tensor(s: Setting, name: str) -> elements.Element | None:
    """Any element of a tensor whose shape and strides the site tells."""
    arg = s.site.arguments.get(name) if s.site is not None else None
    if not isinstance(arg, HostArray) or not arg.shape or arg.strides is None or s.binding is None:
        return None
    host = s.binding.host
    return elements.any_of(tuple(map(host, arg.shape)), tuple(map(host, arg.strides)))


def _open(s: Setting, inside: Bool, reached: Bool) -> list[Bool]:
    """What does not follow for every element: each part shown given those that do, and the parts kept."""
    parts = conjuncts(reached)
    kept = [c for c in parts if not s.prover.prove(inside, c, z3_too=False)]
    shown = [c for c in parts if c not in kept]
    for c in list(kept):
        rest = [x for x in kept if x is not c]
        given = (*shown, *rest)
        if abstract.follows(s.prover, given, c) or s.prover.prove(and_(inside, *given), c):
            kept = rest
    return kept


def _reached(s: Setting, a: Access, element: tuple[Int, ...]) -> Bool | None:
    """The condition under which one write's point for an element is of the launch and happens."""
    seen = surely(s, a)
    found = None if seen is None else inverse(seen, element)
    if seen is None or found is None:
        return None
    return and_(subst(seen.domain, found), hits(seen, found, element, s.term))


def _by_digits(s: Setting, a: Access) -> bool:
    """Whether one write reaches every element of its array, each taken as a number of mixed radix."""
    seen = surely(s, a)
    if seen is None or len(seen.subscripts) != 1:
        return False
    seen, places = permuted(s, seen)
    number = digits.of(seen, [s.term(size) for _, size in a.lanes], {p.coordinate for p in places})
    if number is None:
        return False
    number.point.update({p.coordinate: p.somewhere for p in places})
    extent = s.term(a.array.extents[0])
    some = ge(extent, 1)
    if not all(s.prover.prove(some, ge(r, 1), z3_too=False) for r in number.radices):
        return False
    inside = and_(*number.ranges, *number.below(extent), lt(number.element, extent))
    inside = and_(inside, *(p.facts() for p in places))
    there = and_(*(c for p in places for c in p.reached(number.point)))
    at = hits(seen, number.point, (number.element,), s.term)
    wanted = and_(subst(seen.domain, number.point), at, there)
    return all(s.prover.prove(inside, c) for c in conjuncts(wanted))


def _own_fault(inside: Bool, gaps: list[list[Bool]], chosen: Set[str]) -> bool:
    """Whether what limits the elements and what leaves some out come from at most one free input.

    That an output made for one input is filled along another is for the caller to see to; `chosen` names
    numbers that are no inputs in this.
    """
    open_ = [c for g in gaps for c in g]
    used = symbols(*open_)
    about = [c for c in conjuncts(inside) if any(x in used and x.scope is Scope.POINT for x in symbols(c))]
    owners = {owner(x.name) for x in symbols(*open_, *about) if x.scope is Scope.LAUNCH}
    return len(owners - chosen) <= 1


def _lengthened(s: Setting, name: str, writes: list[Access]) -> list[list[Bool]]:
    """Launches of more than one program for an output that is long along one axis alone.

    Only where the output's own extents are all that the writes and the grid hang on: then no other input
    could have been chosen to fit.
    """
    arg = s.site.arguments.get(name) if s.site is not None else None
    if not s.tiles or not isinstance(arg, HostArray) or not arg.shape or s.binding is None:
        return []
    shape = [s.binding.host(n) for n in arg.shape]
    grid = [s.term(names.grid_size(axis)) for axis in space.AXES]
    seen = [space.see(a).mapped(s.term, s.term) for a in writes]
    used = symbols(*grid, *(v.domain for v in seen), *(t for v in seen for t in v.subscripts))
    free = {x for x in used if x.scope is Scope.LAUNCH and not of_device(x.name)}
    if not free <= symbols(*shape):
        return []
    several = or_(*(ge(n, 2) for n in grid))
    long = [k for k, n in enumerate(shape) if n.value is None]
    return [[several, *(le(n, 1) for j, n in enumerate(shape) if j != k)] for k in long]


def _gap(
    s: Setting, name: str, conditions: list[Bool], most: int, counters: tuple[Sym, ...]
) -> Witness | None:
    """The smallest launch from the site that meets the conditions, run whole: an element left unwritten."""
    sizes = [ge(x, 1) for x in _numbers(s, name)]
    found = small_launch(s, [*conditions, *sizes], most) if sizes else None
    found = found or small_launch(s, conditions, most)
    if found is None:
        return None
    reader, launch = found
    index = rounds.unwritten(s, name, reader, launch, counters)
    return witness(reader, launch, name, index) if index is not None else None


def _numbers(s: Setting, name: str) -> list[Int]:
    """Numbers of the caller that say how much work there is: rounds of loops, lengths of tiles, the grid.

    That none is done where one is zero says nothing of how outputs fit: launches with some work are
    looked at, if there are any.
    """
    writes = [x for x in s.accesses.accesses if x.array.name == name and x.mode == "write"]
    trips = [s.term(loop.trips) for a in writes for loop in a.loops]
    tiles = [s.term(size) for a in writes for _, size in a.lanes]
    used = symbols(*trips, *tiles, *(s.term(names.grid_size(axis)) for axis in space.AXES))
    free = (x for x in used if x.scope is Scope.LAUNCH and not x.boolean and not of_device(x.name))
    return [of_atom(x) for x in sorted(free, key=lambda x: x.order) if owner(x.name) == x.name]


def pure(seen: Seen) -> bool:
    """Whether whether and where the access happens hangs on no data and no unknown value.

    How often a loop runs may have a name of its own: its condition is part of the domain.
    """
    trips = {loop.trips.atom for loop in getattr(seen.source, "loops", ())}
    for a in atoms(seen.domain, *seen.subscripts):
        if isinstance(a, App) and a.op in ("load", "fn"):
            return False
        if not isinstance(a, Sym) or a in trips:
            continue
        if a.boolean or (a.scope is Scope.POINT and not coordinate(a)):
            return False
    return True


def small_launch(
    s: Setting, conditions: list[Bool], most: int = SMALL
) -> tuple[Reader, ConcreteLaunch] | None:
    """A launch from the site that meets the conditions, with numbers up to `most` and few threads.

    All that the host says is asked, of arrays as well that only a guard of the kernel names. Those of which
    it says nothing are long: that a caller gives a short one is not what leaves an element out.
    """
    conditions = [*conditions, *(s.binding.facts if s.binding is not None else ())]
    free = sorted(
        (x for x in symbols(*conditions, *search.launch_terms(s)) if not x.boolean),
        key=lambda x: (x.scope is not Scope.LAUNCH, x.order),
    )
    limits = [le(of_atom(x), most) for x in free if x.hi is None or x.hi > most]
    laws = powers.next_powers(*conditions, *search.launch_terms(s))
    model = s.prover.model([*conditions, *limits, *laws], free, SEARCH_RLIMIT)
    if model is None:
        return None
    reader = Reader(s, model, ())
    reader.unsaid = most
    launch = reader.launch()
    return (reader, launch) if launch is not None and threads(launch) <= 2 * ALL_THREADS else None


def witness(reader: Reader, launch: ConcreteLaunch, array: str, element: tuple[int, ...]) -> Witness:
    shape = tuple(launch.arrays[array].shape)
    return Witness(
        reader.names(), launch.grid, launch.block, (),
        array=array, element=element, extents=shape, replayed=True, tile=reader.tile(None),
    )  # fmt: skip
