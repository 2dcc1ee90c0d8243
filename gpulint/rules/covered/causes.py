"""Which elements are left out for one and the same reason."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.solver.verdict import REFUTED, Verdict


def grid_at_fault(verdict: Verdict, view: View) -> bool:
    """Whether an output is partly unwritten at a launch whose grid is told to be too small for it."""
    o, launch = verdict.obligation, verdict.site
    if o.property != "covered" or o.kind != "output" or launch is None:
        return False
    return any(
        v.obligation.property == "covered"
        and v.obligation.kind not in ("output", "input")
        and v.kind == REFUTED
        for v in view.result.verdicts
        if v.site is not None and v.site.span == launch.span and _array(v) == _array(verdict)
    )


def _array(verdict: Verdict) -> str:
    return verdict.witness.array if verdict.witness is not None else ""
