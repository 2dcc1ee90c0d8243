"""The ways in which one use depends on the lanes of one load, made fewer.

A way is a condition and the places (lanes, counters) at which the load is used under it. What is asked of
each is that the condition implies the load's mask there. A way that asks no more than another is left out.
Where many are left, those at the same places are taken as one under what their conditions have in common:
weaker than each of them, so that what is shown of it holds of all.
"""

from __future__ import annotations

from gpulint import term as t
from gpulint.term import Atom, Bool, Int, Sym
from gpulint.term.build import of_atom

MAX_COMPARED = 40  # ways that are held against each other
SOME = "some."  # how symbols of a way for any lane and any iteration are named
Case = tuple[Bool, tuple[tuple[Atom, Int], ...]]


def fewest(cases: list[Case], at_most: int) -> list[Case]:
    """The cases that matter; where more than `at_most`, those at the same places joined."""
    kept = _weakest(cases)
    return kept if len(kept) <= at_most else _weakest(_joined(kept))


def _weakest(cases: list[Case]) -> list[Case]:
    """The cases less those that ask for more than another one at the same lane does."""
    parts = [frozenset(t.conjuncts(c)) for c, _ in cases[:MAX_COMPARED]]
    spare = {
        i for i, mine in enumerate(parts) for j, theirs in enumerate(parts)
        if theirs < mine and cases[i][1] == cases[j][1]
    }  # fmt: skip
    return [x for i, x in enumerate(cases) if i not in spare]


def _joined(cases: list[Case]) -> list[Case]:
    """One case for all at the same places, whatever the numbers of their symbols for any lane."""
    out: dict[tuple[tuple[Atom, Int], ...], list[Bool]] = {}
    for case in cases:
        condition, at = _numbered(case)
        theirs = out.get(at)
        mine = list(t.conjuncts(condition))
        out[at] = mine if theirs is None else [c for c in theirs if c in mine]
    return [(t.and_(*conditions), at) for at, conditions in out.items()]


def _numbered(case: Case) -> Case:
    """The case with its symbols for any lane numbered in the order of its places.

    A case speaks of its symbols alone, so that their names say nothing.
    """
    condition, at = case
    named: dict[Sym, Int] = {}
    terms: list[Int | Bool] = [*(x for _, x in at), condition]
    for x in terms:
        fresh = sorted((s for s in t.symbols(x) if s.name.startswith(SOME) and s not in named), key=_number)
        named.update((s, t.sym(f"{SOME}{len(named) + k}", s.scope, s.lo, s.hi)) for k, s in enumerate(fresh))
    moved = {s: x for s, x in named.items() if x != of_atom(s)}
    return t.subst(condition, moved), tuple((a, t.subst(x, moved)) for a, x in at)


def _number(s: Sym) -> int:
    return int(s.name.removeprefix(SOME))
