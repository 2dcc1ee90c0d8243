"""Obligation covered at one launch site: every element that is to be written, is.

Two questions. *Grid*: a thread's own guard admits elements up to some bound; does the launch have a
thread for each? Asked of writes whose subscripts tell the global index (so that no other thread
could write the element) and that do not step by the size of the grid. *Output*: an array that
the host allocated without a value is written everywhere; shown by giving, for any element, the
thread and loop counters that write it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.contract.alias import linked
from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.interp.launch import ConcreteLaunch
from gpulint.interp.machine import run
from gpulint.ir import symbols as names
from gpulint.solver import digits, layouts, search, space
from gpulint.solver.blame import owner
from gpulint.solver.general import Round
from gpulint.solver.inverse import definite, hits, inverse
from gpulint.solver.onto import permuted
from gpulint.solver.radix import Unifier
from gpulint.solver.reader import Reader
from gpulint.solver.search import ALL_THREADS, SEARCH_RLIMIT, threads
from gpulint.solver.setting import Setting
from gpulint.solver.signs import floored
from gpulint.solver.sites import SiteRound
from gpulint.solver.space import Seen, atom_of
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, UNDER, Obligation, Verdict, Witness
from gpulint.term import (
    App,
    Bool,
    Cmp,
    Int,
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
    sym,
    symbols,
)
from gpulint.term.build import of_atom
from gpulint.term.walk import atoms


def check(a: SiteRound, r: Round, sites: Sequence[LaunchSite]) -> None:
    """Add the coverage verdicts of the site."""
    s = a.setting
    if a.reason or s.site is None:
        return
    for verdict in (_grid(s, r), *_outputs(s, sites)):
        if verdict is not None:
            a.extra.append(verdict)


# --- grid ---------------------------------------------------------------------------------------


def _grid(s: Setting, r: Round) -> Verdict | None:
    """The first write whose guard admits elements that no thread of the launch has."""
    assert s.site is not None
    done: set[tuple[object, ...]] = set()
    for a in s.accesses.accesses:
        if a.mode == "read" or not a.array.is_param or (a.subscripts, a.domain) in done:
            continue
        done.add((a.subscripts, a.domain))
        w = _uncovered(s, r, a)
        if w is not None:
            where = s.site.grid_span or s.site.span
            o = Obligation("covered", "grid", where, access=a)
            return Verdict(o, REFUTED, witness=w, site=s.site, rung="search")
    return None


def _uncovered(s: Setting, r: Round, a: Access) -> Witness | None:
    raw = space.see(a)
    if s.binding is None or not s.binding.exact or not _pure(raw) or _mentions_grid(raw):
        return None
    axes = [x for x in raw.axes if space.atom_of(space.gid(x)) in symbols(raw.domain)]
    used = [x for x in axes if any(space.atom_of(space.gid(x)) in symbols(t) for t in raw.subscripts)]
    if not used:
        return None
    free = {space.atom_of(space.gid(x)): _element(x) for x in used}
    domain = s.term(subst(raw.domain, free))
    subs = tuple(s.term(subst(t, free)) for t in raw.subscripts)
    inside = [and_(ge(x, 0), lt(x, s.term(e))) for x, e in zip(subs, a.array.extents, strict=True)]
    if not _told_apart(s, r, domain, subs, [_element(x) for x in used]):
        return None
    bounds = conjuncts(and_(domain, *inside))
    totals = {x: s.term(space.unfold(space.total(x))) for x in used}
    used = [x for x in used if _own_fault(bounds, _element(x), totals[x])]
    beyond = or_(*(ge(_element(x), totals[x]) for x in used))
    return _confirm(s, a, [domain, *inside, beyond], subs)


def _own_fault(bounds: Sequence[Bool], element: Int, total: Int) -> bool:
    """Whether what limits the element and what limits the threads come from at most one free input.

    That an array is no longer than another that gave the grid is for the caller to see to.
    """
    mine, grid = atom_of(element), {owner(x.name) for x in symbols(total)}
    for c in bounds:
        if not isinstance(c, Cmp) or not any(n > 0 and mine in m for m, n in c.poly.terms):
            continue
        others = {owner(x.name) for x in symbols(c) if x is not mine}
        if len(grid | others) <= 1:
            return True
    return False


def _element(axis: int) -> Int:
    return sym(f"element.{names.AXES[axis]}", Scope.POINT, 0)


def _pure(seen: Seen) -> bool:
    """Whether whether and where the access happens hangs on no data and no unknown value."""
    for a in atoms(seen.domain, *seen.subscripts):
        if isinstance(a, App) and a.op in ("load", "fn"):
            return False
        if isinstance(a, Sym) and (a.boolean or (a.scope is Scope.POINT and not _coordinate(a))):
            return False
    return True


def _coordinate(x: Sym) -> bool:
    return x.name.startswith(("gid.", "threadIdx.", "blockIdx."))


def _mentions_grid(seen: Seen) -> bool:
    return any(x.name.startswith("grid.") for x in symbols(seen.domain, *seen.subscripts))


def _told_apart(s: Setting, r: Round, domain: Bool, subs: tuple[Int, ...], elements: list[Int]) -> bool:
    u = Unifier(s, domain, r.named, may_assume=False)
    u.run(list(subs))
    return all(u.fixed(e) for e in elements)


def _confirm(s: Setting, a: Access, conditions: list[Bool], subs: tuple[Int, ...]) -> Witness | None:
    """Run the launch of a model whole: the element that it names must stay unwritten."""
    found = small_launch(s, conditions)
    if found is None:
        return None
    reader, launch = found
    outcome = run(s.kernel, launch)
    element = tuple(reader.number(t, 0) for t in subs)
    if not outcome.complete or element in outcome.written.get(a.array.name, {}):
        return None
    return witness(reader, launch, a.array.name, element)


def small_launch(s: Setting, conditions: list[Bool]) -> tuple[Reader, ConcreteLaunch] | None:
    free = sorted(
        (x for x in symbols(*conditions, *search.launch_terms(s)) if not x.boolean),
        key=lambda x: (x.scope is not Scope.LAUNCH, x.order),
    )
    limits = [le(of_atom(x), 4096) for x in free if x.hi is None or x.hi > 4096]
    model = s.prover.model([*conditions, *limits], free, SEARCH_RLIMIT)
    if model is None:
        return None
    reader = Reader(s, model, ())
    launch = reader.launch()
    return (reader, launch) if launch is not None and threads(launch) <= 2 * ALL_THREADS else None


def witness(reader: Reader, launch: ConcreteLaunch, array: str, element: tuple[int, ...]) -> Witness:
    shape = tuple(launch.arrays[array].shape)
    return Witness(
        reader.names(), launch.grid, launch.block, (),
        array=array, element=element, extents=shape, replayed=True, tile=reader.tile(None),
    )  # fmt: skip


# --- output -------------------------------------------------------------------------------------


def _outputs(s: Setting, sites: Sequence[LaunchSite]) -> list[Verdict]:
    """Arrays that the host allocated without a value and that only this launch writes."""
    assert s.site is not None
    out = []
    for name, arg in s.site.arguments.items():
        array = s.accesses.arrays.get(name)
        if not isinstance(arg, HostArray) or not arg.whole:
            continue
        if arg.initialised is None and arg.fresh and array is not None and array.written:
            out += _in_parts(s, name)
        if arg.initialised is not False:
            continue
        if array is None or not array.written or name in s.accesses.tainted:
            continue
        if written_elsewhere(arg, s.site, sites):
            continue
        writes = [x for x in s.accesses.accesses if x.array.name == name and x.mode == "write"]
        if writes:
            out.append(_output(s, name, writes))
    return out


def _in_parts(s: Setting, name: str) -> list[Verdict]:
    """An allocation that launches of a loop fill together: whether they fill it all is not decided."""
    own = [x for x in s.accesses.accesses if x.array.name == name]
    if any(x.mode != "write" for x in own) or not own:
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


def _output(s: Setting, name: str, writes: list[Access]) -> Verdict:
    """Proved, proved where the output has no gaps between its rows, refuted, or undecided."""
    o = Obligation("covered", "output", writes[0].span, access=writes[0])
    how = _all_written(s, writes)
    if how:
        return Verdict(o, PROVED, site=s.site, rung=how)
    packed = layouts.row_major(s, name)
    how = _all_written(packed, writes) if packed is not None else ""
    if how:
        clause = Clause(predicate="contiguous", arrays=(name,))
        return Verdict(o, UNDER, site=s.site, rung=how, clauses=(clause,))
    if s.binding is not None and s.binding.exact and all(_pure(space.see(a)) for a in writes):
        w = _gap(s, name)
        if w is not None:
            return Verdict(o, REFUTED, witness=w, site=s.site, rung="search")
    return Verdict(o, UNDECIDED, site=s.site, reason=f"not shown that every element of {name} is written")


def _all_written(s: Setting, writes: list[Access]) -> str:
    """What shows that the writes reach every element, or ''."""
    element = tuple(sym(f"element{k}", Scope.POINT, 0) for k in range(len(writes[0].subscripts)))
    extents = writes[0].array.extents
    inside = s.term(and_(*(lt(e, x) for e, x in zip(element, extents, strict=True))))
    reached = [c for c in (_reached(s, a, element) for a in writes) if c is not None]
    if any(s.prover.prove(inside, c, z3_too=False) for c in reached):
        return "inverse"
    if any(_by_digits(s, a) for a in writes):
        return "digits"
    return "inverse+z3" if reached and s.prover.unsat(inside, *map(not_, reached)) else ""


def _reached(s: Setting, a: Access, element: tuple[Int, ...]) -> Bool | None:
    """The condition under which one write's point for an element is of the launch and happens."""
    seen = _surely(s, a)
    found = None if seen is None else inverse(seen, element)
    if seen is None or found is None:
        return None
    return and_(subst(seen.domain, found), hits(seen, found, element, s.term))


def _surely(s: Setting, a: Access) -> Seen | None:
    """The write over a domain in which it happens for certain, in terms of the host."""
    wanted = definite(a)
    if wanted is None:
        return None
    seen = space.see(a, domain=wanted).mapped(s.term, s.term)
    return floored(seen, s.prover)


def _by_digits(s: Setting, a: Access) -> bool:
    """Whether one write reaches every element of its array, each taken as a number of mixed radix."""
    seen = _surely(s, a)
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


def _gap(s: Setting, name: str) -> Witness | None:
    """The smallest launch from the site, run whole: an element that stays unwritten."""
    found = small_launch(s, [])
    if found is None:
        return None
    reader, launch = found
    outcome = run(s.kernel, launch)
    if not outcome.complete:
        return None
    shape = launch.arrays[name].shape
    total = 1
    for n in shape:
        total *= n
    if not 0 < total <= 100_000:
        return None
    written = outcome.written.get(name, {})
    for flat in range(total):
        index = _unravel(flat, shape)
        if index not in written:
            return witness(reader, launch, name, index)
    return None


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    out = []
    for n in reversed(shape):
        flat, i = divmod(flat, n)
        out.append(i)
    return tuple(reversed(out))
