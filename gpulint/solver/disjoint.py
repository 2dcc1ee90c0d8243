"""Obligation disjoint: distinct points do not meet in an element, one of them writing plainly.

A pair with the same subscripts is decided by mixed-radix reasoning (`radix`), any other by Z3 on the
two renamed points. Three scopes: any two points; points of different blocks; points of one block,
whose block index is one and whose barrier-loop counters relate as the barrier intervals say.
Writes that store one value are no conflict (`agree`).
"""

from __future__ import annotations

from dataclasses import replace

from gpulint.contract.clause import Clause
from gpulint.ir import symbols as names
from gpulint.solver import agree, apart, lastblock, ranges, renaming, segments, slots, space, splitting
from gpulint.solver.pairs import Pair
from gpulint.solver.radix import Unifier
from gpulint.solver.residual import CAP, Named, rank
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES, Seen
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import (
    FALSE,
    TRUE,
    Bool,
    Cmp,
    Int,
    Junction,
    Literal,
    Scope,
    Sym,
    add,
    and_,
    apps,
    conjuncts,
    eq,
    floordiv,
    ge,
    le,
    mod,
    mul,
    ne,
    not_,
    or_,
    symbols,
)
from gpulint.term.build import ONE, ZERO, of_atom

MAX_PAIRS = 400
LEAST = (1, 0)  # of a coordinate at an access: a guard may leave the first program out
AXES_OF = {name: axis for axis, name in enumerate(names.AXES)}


def obligation(p: Pair) -> Obligation:
    scope = "" if p.scope == "any" else p.scope
    return Obligation("disjoint", p.kind, p.first.span, access=p.first, other=p.second, scope=scope)


def rank_clause(s: Setting) -> Clause | None:
    """The launch has no more axes than the kernel's indices: 'launched in 1-D'."""
    rank, grid = max(1, s.accesses.rank), grid_axes(s)
    sizes = [] if s.tiles else [names.block_size(a) for a in AXES if a >= rank]
    sizes += [names.grid_size(a) for a in AXES if a >= grid]
    if not sizes:
        return None
    text = f"launched in {rank}-D" + (f" with a {grid}-D grid" if grid < rank else "")
    return Clause(and_(*(eq(size, 1) for size in sizes)), text=text)


def grid_axes(s: Setting) -> int:
    """The axes along which an unseen launch has more than one block: those that the kernel looks at."""
    return max(1, min(s.accesses.rank, s.accesses.grid_rank))


def decide(s: Setting, p: Pair, named: Named, deep: bool = True) -> Verdict:
    """The verdict on a pair in a setting; open ones carry the clauses that would settle them.

    Writes that store one value are no conflict.
    """
    other = agree.differ(s, p, held(p) - p.tied())
    if other == FALSE:
        return Verdict(obligation(p), PROVED, rung="same value")
    v = _apart(s, p, named, deep)
    if v.kind == UNDECIDED and deep:
        cs = lastblock.ordered(s, p, collision, _blocks(s))
        if cs is not None:
            idle = rank_clause(s) if s.site is None else None
            return _under(v.obligation, (*((idle,) if idle is not None else ()), *cs), "last block")
    if v.kind == UNDECIDED and s.order.handed_over(p):
        v = replace(v, reason="atomics behind fences may order the two, which is not followed")
    if v.kind != UNDECIDED or other is None or not deep or not s.prover.unsat(*conflict(s, p)[0]):
        return v
    idle = rank_clause(s) if s.site is None else None
    return _under(v.obligation, (idle,) if idle is not None else (), "same value")


def _blocks(s: Setting) -> Int:
    """How many blocks the launch has, along the axes that count."""
    out = ONE
    for axis in AXES if s.site is not None else range(grid_axes(s)):
        out = mul(out, s.term(names.grid_size(axis)))
    return out


def conflict(s: Setting, p: Pair) -> tuple[list[Bool], tuple[Seen, Seen]]:
    """Two points that meet and, where it is known what they store, do not store the same."""
    other = agree.differ(s, p, held(p) - p.tied())
    if other is None:
        seen = views(s, p)
        return collision(s, p, *seen), seen
    seen = s.see(p.first, frozenset()), s.see(p.second, frozenset())
    return [*collision(s, p, *seen), other], seen


