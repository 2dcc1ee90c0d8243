"""Places that atomic operations hand out, each to one thread.

*Counters*: when every write to an element is an atomic addition of what is not negative, the values that
the additions find there are apart by the amounts: of two additions one comes first, and the other finds at
least what that one left. *Claims*: when every write to an array is a compare-and-swap
that puts something else in place of one value, an element gives up that value once, so that only one
thread finds it there. Both hold for any two operations of different threads, whatever order they come in.

Another write may set the element where no path leads to it from the two operations, or only around loops
whose iteration is the same at both: then, given that it does not race with them (an obligation of its own),
it comes before both or after both. The memory of a block is its own, so there only threads of one block are
told apart. A counter is taken not to come round its width: 2**32 additions are more than a launch makes.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.dataflow.access import Access
from gpulint.ir import symbols as names
from gpulint.solver import aggregated, space
from gpulint.solver.pairs import Pair
from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.term import Atom, Bool, Int, Sym, eq, ge, le, ne, or_, subst, symbols
from gpulint.term.build import of_atom

MAX_AMOUNT = 2**16  # a counter that takes larger strides may come round


@dataclass(frozen=True)
class _Hand:
    """An atomic as one of the two points sees it: the element, what it finds and what it adds.

    `thread`: the number in its block of the thread that made it, where that is another one of the warp.
    """

    access: Access
    place: tuple[Int, ...]
    old: Int
    by: Int | None
    thread: Int | None = None


def apart(s: Setting, p: Pair, a: Seen, b: Seen, one: frozenset[Sym]) -> list[Bool]:
    """What holds of the results of atomics that the two points use; `one` are symbols of both."""
    if s.tiles:
        return []
    left, right = _used(s, a, p, 1, one), _used(s, b, p, 2, one)
    more: list[Bool] = []
    if (s.accesses.exchanges or s.accesses.ballots) and aggregated.apply(s, p):
        left += _read(s, a, p, 1, one)
        right += _read(s, b, p, 2, one)
        more = aggregated.facts(s, p, a, b, one)
    pairs = ((x, y) for x in left for y in right if x.access.array.name == y.access.array.name)
    facts = (_fact(s, x, y, one, p.scope) for x, y in pairs)
    return [*more, *(f for f in facts if f is not None)]


def _used(s: Setting, seen: Seen, p: Pair, side: int, one: frozenset[Sym]) -> list[_Hand]:
    """The atomics whose results occur at a point, of memory that both points see."""
    have = symbols(seen.domain, *seen.subscripts)
    out = []
    for x in s.accesses.accesses:
        shared = x.array.space == "global" or p.scope == "block"
        if x.mode != "atomic" or x.old is None or x.mark not in have or not shared:
            continue
        by = _added(x)
        terms = space.over((*x.subscripts, x.old, *([by] if by is not None else [])), seen.axes)
        if terms is not None:
            place, (old, *rest) = terms[: len(x.subscripts)], terms[len(x.subscripts) :]
            at = [space.twin(s.term(t), side, one) for t in (*place, old, *rest)]
            n = len(place)
            out.append(_Hand(x, tuple(at[:n]), at[n], at[n + 1] if rest else None))
    return out


def _read(s: Setting, seen: Seen, p: Pair, side: int, one: frozenset[Sym]) -> list[_Hand]:
    """The atomics whose results a shuffle gives to a point: those of one thread of its warp."""
    have = symbols(seen.domain, *seen.subscripts)
    out = []
    for e in s.accesses.exchanges:
        moved: dict[Atom, Int | Bool] = {x: of_atom(other) for x, other in e.moved if not other.boolean}
        for x in s.accesses.accesses:
            mark = moved.get(x.mark) if x.mode == "atomic" and x.mark is not None else None
            if mark is None or x.old is None or not (symbols(mark) & have):
                continue
            by = _added(x)
            terms = [*x.subscripts, x.old, *([by] if by is not None else [])]
            if not aggregated.told(s, e, terms):
                continue
            at = [space.twin(s.term(subst(t, moved)), side, one) for t in terms]
            n, thread = len(x.subscripts), space.twin(aggregated.reads(s, e), side, one)
            out.append(_Hand(x, tuple(at[:n]), at[n], at[n + 1] if by is not None else None, thread))
    return out


def _fact(s: Setting, x: _Hand, y: _Hand, one: frozenset[Sym], scope: str) -> Bool | None:
    """How the results of two atomics on one array relate where nothing else writes between them."""
    first, second = x.access, y.access
    writes = [w for w in s.accesses.accesses if w.array.name == first.array.name and w.mode != "read"]
    change = _change(s, first)
    alike = [w for w in writes if (_change(s, w) == change if change else _claims(s, w, first))]
    if first not in alike or second not in alike or first.array.name in s.accesses.tainted:
        return None
    rounds = _rounds(s, (first, second), [w for w in writes if w not in alike])
    if rounds is None:
        return None
    elsewhere = [ne(i, j) for i, j in zip(x.place, y.place, strict=True)]
    mine = [h.thread or space.twin(names.thread(0), k, one) for k, h in ((1, x), (2, y))]
    if (x.thread is not None or y.thread is not None) and scope == "block":
        elsewhere.append(eq(*mine))  # one thread's one addition
    again = [ne(space.twin(of_atom(k), 1, one), space.twin(of_atom(k), 2, one)) for k in rounds]
    return or_(*elsewhere, *again, _counted(x, y, change) if change else _claimed(x, y))


def _added(w: Access) -> Int | None:
    """What an atomic adds to the element, where that is a number that is understood."""
    if w.mode != "atomic" or w.op not in ("add", "sub") or len(w.operands) != 1 or w.operands[0] is None:
        return None
    return w.operands[0] * (1 if w.op == "add" else -1)


def _change(s: Setting, w: Access) -> int:
    """1 for an atomic that makes no element smaller, -1 for one that makes none larger, else 0."""
    added = _added(w)
    by = s.term(added) if added is not None else None
    if by is None or by.lo is None or by.hi is None or max(-by.lo, by.hi) > MAX_AMOUNT:
        return 0
    return 1 if by.lo >= 0 else -1 if by.hi <= 0 else 0


def _counted(x: _Hand, y: _Hand, change: int) -> Bool:
    """One of two additions comes first, and the other finds at least (at most) what it left."""
    assert x.by is not None and y.by is not None
    order = le if change > 0 else ge
    return or_(order(x.old + x.by, y.old), order(y.old + y.by, x.old))


def _claims(s: Setting, w: Access, x: Access) -> bool:
    """Whether an atomic exchanges the value that `x` waits for, and that only, for something else."""
    if w.mode != "atomic" or w.op != x.op or w.op != "cas" or len(w.operands) != 2:
        return False
    (free, new), awaited = w.operands, x.operands[0]
    if free is None or new is None or free.value is None or free != awaited:
        return False
    return bool(s.prover.prove(s.term(w.domain), ne(s.term(new), free), z3_too=False))


def _claimed(x: _Hand, y: _Hand) -> Bool:
    """Not both compare-and-swaps found the value that they replace."""
    free = x.access.operands[0]
    assert free is not None
    return or_(ne(x.old, free), ne(y.old, free))


def _rounds(s: Setting, handing: tuple[Access, Access], others: list[Access]) -> list[Sym] | None:
    """Counters that must be equal at both points for the other writes not to come between; None: no such."""
    rounds: dict[Sym, None] = {}
    for x in handing:
        for other in others:
            around = s.order.rounds(x.stmt, other.stmt)
            loops = [next((lp for lp in x.loops if lp.span == span), None) for span in around or ()]
            if around is None or any(lp is None or not lp.barrier for lp in loops):
                return None
            rounds.update(dict.fromkeys(lp.counter for lp in loops if lp is not None))
    return list(rounds)
