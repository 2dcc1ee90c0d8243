"""Obligation no-wrap: no integer operation feeding an address or a guard leaves its width.

An operation that feeds an address must fit where its guard holds; one that feeds a guard must fit
everywhere. Decided by intervals under the standing assumptions, then by elimination and Z3.
"""

from __future__ import annotations

from gpulint.dataflow.access import IntOp
from gpulint.solver.ranges import settle
from gpulint.solver.residual import Named
from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.solver.verdict import PROVED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import App, Bool, Int, and_, ge, le, not_


def goals(op: IntOp, result: Int) -> tuple[Bool, Bool]:
    """(not above the width, not below it) for the operation's result without a width."""
    return le(result, op.type.hi), ge(result, op.type.lo)


def decide(s: Setting, op: IntOp, named: Named) -> Verdict:
    """The verdict on one operation, for any parameters or at the setting's site."""
    o = Obligation("no-wrap", op.feeds, op.span, op=op)
    seen = s.see(op)
    if shrinks(s, seen):
        return Verdict(o, PROVED, rung="quotient")
    answers = [settle(s, seen.domain, g, named) for g in goals(op, seen.subscripts[0])]
    if all(a.how for a in answers):
        return Verdict(o, PROVED, rung="+".join(dict.fromkeys(a.how for a in answers)))
    open_ = [a for a in answers if not a.how]
    if all(a.clauses for a in open_):
        cs = tuple(dict.fromkeys(c for a in open_ for c in a.clauses))
        return Verdict(o, UNDER, clauses=cs, rung="clauses")
    return Verdict(o, UNDECIDED, reason=f"{op.text} may leave {op.type.bits} bits")


def shrinks(s: Setting, seen: Seen) -> bool:
    """Whether the result is a quotient by a number that is at least one.

    It lies between zero (or minus one) and its dividend, which has the same width: whether that one fits
    is asked of the operation that gives it.
    """
    q = seen.subscripts[0].atom
    if not isinstance(q, App) or q.op not in ("floordiv", "truncdiv"):
        return False
    return bool(s.prover.prove(seen.domain, ge(q.args[1], 1), z3_too=False))


def violated(op: IntOp, result: Int) -> Bool:
    """The condition under which the operation leaves its width."""
    return not_(and_(*goals(op, result)))
