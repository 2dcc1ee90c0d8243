"""From a kernel's verdicts to the plain data that renderers print."""

from __future__ import annotations

from gpulint.ir.span import Span
from gpulint.report.model import UNDECIDED, KernelReport, ObligationReport, SiteReport
from gpulint.rules.base import View
from gpulint.solver.verdict import SiteVerdict, Verdict
from gpulint.source.model import KernelSource


def summary(source: KernelSource, view: View) -> KernelReport:
    """The report of a kernel that was decided."""
    result = view.result
    return KernelReport(
        name=view.kernel.qualname,
        filename=source.module.filename,
        dialect=view.kernel.dialect,
        span=view.kernel.header,
        status=result.status,
        declared=tuple(str(c) for c in result.declared),
        inferred=tuple(str(c) for c in result.inferred),
        assumed=result.assumed,
        obligations=tuple(obligation(v) for v in result.verdicts),
        sites=tuple(site(s) for s in result.sites),
        shared=any(a.space == "shared" for a in view.accesses.arrays.values()),
    )


def obligation(v: Verdict) -> ObligationReport:
    o = v.obligation
    clauses = tuple(str(c) for c in v.clauses)
    return ObligationReport(
        o.property, v.kind, o.span, v.reason, o.kind, clauses, v.rung, v.assumptions, v.settle
    )


def site(s: SiteVerdict) -> SiteReport:
    broken = f"breaks `{s.clause}`" if s.clause is not None and s.status == "violates" else ""
    return SiteReport(s.site.span, s.status, "; ".join(p for p in (broken, s.reason) if p))


def failed(source: KernelSource, span: Span, reason: str) -> KernelReport:
    """The report of a kernel on which gpulint itself failed: undecided, and why."""
    return KernelReport(
        source.qualname, source.module.filename, source.dialect, span, UNDECIDED, reason=reason
    )
