"""Obligation disjoint: distinct points do not meet in an element, one of them writing plainly.

Pairs are pruned first: by array, by mode, and by classes of accesses with the same subscripts and
domain. A pair with the same subscripts is decided by mixed-radix reasoning (`radix`), any other by
Z3 on the two renamed points. Barriers are not used to order anything here, which is sound: a pair
proved without them is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.radix import Unifier
from gpulint.solver.residual import Named
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES, Seen
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import (
    FALSE,
    TRUE,
    Bool,
    Int,
    Scope,
    and_,
    apps,
    conjuncts,
    eq,
    le,
    ne,
    or_,
    symbols,
)

MAX_PAIRS = 400


@dataclass(frozen=True)
class Pair:
    first: Access
    second: Access

    @property
    def kind(self) -> str:
        """write-write, read-write or mixed-atomic; a pair of an atomic and a read counts as mixed."""
        modes = {self.first.mode, self.second.mode}
        if "atomic" in modes:
            return "mixed-atomic"
        return "write-write" if modes == {"write"} else "read-write"


def pairs(accesses: tuple[Access, ...]) -> Iterator[Pair]:
    """The pairs to decide: same array in global memory, one a plain write or atomic against plain."""
    classes: dict[tuple[object, ...], Access] = {}
    for a in accesses:
        if a.array.space == "global":
            key = (a.array.name, a.field, a.mode, a.subscripts, a.domain)
            classes.setdefault(key, a)
    kept = sorted(classes.values(), key=lambda a: a.index)
    for i, a in enumerate(kept):
        for b in kept[i:]:
            if a.array.name != b.array.name or (a.field and b.field and a.field != b.field):
                continue
            modes = {a.mode, b.mode}
            if modes in ({"read"}, {"atomic"}):
                continue
            first, second = (b, a) if a.mode == "read" else (a, b)
            yield Pair(first, second)


def obligation(p: Pair) -> Obligation:
    return Obligation("disjoint", p.kind, p.first.span, access=p.first, other=p.second)


def rank_clause(rank_: int) -> Clause | None:
    """The launch has no more axes than the kernel's indices: 'launched in 1-D'."""
    idle = [a for a in AXES if a >= rank_]
    if not idle:
        return None
    conds = [eq(f(a), 1) for a in idle for f in (names.block_size, names.grid_size)]
    return Clause(and_(*conds), text=f"launched in {rank_}-D")


def decide(s: Setting, p: Pair, named: Named, deep: bool = True) -> Verdict:
    """The verdict on a pair in a setting; open ones carry the clauses that would settle them."""
    o = obligation(p)
    a, b, idle = views(s, p)
    base = (idle,) if idle is not None else ()
    if and_(a.domain, b.domain) == FALSE:
        return Verdict(o, PROVED, rung="bounds")
    shared = tuple(c for c in base if s.site is None)
    if a.subscripts == b.subscripts:
        u = Unifier(s, common(a.domain, b.domain), named)
        u.run(list(a.subscripts))
        left = _left(u, a.axes, s)
        if left and u.assume_injective():
            left = _left(u, a.axes, s)
        if not left:
            return _under(o, (*shared, *u.clauses), "radix")
        sizes = tuple(one_thread(c) for c in left)
        if deep and s.prover.unsat(*collision(s, a, b)):
            return _under(o, shared, "z3")
        return Verdict(o, UNDECIDED, reason=_why(a), clauses=(*shared, *u.clauses, *sizes), geometry=True)
    if deep and s.prover.unsat(*collision(s, a, b)):
        return _under(o, shared, "z3")
    return Verdict(o, UNDECIDED, reason=_why(a, b), clauses=shared)


def _under(o: Obligation, cs: tuple[Clause, ...], rung: str) -> Verdict:
    return Verdict(o, UNDER if cs else PROVED, clauses=cs, rung=rung)


