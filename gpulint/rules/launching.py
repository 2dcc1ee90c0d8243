"""What the rules about launches and contracts share."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.contract.clause import Clause
from gpulint.frontend.host.site import LaunchSite
from gpulint.ir.span import NOWHERE, Span
from gpulint.rules import words
from gpulint.rules.base import Rule, View, severity
from gpulint.rules.finding import ERROR, Finding, Related
from gpulint.solver.verdict import REFUTED, SiteVerdict, Verdict
from gpulint.term import Int, show

# Kinds of refuted contract obligations that have a rule of their own; GL501 reports all others.
UNSATISFIABLE, RANK, THREADS, BLOCK_AXIS, GRID_AXIS = (
    "satisfiable", "rank", "threads-per-block", "block-axis", "grid-axis",
)  # fmt: skip
OWN_RULE = (UNSATISFIABLE, RANK, THREADS, BLOCK_AXIS, GRID_AXIS)


def violated(view: View, alias: bool) -> Iterator[SiteVerdict]:
    """The launch sites that break a clause: noalias clauses, or all others.

    A broken inferred clause is left out where the obligation behind it was itself refuted for
    that site: the finding at the access says more.
    """
    refuted = {id(v.site) for v in view.result.verdicts if v.kind == REFUTED and v.site is not None}
    for s in view.result.sites:
        if s.status != "violates" or s.clause is None or (s.clause.predicate == "noalias") != alias:
            continue
        if s.clause.origin == "declared" or id(s.site) not in refuted:
            yield s


def required(clause: Clause) -> tuple[Related, ...]:
    """The place where the clause was declared."""
    if clause.origin != "declared" or clause.span == NOWHERE:
        return ()
    return (Related(f"the contract requires `{clause}`", clause.span),)


def contract_verdicts(view: View, kinds: tuple[str, ...], other: bool = False) -> Iterator[Verdict]:
    """Refuted contract obligations of these kinds, or of all but these."""
    for v in view.result.verdicts:
        o = v.obligation
        if v.kind == REFUTED and o.property == "contract" and (o.kind in kinds) != other:
            yield v


def above(size: Int, limit: int) -> int | None:
    """The smallest value of a size that is certainly outside 1..limit, or None."""
    if size.lo is not None and size.lo > limit:
        return size.lo
    return size.hi if size.hi is not None and size.hi < 1 else None


class LimitRule(Rule):
    """A size of a launch against what devices allow: at launch sites by itself, else as decided."""

    property = "contract"
    kind = ""
    remedy = ""

    def excess(self, site: LaunchSite) -> Iterator[tuple[str, Span]]:
        """A message and a place for each size of the launch that is certainly not allowed."""
        raise TypeError(f"{type(self).__name__} does not say what it limits")

    def check(self, view: View) -> Iterator[Finding]:
        name = view.kernel.qualname
        for s in view.result.sites:
            for message, span in self.excess(s.site):
                where = (Related("this kernel is launched", view.kernel.span),)
                yield self.finding(ERROR, message, span, kernel=name, help=self.remedy, related=where)
        for v in contract_verdicts(view, (self.kind,)):
            message = v.reason or f"a launch breaks the device's limit ({self.kind})"
            yield self.finding(
                severity(v, view.result), message, v.obligation.span, kernel=name, help=self.remedy,
                witness=v.witness,
            )  # fmt: skip


def value(size: Int, number: int) -> str:
    """`n // 4 = 5000`, or just the number when that is what the host wrote."""
    shown = words.device_names(show(size))
    return str(number) if shown == str(number) else f"{shown} (at least {number})"