def _apart(s: Setting, p: Pair, named: Named, deep: bool) -> Verdict:
    """Whether the points of a pair meet in an element, whatever they store."""
    o = obligation(p)
    a, b = views(s, p)
    s = _given(s, a, b)
    idle = rank_clause(s) if s.site is None and p.scope != "lanes" else None
    shared = (idle,) if idle is not None else ()
    if and_(space.twin(a.domain, 1, held(p)), space.twin(b.domain, 2, held(p))) == FALSE:
        return Verdict(o, PROVED, rung="bounds")  # no launch lets both happen
    if a.subscripts == b.subscripts and _aligned(p):
        u = Unifier(s, common(a.domain, b.domain), named, equal=set(held(p)))
        u.run(list(a.subscripts))
        left = _left(u, p, a, s)
        if left and u.assume_injective():
            left = _left(u, p, a, s)
        if not left and not any(rank(c) >= CAP for c in u.clauses):
            return _under(o, (*shared, *u.clauses), "radix")
        lone = [_lone(s, c, a, named) for c in left] if p.scope != "lanes" else [None]
        sizes = tuple(one_thread(c) for c in left) if p.scope != "lanes" else ()
        meet = collision(s, p, a, b) if deep else []
        if deep and s.prover.unsat(*meet):
            return _under(o, shared, "z3")
        if deep and not left:
            return _under(o, (*shared, *u.clauses), "radix")
        if deep and (cs := _sorted(s, meet, named)):
            return _under(o, (*shared, *cs), "z3")
        told = _segments(s, p, a, b, named) if deep else None
        if told:
            return _under(o, (*shared, *told), "segments")
        whole, cs = p.scope in ("any", "blocks"), (*shared, *u.clauses)
        found = tuple(c for c in lone if c is not None)
        exact = s.tiles and whole and len(found) == len(lone) and not any(rank(c) >= CAP for c in u.clauses)
        cs = (*cs, *(found if exact else sizes))
        return Verdict(o, UNDECIDED, reason=_why(a), clauses=cs, geometry=whole, exact=exact)
    told = _renamed(s, p, a, b, named)
    if told is not None:
        return _under(o, (*shared, *told), "radix")
    meet = collision(s, p, a, b) if deep else []
    more = splitting.derived(s.prover, meet) if deep else []
    if FALSE in more:
        return _under(o, shared, "radix")
    if deep and s.prover.unsat(*meet, *more):
        return _under(o, shared, "z3")
    if deep and (cs := _sorted(s, meet, named)):
        return _under(o, (*shared, *cs), "z3")
    if deep and s.tiles and s.site is None and (cs := splitting.parted(s, meet, named)):
        return _under(o, (*shared, *cs), "radix")
    return Verdict(o, UNDECIDED, reason=_why(a, b), clauses=shared)


def _renamed(s: Setting, p: Pair, a: Seen, b: Seen, named: Named) -> tuple[Clause, ...] | None:
    """Clauses of mixed radix on two accesses whose subscripts differ in the names of counters alone."""
    same = renaming.alike(s, a, b) if _aligned(p) and not held(p) else None
    if same is None:
        return None
    u = Unifier(s, common(a.domain, same.domain), named)
    u.run(list(a.subscripts))
    return None if _left(u, p, a, s) or any(rank(c) >= CAP for c in u.clauses) else tuple(u.clauses)


def _segments(s: Setting, p: Pair, a: Seen, b: Seen, named: Named) -> tuple[Clause, ...] | None:
    """Clauses on index arrays under which programs that store by way of them are apart."""
    if not s.tiles or s.site is not None or p.scope not in ("any", "blocks") or len(a.subscripts) != 1:
        return None
    return segments.apart(s, common(a.domain, b.domain), a.subscripts[0], live(s, p, a.axes), named)


def _given(s: Setting, a: Seen, b: Seen) -> Setting:
    """The setting with the equations between sizes of the launch under which the two accesses happen."""
    if s.site is None:
        return s
    both = dict.fromkeys((*conjuncts(a.domain), *conjuncts(b.domain)))
    equal = [c for c in both if isinstance(c, Cmp) and c.op == "eq" and c not in s.prover.facts]
    more = [c for c in equal if all(x.scope is Scope.LAUNCH for x in symbols(c)) and not apps(c, op="load")]
    return s.with_facts(more) if more else s


