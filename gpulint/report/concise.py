"""One line a finding."""

from __future__ import annotations

from gpulint.report import Options
from gpulint.report.model import Report
from gpulint.report.sources import safe


def render(report: Report, options: Options) -> str:
    """`file:row:column: severity[code] message (name)`; info findings only with `show_info`."""
    lines = [
        f"{safe(f.span.filename)}:{f.span.row}:{f.span.column + 1}: "
        f"{f.severity}[{f.code}] {safe(f.message)} ({f.name})"
        for f in report.shown(options.show_info)
    ]
    return "".join(line + "\n" for line in lines)
