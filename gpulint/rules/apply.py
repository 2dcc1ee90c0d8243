"""All rules over one kernel: findings, each root cause told once."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.rules.covered.causes import grid_at_fault
from gpulint.rules.finding import ERROR, INFO, WARNING, Finding
from gpulint.rules.registry import rules
from gpulint.rules.tool.internal_error import InternalError
from gpulint.solver.verdict import REFUTED

_RANK = {ERROR: 0, WARNING: 1, INFO: 2}


def findings(view: View) -> list[Finding]:
    """The findings of every rule, the most severe one for each place and property.

    A refuted obligation about which no rule has anything to say is told as an internal error,
    never dropped.
    """
    found = [f for rule in rules() for f in rule.check(view)]
    return once([*found, *_untold(view, found)])


def once(found: list[Finding]) -> list[Finding]:
    """One finding for each place and property; launches keep one for each code and message."""
    best: dict[tuple[object, ...], Finding] = {}
    for f in sorted(found, key=lambda f: (_RANK[f.severity], f.code)):
        best.setdefault(_cause(f), f)
    return list(best.values())


def _cause(f: Finding) -> tuple[object, ...]:
    """What counts as the same root cause; what stayed open never hides what is wrong."""
    if f.property == "contract" or f.code.startswith("GL0"):
        return (f.property, f.span, f.code, f.message)
    return (f.property, f.span)


def _untold(view: View, found: list[Finding]) -> list[Finding]:
    told = {(f.property, span) for f in found for span in (f.span, *(r.span for r in f.related))}
    text, name = "a refuted {} obligation has no rule", view.kernel.qualname
    return [
        InternalError().report(text.format(v.obligation.property), v.obligation.span, name)
        for v in view.result.verdicts
        if v.kind == REFUTED
        and (v.obligation.property, v.obligation.span) not in told
        and not grid_at_fault(v, view)
    ]  # fmt: skip
