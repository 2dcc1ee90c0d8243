"""Additions that one lane makes for its warp: whose they are, and where in them each lane stands.

A warp counts by a ballot how many of its lanes want a place, one lane adds that number to a counter, a
shuffle gives the rest what it found, and each takes the place after those of the lanes below. What holds of
that, for any two threads:

- a shuffle reads the lane that it names, of the reader's warp; two threads of one warp read one value, since
  a shuffle outside loops is made once by all lanes of its mask together (that they come is an obligation of
  its own, convergent; that the lane takes part is another);
- a ballot gives the lanes of a warp one result, and counting its bits gives the lanes that voted for it:
  where a lane did, the result is not zero, and those below it are fewer than all, and fewer than those
  below a higher lane;
- the lowest lane of a ballot that is not empty (`ffs(ballot) - 1`) voted for it.

Lanes go along x here, in a block of one axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpulint.dataflow.access import Ballot, Exchange
from gpulint.ir import symbols as names
from gpulint.solver import space
from gpulint.solver.pairs import Pair
from gpulint.solver.setting import Setting
from gpulint.solver.space import WARP, Seen
from gpulint.term import (
    App,
    Atom,
    Bool,
    Int,
    Scope,
    Sym,
    add,
    and_,
    apps,
    bool_sym,
    eq,
    floordiv,
    fn,
    implies,
    le,
    lt,
    mod,
    mul,
    ne,
    not_,
    or_,
    power,
    sub,
    subst,
    symbols,
)
from gpulint.term.build import of_atom

COUNT, FIRST, BOTH = "popc(_)", "ffs(_)", "and"


def apply(s: Setting, p: Pair) -> bool:
    """Whether the two points of a pair are seen by block and thread, with lanes along x."""
    return s.accesses.flat and p.scope in ("block", "blocks")


def warp() -> Int:
    return floordiv(names.thread(0), WARP)


def lane() -> Int:
    return mod(names.thread(0), WARP)


def reads(s: Setting, e: Exchange) -> Int:
    """The number in its block of the thread that a shuffle reads."""
    return s.term(add(mul(warp(), WARP), e.lane))


def told(s: Setting, e: Exchange, terms: Iterable[Int]) -> bool:
    """Whether the terms, at the thread that is read, are over symbols that are known there.

    The result of a ballot is the same for it.
    """
    known = {x for x, _ in e.moved} | {b.result for b in s.accesses.ballots}
    return all(x.scope is not Scope.POINT or x in known for x in symbols(*terms))


def facts(s: Setting, p: Pair, a: Seen, b: Seen, one: frozenset[Sym]) -> list[Bool]:
    """What holds of the two points' shuffles and ballots."""
    out = [f for side, seen in ((1, a), (2, b)) for f in _alone(s, seen, side, one)]
    if p.scope == "block":
        first, second = (space.twin(warp(), side, one) for side in (1, 2))
        out += [implies(eq(first, second), f) for f in _together(s, a, b, one)]
    return out


def _symbols(seen: Seen) -> set[Sym]:
    return symbols(seen.domain, *seen.subscripts)


def _used(s: Setting, seen: Seen) -> list[Exchange]:
    have = _symbols(seen)
    return [e for e in s.accesses.exchanges if any(x in have for _, x in e.moved)]


def _alone(s: Setting, seen: Seen, side: int, one: frozenset[Sym]) -> Iterator[Bool]:
    """What holds at one point."""

    def at(f: Bool) -> Bool:
        return space.twin(s.term(f), side, one)

    for e in _used(s, seen):
        moved: dict[Atom, Int | Bool] = {x: _term(other) for x, other in e.moved}
        yield at(eq(subst(names.thread(0), moved), reads(s, e)))
        for ballot in s.accesses.ballots:
            for x in apps(e.lane, op="fn"):
                first = of_atom(x)
                if (x.data, x.args) == (FIRST, (of_atom(ballot.result),)) and e.lane == mod(
                    sub(first, 1), WARP
                ):
                    there = and_(le(1, first), le(first, WARP), subst(ballot.votes, moved))
                    yield at(implies(ballot.votes, there))
    for ballot, count, below in _counts(s, seen):
        yield at(and_(le(0, below), le(below, count), le(count, WARP), le(below, lane())))
        yield at(implies(ballot.votes, and_(lt(below, count), ne(of_atom(ballot.result), 0))))


def _together(s: Setting, a: Seen, b: Seen, one: frozenset[Sym]) -> Iterator[Bool]:
    """What holds where the two points are of one warp."""
    read = _used(s, b)
    for e in (e for e in _used(s, a) if e in read):
        yield from (
            _same(_term(space.mark(x, 1, one) or x), _term(space.mark(x, 2, one) or x)) for _, x in e.moved
        )
    counted = {ballot: below for ballot, _, below in _counts(s, b)}
    for ballot, _, below in _counts(s, a):
        if ballot in counted:
            yield eq(*(space.twin(of_atom(ballot.result), side, one) for side in (1, 2)))
            places = {1: below, 2: counted[ballot]}
            for low, high in ((1, 2), (2, 1)):
                lower = lt(space.twin(lane(), low, one), space.twin(lane(), high, one))
                voted = space.twin(s.term(ballot.votes), low, one)
                ranks = [space.twin(s.term(places[k]), k, one) for k in (low, high)]
                yield implies(and_(lower, voted), lt(*ranks))


def _same(x: Int | Bool, y: Int | Bool) -> Bool:
    if isinstance(x, Int) and isinstance(y, Int):
        return eq(x, y)
    assert isinstance(x, Bool) and isinstance(y, Bool)
    return and_(or_(x, not_(y)), or_(not_(x), y))


def _term(x: Sym) -> Int | Bool:
    return bool_sym(x.name, x.scope) if x.boolean else of_atom(x)


def _counts(s: Setting, seen: Seen) -> list[tuple[Ballot, Int, Int]]:
    """The ballots of which a point counts the bits below its lane, with the counts of all and of those."""
    found = [x for x in apps(seen.domain, *seen.subscripts, op="fn") if x.data == COUNT]
    lower = s.term(sub(power(2, lane()), 1))
    out = []
    for ballot in s.accesses.ballots:
        for x in found:
            inner = x.args[0].atom if len(x.args) == 1 else None
            if (
                isinstance(inner, App)
                and inner.data == BOTH
                and set(inner.args) == {of_atom(ballot.result), lower}
            ):
                out.append((ballot, fn(COUNT, of_atom(ballot.result), lo=0, hi=WARP), of_atom(x)))
                break
    return out
