"""GitHub workflow commands, which annotate a pull request."""

from __future__ import annotations

from gpulint.report import Options
from gpulint.report.model import Report
from gpulint.rules.finding import ERROR, INFO, WARNING, Finding

_LEVEL = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def render(report: Report, options: Options) -> str:
    """One command a finding; info findings only with `show_info`."""
    return "".join(_command(f) + "\n" for f in report.shown(options.show_info))


def _command(f: Finding) -> str:
    values = {"title": f"gpulint ({f.code})", "file": f.span.filename, "line": f.span.row}
    if f.span.end_row == f.span.row:
        values |= {"col": f.span.column + 1, "endColumn": f.span.end_column + 1}
    values["endLine"] = f.span.end_row
    listed = ",".join(f"{k}={_property(str(v))}" for k, v in values.items())
    text = f"{f.span.filename}:{f.span.row}:{f.span.column + 1}: {f.code} {f.message}"
    more = [f"{r.span.filename}:{r.span.row}: {r.message}" for r in f.related]
    more += [f"help: {f.help}"] if f.help else []
    return f"::{_LEVEL[f.severity]} {listed}::{_data(chr(10).join([text, *more, *f.notes]))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