def _sorted(s: Setting, meet: list[Bool], named: Named) -> tuple[Clause, ...]:
    """Clauses `sorted(cu)` under which two points cannot meet: ragged segments given by their ends."""
    loaded = {x.data for x in apps(*meet, op="load") if len(x.args) == 1}
    new = frozenset(loaded & named.arrays) - s.prover.ordered
    if not new or not s.prover.sorting(new).unsat(*meet):
        return ()
    return tuple(Clause(predicate="sorted", arrays=(name,)) for name in sorted(new))


def _under(o: Obligation, cs: tuple[Clause, ...], rung: str) -> Verdict:
    return Verdict(o, UNDER if cs else PROVED, clauses=cs, rung=rung)


def _aligned(p: Pair) -> bool:
    """Whether mixed radix may take every barrier-loop counter of the two points as its own or equal.

    Unequal counters are no obstacle: an untied counter is a digit like any other.
    """
    return p.scope != "block" or p.ways is None or bool(p.ways)


def held(p: Pair) -> frozenset[Sym]:
    """The symbols that are one for both points: in one block, its index and tied counters.

    Of two lanes of one store, all that is no lane.
    """
    blocks = frozenset(space.atom_of(names.block(a)) for a in AXES)
    if p.scope == "lanes":
        return blocks | {loop.counter for loop in p.first.loops}
    return blocks | p.tied() if p.scope == "block" else frozenset()


def views(s: Setting, p: Pair) -> tuple[Seen, Seen]:
    """Both accesses over the same coordinates: global indices only where any two points count."""
    if p.scope != "any":
        a, b = s.see(p.first, frozenset()), s.see(p.second, frozenset())
        first = apart.by_index(s, a, p.first.array.name) if s.tiles else None
        second = apart.by_index(s, b, p.first.array.name) if first is not None else None
        return (a, b) if first is None or second is None else (first, second)
    axes = s.see(p.first).axes & s.see(p.second).axes
    return s.see(p.first, axes), s.see(p.second, axes)


def live(s: Setting, p: Pair, axes: frozenset[int]) -> list[Int]:
    """The coordinates that tell the pair's points apart, along the axes that count."""
    used = live_axes(s)
    blocks = [names.block(a) for a in used if s.site is not None or a < grid_axes(s)]
    if p.scope == "blocks":
        return blocks
    if p.scope == "block":
        return [names.thread(a) for a in used]
    if p.scope == "lanes":
        return [of_atom(lane) for lane, _ in p.first.lanes]
    idle = [names.block(a) for a in AXES if names.block(a) not in blocks]
    return [c for c in space.coordinates(axes) if c not in idle and AXES_OF[str(c)[-1]] in used]


def live_axes(s: Setting) -> list[int]:
    """The axes of the kernel's indices, and at a site those along which it may launch more than one.

    For any parameters `rank_clause` says that the others have one value.
    """
    rank = max(1, s.accesses.rank)
    if s.site is None:
        return [a for a in AXES if a < rank]
    sizes = (names.block_size, names.grid_size)
    return [a for a in AXES if a < rank or not all(_one(s, f(a)) for f in sizes)]


def warp(s: Setting) -> Int:
    """The number of a thread's warp in its block."""
    return floordiv(linear(s), space.WARP)


def lane(s: Setting) -> Int:
    """A thread's place in its warp."""
    return mod(linear(s), space.WARP)


def linear(s: Setting) -> Int:
    """The number of a thread in its block, over the axes that count."""
    number, row = ZERO, ONE
    for axis in live_axes(s):
        number = add(number, mul(names.thread(axis), row))
        row = mul(row, s.term(names.block_size(axis)))
    return number


def along_x(s: Setting) -> bool:
    """Whether lanes go along x: the block has one thread along the other axes, given the kernel's rank."""
    return all(axis == 0 for axis in live_axes(s))


def _one(s: Setting, size: Int) -> bool:
    return bool(s.prover.prove(TRUE, le(s.term(size), 1), z3_too=False))


def common(a: Bool, b: Bool) -> Bool:
    """What holds at both points: the conditions that both domains name."""
    if a == b:
        return a
    return and_(*(c for c in conjuncts(a) if c in conjuncts(b)))


