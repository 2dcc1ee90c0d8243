"""Clauses that keep the divisors of programs positive: no more programs than there are tiles.

In grouped tiles the last group has `size = min(rows - group * (pid // (group * columns)), group)` rows,
and `pid % size` says nothing before it is known that some are left. That is so for every program of a
launch with no more programs than tiles (`grid.x <= rows * columns`), which is asked as a clause. As with
the other clauses that are taken first (`presumed`), it is part of the contract and checked at every launch
site: whatever is proved under it holds for each launch that meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpulint.contract.clause import Clause
from gpulint.solver.bound import extremes, multiplied
from gpulint.solver.presumed import TRUNCATING
from gpulint.solver.ranges import possible
from gpulint.solver.residual import CAP, Named, clauses, rank, shown
from gpulint.solver.setting import Setting
from gpulint.term import ONE, App, Bool, Int, Scope, apps, ge, sub, symbols
from gpulint.term.build import of_atom

MAX_DIVISORS = 8  # asked of one kernel
ROUNDS = 2  # a divisor may be made of another division


def positive(s: Setting, named: Named) -> tuple[Clause, ...]:
    """Clauses over the launch under which the divisors that hang on a program are at least one."""
    taken: dict[Clause, None] = {}
    for _ in range(ROUNDS):
        under, before = s.with_premises(taken), len(taken)
        for domain, w in _divisors(under)[:MAX_DIVISORS]:
            if not under.prover.prove(domain, ge(w, 1), z3_too=False):
                taken.update(dict.fromkeys(_clauses(under, domain, w, named)))
        if len(taken) == before:
            break
    return tuple(taken)


def _divisors(s: Setting) -> list[tuple[Bool, Int]]:
    """The divisors of truncating divisions that hang on the point, each with when it divides."""
    out: dict[tuple[Bool, Int], None] = {}
    for op in s.accesses.ops:
        seen = s.see(op)
        a = seen.subscripts[0].atom
        w = a.args[1] if isinstance(a, App) and a.op in TRUNCATING else None
        if isinstance(w, Int) and _of_program(w):
            out[seen.domain, w] = None
    return list(out)


def _of_program(w: Int) -> bool:
    moving = any(x.scope is not Scope.LAUNCH for x in symbols(w))
    return moving and not apps(w, op="load") and not apps(w, op="fn")


def _clauses(s: Setting, domain: Bool, w: Int, named: Named) -> tuple[Clause, ...]:
    """What gives `w >= 1`, a minimum by each of its arguments; nothing where one of them has no clause."""

    def holds(p: Int) -> bool:
        return shown(s.prover, domain, p)

    split = extremes(sub(ONE, w), holds)
    goals = split[1] if split is not None and split[0] == "all" else [sub(ONE, w)]
    out: list[Clause] = []
    for goal in goals:
        if holds(goal):
            continue
        found = min(_sufficient(s, domain, goal, named, holds), key=_plainness, default=None)
        if found is None:
            return ()
        out += found
    return tuple(out)


def _sufficient(
    s: Setting, domain: Bool, goal: Int, named: Named, holds: Callable[[Int], bool]
) -> Iterator[tuple[Clause, ...]]:
    """Clauses that each give `goal <= 0`, by the goal as it is or with a quotient multiplied out."""
    for q in (*multiplied(goal, holds), goal):
        for r in s.prover.bounder(domain, q).reduce(q, named.kept):
            cs = clauses((r,))
            if cs and all(rank(c) < CAP and possible(s, c) for c in cs):
                yield cs


def _plainness(cs: tuple[Clause, ...]) -> tuple[int, int, str]:
    """A number of programs is told from above rather than divided: `grid.x <= rows * columns`."""
    quotients = [of_atom(a) for c in cs for a in apps(c.condition, op="floordiv")]
    divided = sum(any(x.name.startswith("grid.") for x in symbols(q)) for q in quotients)
    return divided, sum(len(str(c)) for c in cs), str(cs)
