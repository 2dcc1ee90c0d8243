"""Masks that are true wherever they are looked at, in every launch or in launches that meet more clauses.

A mask is left out of the source that is compiled only where each access of the call, in whatever place its
function is inlined, is proved to lie inside its mask at every point that reaches it. That is asked of the
mask as the analysis has it where that is exactly the mask (`Access.masked`). What is missing for a proof are
sufficient clauses over what the host knows: under them a second version goes without, and the launch picks it
where they hold. Padding (`other`) goes with its mask: no lane takes it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gpulint.compile.proofs import Note
from gpulint.compile.tile.cutting import Dropped, Place, arguments, place
from gpulint.compile.tile.proved import Tiled
from gpulint.contract.clause import Clause
from gpulint.contract.parse import parse
from gpulint.dataflow.access import Access
from gpulint.ir.span import NOWHERE, Span
from gpulint.solver import ranges
from gpulint.solver.general import nameable
from gpulint.solver.options import Options as Solving
from gpulint.solver.setting import Setting
from gpulint.term import Bool, Cmp, Scope, Sym, conjuncts, const, eq, lt, mod, show, symbols
from gpulint.term.build import ONE, of_atom

MAX_CALLS = 200
DROPPED = ("mask", "other")


@dataclass(frozen=True)
class Masks:
    """`always`: what every launch can do without; `more`: what launches can that meet `clauses` as well.

    `notes` say what proves the first, `under` what proves the rest.
    """

    always: Dropped
    more: Dropped
    clauses: tuple[Clause, ...]
    notes: tuple[Note, ...]
    under: tuple[Note, ...]


def masks(p: Tiled) -> Masks:
    """The masks of a verified kernel that cannot fire."""
    work = _Work(p)
    found: list[tuple[Place, Span, tuple[Clause, ...]]] = []
    for where, span in _calls(p):
        needed = work.needed([a for a in p.accesses.accesses if _at(a.span) == _at(span)])
        if needed is not None:
            found.append((where, span, needed))
    always = [(where, span) for where, span, needed in found if not needed]
    more = [(where, span, needed) for where, span, needed in found if needed]
    clauses = tuple(dict.fromkeys(c for _, _, needed in more for c in needed))
    if clauses and work.setting.prover.unsat(*(c.condition for c in clauses)):
        more, clauses = [], ()
    return Masks(
        _dropped([where for where, _ in always]),
        _dropped([*(where for where, _ in always), *(where for where, _, _ in more)])
        if more
        else frozenset(),
        clauses,
        tuple(Note("no mask", "in-range: it is true wherever the access is reached", at) for _, at in always),
        tuple(_note(at, needed) for _, at, needed in more),
    )


def _note(at: Span, needed: Sequence[Clause]) -> Note:
    under = " and ".join(map(str, needed))
    return Note("no mask in the version for whole tiles", f"in-range: it is true where {under}", at)


def _dropped(places: Sequence[Place]) -> Dropped:
    return frozenset((where, name) for where in places for name in DROPPED)


def _calls(p: Tiled) -> Iterator[tuple[Place, Span]]:
    """Every load and store of the compiled functions that is given a mask."""
    count = 0
    for part in p.skeleton.parts.values():
        for f in part.functions.values():
            for node in ast.walk(f):
                if isinstance(node, ast.Call) and _masked(node) and count < MAX_CALLS:
                    count += 1
                    yield place(part.module, node), part.module.span(node)


def _masked(call: ast.Call) -> bool:
    """Whether a call has a mask that can be left out: one that is not its first argument."""
    given = arguments(call)
    first = (*call.args, *(k.value for k in call.keywords))[:1]
    return "mask" in given and not any(given.get(name) in first for name in DROPPED)


def _at(s: Span) -> tuple[object, ...]:
    """The place in the source, wherever its function is inlined."""
    return s.filename, s.row, s.column, s.end_row, s.end_column


class _Work:
    """The questions about one kernel's masks."""

    def __init__(self, p: Tiled) -> None:
        self.p, self.kernel = p, p.kernel
        self.named = nameable(p.kernel, p.accesses)
        self.asked: list[Access] = []  # settings know accesses by identity
        self.setting = Setting(p.kernel, p.accesses, Solving(assume=p.assume), p.clauses)
        self.whole: dict[Clause, Setting] = {}

    def _given(self, c: Clause, s: Sym, unit: int) -> Setting:
        """The setting in which a parameter is a multiple of a unit, in place of smaller units."""
        if c not in self.whole:
            smaller = {_multiple(s, d).condition for d in range(1, unit) if unit % d == 0}
            premises = (*(x for x in self.p.clauses if x.condition not in smaller or x.predicate), c)
            self.whole[c] = Setting(self.kernel, self.p.accesses, Solving(assume=self.p.assume), premises)
        return self.whole[c]

    def needed(self, own: Sequence[Access]) -> tuple[Clause, ...] | None:
        """The clauses under which all of a call's accesses lie inside their masks; None if none are found."""
        out: dict[Clause, None] = {}
        for a in own:
            if a.masked is None:
                return None
            reached, mask = a.masked
            for goal in conjuncts(mask):
                cs = self._settled(a, reached, goal)
                if cs is None:
                    return None
                out.update(dict.fromkeys(cs))
        return tuple(out) if own else None

    def _settled(self, a: Access, reached: Bool, goal: Bool) -> tuple[Clause, ...] | None:
        """What gives one condition of a mask wherever an access is reached: () where nothing is missing.

        That a parameter is a multiple of a tile's size is tried before what elimination leaves. The condition
        `p <= 0` is looked at as a subscript `p` below 1, in the terms of all subscripts.
        """
        if not isinstance(goal, Cmp) or goal.op != "le":
            return None
        about = replace(a, guard=reached, checks=((goal.poly, ONE),))
        self.asked.append(about)
        found = self._answer(self.setting, about)
        if found.how:
            return ()
        for s, unit in _units(a, goal):
            c = _multiple(s, unit)
            if self._answer(self._given(c, s, unit), about).how:
                return (c,)
        return found.clauses if found.clauses and all(map(self._checkable, found.clauses)) else None

    def _answer(self, s: Setting, about: Access) -> ranges.Answer:
        seen = s.see(about)
        ((index, one),) = seen.checks
        return ranges.settle(s, seen.domain, lt(index, one), self.named)

    def _checkable(self, c: Clause) -> bool:
        """Whether a launch can decide a clause by sizes alone."""
        return not c.predicate and isinstance(parse(show(c.condition), NOWHERE, self.kernel), Clause)


def _multiple(s: Sym, unit: int) -> Clause:
    return Clause(eq(mod(of_atom(s), const(unit)), const(0)))


def _units(a: Access, goal: Cmp) -> list[tuple[Sym, int]]:
    """Parameters in a condition, each with sizes of the tile of which it may be a multiple."""
    sizes = sorted({size.value for _, size in a.lanes if size.value is not None and size.value > 1})
    names = sorted(
        (s for s in symbols(goal) if s.scope is Scope.LAUNCH and "." not in s.name), key=lambda s: s.order
    )
    return [(s, size) for s in names for size in sizes]