def views(s: Setting, p: Pair) -> tuple[Seen, Seen, Clause | None]:
    """Both accesses over the same coordinates, and the clause about idle axes."""
    axes = s.see(p.first).axes & s.see(p.second).axes
    return s.see(p.first, axes), s.see(p.second, axes), rank_clause(max(1, s.accesses.rank))


def live(s: Setting, axes: frozenset[int]) -> list[Int]:
    """The coordinates that tell points apart along the axes that the kernel uses."""
    used = range(max(1, s.accesses.rank))
    return [c for c in space.coordinates(axes) if any(str(c).endswith(names.AXES[a]) for a in used)]


def common(a: Bool, b: Bool) -> Bool:
    """What holds at both points: the conditions that both domains name."""
    if a == b:
        return a
    return and_(*(c for c in conjuncts(a) if c in conjuncts(b)))


def _left(u: Unifier, axes: frozenset[int], s: Setting) -> list[Int]:
    """Coordinates that may still differ between the two points."""
    out = []
    for c in live(s, axes):
        if not (u.fixed(c) or _single(s, c) or u.constant(c)):
            out.append(c)
    return out


def size_of(c: Int, s: Setting) -> Int:
    """How many values a coordinate has in the launch."""
    name = str(c)
    axis = names.AXES.index(name[-1])
    if name.startswith("gid"):
        return s.term(space.unfold(space.total(axis)))
    return s.term(names.block_size(axis) if name.startswith("thread") else names.grid_size(axis))


def _single(s: Setting, c: Int) -> bool:
    """Whether the coordinate has one value only: its size is one."""
    return bool(s.prover.prove(TRUE, le(size_of(c, s), 1), z3_too=False))


def one_thread(c: Int) -> Clause:
    """The clause that a coordinate has one value only."""
    name = str(c)
    axis = names.AXES.index(name[-1])
    if name.startswith("gid"):
        g, b = names.grid_size(axis), names.block_size(axis)
        return Clause(and_(eq(g, 1), eq(b, 1)))
    return Clause(eq(names.block_size(axis) if name.startswith("thread") else names.grid_size(axis), 1))


def collision(s: Setting, a: Seen, b: Seen) -> list[Bool]:
    """Two distinct points in their domains that meet in an element: contradictory when disjoint."""
    facts = and_(*(f for f in s.prover.facts if any(x.scope is not Scope.LAUNCH for x in symbols(f))))
    wanted = live(s, a.axes)
    mine = _support(facts, a)
    out = [space.twin(and_(a.domain, mine), 1), space.twin(and_(b.domain, _support(facts, b)), 2)]
    for c in wanted:
        bound = le(c + 1, size_of(c, s))
        out += [space.twin(bound, 1), space.twin(bound, 2)]
    out.append(or_(*(ne(space.twin_int(c, 1), space.twin_int(c, 2)) for c in wanted)))
    for x, y in zip(a.subscripts, b.subscripts, strict=True):
        out.append(eq(space.twin_int(x, 1), space.twin_int(y, 2)))
    return out


def _support(facts: Bool, seen: Seen) -> Bool:
    """The facts about a point whose point symbols all occur at the access."""
    have = symbols(seen.domain, *seen.subscripts)
    keep = []
    for f in conjuncts(facts):
        local = {x for x in symbols(f) if x.scope is not Scope.LAUNCH}
        if local <= have:
            keep.append(f)
    return and_(*keep)


def _why(*seen: Seen) -> str:
    loads = sorted({x.data for v in seen for t in v.subscripts for x in apps(t, op="load")})
    if loads:
        return f"indirect index: loaded from {', '.join(loads)}"
    unknown = sorted(
        x.name for v in seen for t in v.subscripts for x in symbols(t)
        if x.scope is Scope.POINT and not x.name.startswith(("threadIdx.", "gid."))
    )  # fmt: skip
    if unknown:
        return f"index depends on an unknown value: {unknown[0]}"
    return "several threads may meet in one element"