def _left(u: Unifier, p: Pair, a: Seen, s: Setting) -> list[Int]:
    """Coordinates that may still differ between the two points."""
    out = []
    for c in live(s, p, a.axes):
        alone = p.scope != "lanes" and _single(s, c)
        if not (u.fixed(c) or alone or u.constant(c)):
            out.append(c)
    return out


def size_of(c: Int, s: Setting) -> Int:
    """How many values a coordinate has in the launch."""
    name = str(c)
    axis = names.AXES.index(name[-1])
    if name.startswith("gid"):
        return s.term(space.total(axis))
    return s.term(names.block_size(axis) if name.startswith("thread") else names.grid_size(axis))


def _lone(s: Setting, c: Int, a: Seen, named: Named) -> Clause | None:
    """The clause that one value of a coordinate gets to an access whose subscripts do not tell it.

    The launch has no more of it than the least that the guard lets through, which is asked where what the
    guard says of the launch alone holds. Without the clause two programs would meet.
    """
    if space.atom_of(c) in symbols(*a.subscripts):
        return None
    said = [x for x in conjuncts(a.domain) if not isinstance(x, Junction) and _flag(x, named)]
    for least in LEAST:
        if s.prover.prove(a.domain, ge(c, least)):
            return Clause(or_(*map(not_, said), le(size_of(c, s), least + 1)))
    return None


def _flag(c: Bool, named: Named) -> bool:
    """Whether a host can tell a condition, which is no bound: a flag, or that a parameter has some value."""
    own = symbols(c)
    told = bool(own) and all(x.boolean or x in named.symbols for x in own) and not apps(c, op="load")
    return told and (isinstance(c, Literal) or (isinstance(c, Cmp) and c.op == "eq"))


def _single(s: Setting, c: Int) -> bool:
    """Whether the coordinate has one value only: its size is one."""
    return bool(s.prover.prove(TRUE, le(size_of(c, s), 1), z3_too=False))


def one_thread(c: Int) -> Clause:
    """The clause that a coordinate has one value only."""
    name = str(c)
    axis = names.AXES.index(name[-1])
    if name.startswith("gid"):
        return Clause(and_(eq(names.grid_size(axis), 1), eq(names.block_size(axis), 1)))
    return Clause(eq(names.block_size(axis) if name.startswith("thread") else names.grid_size(axis), 1))


def collision(s: Setting, p: Pair, a: Seen, b: Seen) -> list[Bool]:
    """Two distinct points in their domains that meet in an element: contradictory when disjoint."""
    facts = and_(*(f for f in s.prover.facts if any(x.scope is not Scope.LAUNCH for x in symbols(f))))
    one = held(p) - p.tied()
    if p.scope == "blocks":
        a, b = lastblock.published(s, a, collision), lastblock.published(s, b, collision)
    out = [
        space.twin(and_(a.domain, _support(facts, a, s, p)), 1, one),
        space.twin(and_(b.domain, _support(facts, b, s, p)), 2, one),
    ]
    wanted = live(s, p, a.axes)
    for c in wanted if p.scope != "lanes" else ():
        bound = le(c + 1, size_of(c, s))
        out += [space.twin(bound, 1, one), space.twin(bound, 2, one)]
    out.append(or_(*(ne(space.twin(c, 1), space.twin(c, 2)) for c in wanted)))
    if p.scope in ("block", "blocks"):
        out.append(p.relation(linear(s) if p.near is not None else None, along_x(s)))
    for x, y in zip(a.subscripts, b.subscripts, strict=True):
        out.append(eq(space.twin(x, 1, one), space.twin(y, 2, one)))
    return [*out, *slots.apart(s, p, a, b, one)]


def _support(facts: Bool, seen: Seen, s: Setting, p: Pair) -> Bool:
    """The facts about a point whose point symbols all occur at the access or tell points apart."""
    have = symbols(seen.domain, *seen.subscripts, *live(s, p, seen.axes))
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
        if x.scope is Scope.POINT and not ranges.known(x.name)
    )  # fmt: skip
    if unknown:
        return f"index depends on an unknown value: {unknown[0]}"
    return "several threads may meet in one element"
