"""The last block of a launch reads what all blocks wrote: order through a counter of arrivals.

Every block writes, fences, and adds one to a counter, once. The block that finds there as many as there are
other blocks is the last: by then each of the others has added its one, since none adds twice. So what
a block wrote before its addition comes before what the last block does once it knows that it is the last.

To show for a write W of one block, an addition A, and an access R of another block:

- A adds one to the counter (or counts up to a limit no lower than the number of blocks less one), stands
  in no loop and is reached by at most one thread of a block; the counter starts at zero (a clause);
- every other write to the counter happens only where R may: where what A found says that the block is the
  last. The first of them comes after all additions, so that until then only additions changed the counter,
  and none sees what it leaves;
- where R happens, what A found in R's block is at least the number of blocks less one;
- in W's block, A comes after W: control never gets from A to W, every way from W to A passes a device-wide
  fence, and either a barrier of the block lies between them or one thread does both.

W may be A itself: the last addition found the others, which so came before it and before what its block
does to the counter after it. No two blocks are the last, so what only the last block does meets nothing of
another.

What A found reaches the other threads of a block through shared memory: a place that one statement
writes, once and by one thread, holds what that thread stored wherever it is read, given that it was
written before (initialised) and that nothing races there (disjoint). That the last block sees what was
written, with no fence of its own, is how the CUDA programming guide has it ("Memory Fence Functions").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access
from gpulint.solver.pairs import DEVICE_FENCES, Pair
from gpulint.solver.prover import ELEMENT
from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.term import ONE, ZERO, App, Atom, Bool, Int, Scope, eq, ge, ne, sub, subst, symbols
from gpulint.term.build import of_atom

Meet = Callable[[Setting, Pair, Seen, Seen], list[Bool]]  # that two points meet, as `disjoint.collision`


def ordered(s: Setting, p: Pair, meet: Meet, blocks: Int) -> tuple[Clause, ...] | None:
    """The clauses under which arrivals order the accesses of two of the `blocks`, or None."""
    if p.scope != "blocks" or s.tiles:
        return None
    for a in s.accesses.accesses:
        if _arrival(s, a, meet, blocks) and _by(s, p, a, meet, blocks):
            return (Clause(predicate="within", arrays=(a.array.name,), bounds=(ZERO, ONE)),)
    return None


def _by(s: Setting, p: Pair, a: Access, meet: Meet, blocks: Int) -> bool:
    """Whether the arrivals by one atomic order the pair."""
    last = [_knows(s, x, a, meet, blocks) for x in (p.first, p.second)]
    if all(last):
        return True
    return any(
        knows and (w is a or _earlier(s, w, a, meet))
        for knows, w in zip(last, (p.second, p.first), strict=True)
    )


def published(s: Setting, seen: Seen, meet: Meet) -> Seen:
    """The access with what it reads from places in shared memory that one thread fills once."""
    have = symbols(seen.domain)
    told: dict[Atom, Int | Bool] = {}
    for load in s.accesses.accesses:
        if load.mode == "read" and load.mark is not None and load.mark in have:
            value = _told(s, load, meet)
            if value is not None:
                told[load.mark] = ne(value, 0) if load.mark.boolean else value
    return replace(seen, domain=subst(seen.domain, told)) if told else seen


def _writes(s: Setting, array: str) -> list[Access]:
    return [w for w in s.accesses.accesses if w.array.name == array and w.mode != "read"]


def _told(s: Setting, load: Access, meet: Meet) -> Int | None:
    """What a load finds that only one store can have put there: the result of an atomic, or made of it."""
    writes = _writes(s, load.array.name)
    if load.array.space != "shared" or load.array.name in s.accesses.tainted or len(writes) != 1:
        return None
    [w] = writes
    fixed = all(x.value is not None for x in w.subscripts) and w.subscripts == load.subscripts
    if w.mode != "write" or w.value is None or w.loops or not fixed:
        return None
    once = {x.mark for x in s.accesses.accesses if x.mode == "atomic" and not x.loops}
    own = {x for x in symbols(w.value) if x.scope is not Scope.LAUNCH}
    return s.term(w.value) if own <= once and _alone(s, w, w, meet) else None


def _arrival(s: Setting, a: Access, meet: Meet, blocks: Int) -> bool:
    """Whether an atomic adds one to a counter of the host, for its block."""
    if a.mode != "atomic" or a.mark is None or a.old is None or a.loops or not a.array.is_param:
        return False
    start = sub(a.old, of_atom(a.mark))  # what the element held before the launch, which is zero
    held = start.atom
    counts = start == ZERO or (isinstance(held, App) and held.op == "load" and held.data == a.array.name)
    if not counts or not _one(s, a, blocks) or a.array.name in s.accesses.tainted:
        return False
    if not all(x.value is not None for x in a.subscripts) or not _alone(s, a, a, meet):
        return False
    return all(w is a or _knows(s, w, a, meet, blocks) for w in _writes(s, a.array.name))


def _one(s: Setting, a: Access, blocks: Int) -> bool:
    """Whether an atomic adds one as long as fewer than all blocks have."""
    if a.op == "add":
        return a.operands == (ONE,)
    limit = a.operands[0] if a.op == "inc" and len(a.operands) == 1 else None
    return limit is not None and bool(s.prover.prove(s.term(a.domain), ge(s.term(limit) + 1, blocks)))


def _alone(s: Setting, x: Access, y: Access, meet: Meet) -> bool:
    """Whether no two different threads of a block reach the two accesses."""
    key = (x.index, y.index)
    if key not in s.alone:
        one, two = (replace(s.see(a, frozenset()), subscripts=()) for a in (x, y))
        s.alone[key] = s.prover.unsat(*meet(s, Pair(x, y, "block"), one, two))
    return s.alone[key]


def _earlier(s: Setting, w: Access, a: Access, meet: Meet) -> bool:
    """Whether a block's access comes before its arrival, with a fence between."""
    if not s.order.before(w.stmt, a.stmt, DEVICE_FENCES):
        return False
    return s.order.pair(w, a, "block").ways == () or _alone(s, w, a, meet)


def _knows(s: Setting, r: Access, a: Access, meet: Meet, blocks: Int) -> bool:
    """Whether an access only happens in a block that found all others arrived."""
    assert a.mark is not None
    seen = published(s, s.see(r, frozenset()), meet)
    if a.mark not in symbols(seen.domain):
        return False
    start = s.prover.extended(ranges={a.array.name: eq(ELEMENT, 0)})
    return bool(start.prove(seen.domain, ge(of_atom(a.mark) + 1, blocks)))
