"""What the rules about races share."""

from __future__ import annotations

from dataclasses import replace

from gpulint.dataflow.access import Access
from gpulint.rules import words
from gpulint.rules.base import VerdictRule, View
from gpulint.rules.finding import Finding, Related
from gpulint.solver.verdict import PROGRAM, Verdict, Witness
from gpulint.term import Atom, Unbound, evaluate, holds, symbols


def pair(verdict: Verdict) -> tuple[Access, ...]:
    """The two accesses; an access that races with itself at another thread stands twice."""
    o = verdict.obligation
    return tuple(a for a in (o.access, o.other or o.access) if a is not None)


def modes(verdict: Verdict) -> frozenset[str]:
    """The modes of the two accesses; where those are unknown, the parts of the kind."""
    return frozenset(a.mode for a in pair(verdict)) or frozenset(verdict.obligation.kind.split("-"))


def accumulates(verdict: Verdict, view: View) -> bool:
    """Whether the value stored is made from that same element, as in `x[i] += v`, by the load concerned."""
    accesses = pair(verdict)
    if "atomic" in modes(verdict) or len({a.subscripts for a in accesses}) > 1:
        return False
    known = {a.index: a for a in view.accesses.accesses}
    for store in accesses:
        for index in store.reads if store.mode == "write" else ():
            load = known.get(index)
            if load and load.array.name == store.array.name and load.subscripts == store.subscripts:
                return True
    return False


def in_order(verdict: Verdict, witness: Witness) -> Witness:
    """The witness with its points in the order of the obligation's accesses.

    A replay names the threads as it met them. They are exchanged when the first access certainly
    does not happen at the element at the first point, but may at the second.
    """
    access = verdict.obligation.access
    if access is None or verdict.obligation.other is None or len(witness.points) != 2:
        return witness
    turned = replace(witness, points=witness.points[::-1], trips=witness.trips[::-1], values={})
    return turned if not _meets(access, witness) and _meets(access, turned) else witness


def _meets(access: Access, witness: Witness) -> bool:
    """Whether the access may happen at the element at the first point, as far as numbers are known."""
    names = words.bindings(witness)
    env: dict[Atom, int] = {
        s: names[s.name] for s in symbols(access.guard, *access.subscripts) if s.name in names
    }
    try:
        if not holds(access.guard, env):
            return False
    except (Unbound, ZeroDivisionError):
        pass
    try:
        return tuple(evaluate(t, env) for t in access.subscripts) == witness.element
    except (Unbound, ZeroDivisionError):
        return True


class Race(VerdictRule):
    """The message, label and other place of two threads that meet in an element."""

    property = "disjoint"

    def report(self, view: View, verdict: Verdict, witness: Witness) -> Finding:
        return super().report(view, verdict, in_order(verdict, witness))

    def message(self, verdict: Verdict, witness: Witness) -> str:
        accesses, where = pair(verdict), words.element(witness)
        if not witness.points:
            return f"two {words.one(witness)}s meet in {where}"
        if verdict.obligation.scope == PROGRAM:
            lane = words.point(witness.points[0], witness)
            verb = "load" if "read" in modes(verdict) else "write too"
            return f"{lane} writes {where}, which other lanes {verb} with no barrier between"
        if len(modes(verdict)) == 1 or not accesses:
            word = "update" if "atomic" in modes(verdict) else "write"
            return f"{words.points(witness)} both {word} {where}"
        pair_ = (witness.points[0], witness.points[-1])
        first, second = (words.point(p, witness, lanes=False) for p in pair_)
        verbs = [words.verb(a) for a in accesses]
        return f"{first} {verbs[0]} {where} while {second} {verbs[-1]} it"

    def label(self, verdict: Verdict, witness: Witness) -> str:
        return element_label(verdict.obligation.access, witness, 0)

    def places(self, verdict: Verdict, witness: Witness) -> tuple[Related, ...]:
        other = verdict.obligation.other
        if other is None or other.span == verdict.obligation.span:
            return ()
        one = "the" if verdict.obligation.scope == PROGRAM else f"the other {words.one(witness)}'s"
        text = f"{one} {words.noun(other)}"
        shown = element_label(other, witness, 1)
        return (Related(f"{text}: {shown}" if shown else text, other.span),)


def barrier_help(verdict: Verdict, otherwise: str) -> str:
    """Where a barrier goes that orders two threads of a block; what to do when none can."""
    w, accesses = verdict.witness, pair(verdict)
    if w is None or words.tiles(w) or len(w.points) < 2 or len(accesses) < 2:
        return otherwise
    if w.points[0][0] != w.points[-1][0]:
        one = "`cuda.syncthreads()` orders the threads of one block only: "
        return (one if verdict.obligation.scope == "blocks" else "") + otherwise
    first, second = accesses
    if (first.span.filename, first.span.row) == (second.span.filename, second.span.row):
        return "load into a variable, then `cuda.syncthreads()`, then store"
    barriers = [x for x in first.loops if x.barrier and any(y.span == x.span for y in second.loops)]
    again = len(w.trips) == 2 and any(w.trips[0].get(x.name) != w.trips[1].get(x.name) for x in barriers)
    if again:
        return "put `cuda.syncthreads()` at the end of the loop's body as well, before the next round"
    return "put `cuda.syncthreads()` between the two, where all threads of the block come by"


def element_label(access: Access | None, witness: Witness, which: int) -> str:
    """How the subscript comes out at one of the points: the first axis that can be shown."""
    for axis in range(len(access.subscripts) if access else 0):
        assert access is not None
        text, term = words.subscript(access, axis)
        value = witness.element[axis] if axis < len(witness.element) else None
        if term is not None and (shown := words.computed(text, term, witness, which, value)):
            return shown
    return ""
