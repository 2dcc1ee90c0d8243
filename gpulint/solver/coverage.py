"""Obligation covered at one launch site: every element that is to be written, is.

Two questions. *Grid*, here: a thread's own guard admits elements up to some bound; does the launch have a
thread for each? Asked of writes whose subscripts tell the global index (so that no other thread
could write the element) and that do not step by the size of the grid. *Output* (`outputs`): an array that
the host allocated without a value is written everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import LaunchSite
from gpulint.interp.machine import run
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.blame import owner
from gpulint.solver.general import Round
from gpulint.solver.outputs import outputs, pure, small_launch, witness
from gpulint.solver.radix import Unifier
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound, possible
from gpulint.solver.space import Seen, atom_of
from gpulint.solver.verdict import REFUTED, Obligation, Verdict, Witness
from gpulint.term import (
    Bool,
    Cmp,
    Int,
    Scope,
    and_,
    conjuncts,
    ge,
    lt,
    or_,
    subst,
    sym,
    symbols,
)


def check(a: SiteRound, r: Round, sites: Sequence[LaunchSite]) -> None:
    """Add the coverage verdicts of the site."""
    s = a.setting
    if a.reason or s.site is None:
        return
    contract = possible(s, r.inferred)
    for verdict in (_grid(s, r), *outputs(s, sites, contract)):
        if verdict is not None:
            a.extra.append(verdict)


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
    if s.binding is None or not s.binding.exact or not pure(raw) or _mentions_grid(raw):
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
