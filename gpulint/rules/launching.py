"""What the rules about launches and contracts share."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.contract.clause import Clause
from gpulint.ir.span import NOWHERE
from gpulint.rules import words
from gpulint.rules.base import Rule, View, severity
from gpulint.rules.finding import Finding, Related
from gpulint.solver.verdict import REFUTED, SiteVerdict, Verdict, Witness

# Kinds of refuted contract obligations that have a rule of their own; GL501 reports all others.
(
    UNSATISFIABLE, RANK, THREADS, BLOCK_AXIS, GRID_AXIS, SHARED, STATIC, AUTOTUNE, ARANGE, COOPERATIVE,
    STRIDE, GAPS, ROW_WIDTH,
) = (
    "unsatisfiable", "rank", "threads-per-block", "block-axis", "grid-axis", "shared-memory",
    "static-shared", "autotune", "arange", "cooperative-grid", "stride", "gaps", "row-width",
)  # fmt: skip
OWN_RULE = (
    UNSATISFIABLE, RANK, THREADS, BLOCK_AXIS, GRID_AXIS, SHARED, STATIC, AUTOTUNE, ARANGE, COOPERATIVE,
    STRIDE, GAPS, ROW_WIDTH,
)  # fmt: skip


def violated(view: View, alias: bool) -> Iterator[SiteVerdict]:
    """The launch sites that break a clause: noalias clauses, or all others.

    Left out where an obligation was itself refuted for a launch at that place: that says more.
    """
    refuted = {v.site.span for v in view.result.verdicts if v.kind == REFUTED and v.site is not None}
    for s in view.result.sites:
        broken = s.status == "violates" and s.site.span not in refuted
        if broken and s.clause is not None and (s.clause.predicate == "noalias") == alias:
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


class LimitRule(Rule):
    """A size of a launch that the device does not take."""

    property = "contract"
    kind = ""
    remedy = ""

    def check(self, view: View) -> Iterator[Finding]:
        for v in contract_verdicts(view, (self.kind,)):
            message = words.device_names(v.reason, words.tiles(v.witness))
            message = message or f"the launch breaks a limit of the device ({self.kind})"
            where = (Related("this kernel is launched", view.kernel.header),)
            yield self.finding(
                severity(v, view.result), message, v.obligation.span, kernel=view.kernel.qualname,
                help=self.remedy, related=where, witness=v.witness, notes=example(v.witness),
            )  # fmt: skip


def example(witness: Witness | None) -> tuple[str, ...]:
    """The launch that shows it, as a note; none when the sizes are plain numbers already."""
    if witness is None or not witness.params:
        return ()
    return (f"for example with {words.launch(witness)}",)
