"""For people: source excerpts, both places of a race, the witness in words, and what to do."""

from __future__ import annotations

from collections import Counter

from gpulint.ir.span import Span
from gpulint.report import Options
from gpulint.report.model import UNDECIDED, UNSUPPORTED, VERIFIED, KernelReport, Report
from gpulint.report.sources import Sources, excerpt, safe
from gpulint.report.style import Style
from gpulint.rules.finding import ERROR, WARNING, Finding


def render(report: Report, options: Options) -> str:
    """Findings, then kernels that are not verified (with `show_info` all), then the summary."""
    sources, style = Sources(report.texts), Style(options.color)
    shown = report.shown(options.show_info)
    blocks = ["\n".join(_Block(f, sources, style).lines()) + "\n" for f in shown]
    kernels = _kernels(report, options, style)
    summary = _summary(report, len(report.findings) - len(shown), style)
    return "\n".join([*blocks, *([kernels] if kernels else []), summary])


class _Block:
    """One finding."""

    def __init__(self, finding: Finding, sources: Sources, style: Style) -> None:
        self.finding, self.sources, self.style = finding, sources, style
        rows = [finding.span.row, *(r.span.row for r in finding.related)]
        self.width = len(str(max(rows)))

    def lines(self) -> list[str]:
        f, paint = self.finding, self.style
        head = paint(f.severity, f"{f.severity}[{f.code}]")
        out = [f"{head}{paint('bold', ': ' + safe(f.message))} ({f.name})"]
        out.append(" " * self.width + paint("gutter", "--> ") + _place(f.span))
        body = self._excerpt(f.span, "^", f.label, f.severity)
        bar = [self._gutter("")]
        out += [*bar, *body, *(bar if f.related else [])] if body else []
        for related in f.related:
            out += self._related(related.span, related.message)
        out += [self._footer("help", f.help)] if f.help else []
        return out + [self._footer("note", note) for note in f.notes]

    def _related(self, span: Span, message: str) -> list[str]:
        head = " " * (self.width + 1) + self.style("gutter", "::: ") + _place(span)
        body = self._excerpt(span, "-", message, "gutter")
        return [head, *body] if body else [f"{head}: {safe(message)}"]

    def _excerpt(self, span: Span, mark: str, label: str, kind: str) -> list[str]:
        """The first line of the range, underlined; nothing when the source is not at hand."""
        line = self.sources.line(span.filename, span.row)
        if line is None or not line.strip():
            return []
        end = span.end_column if span.end_row == span.row else len(line.rstrip())
        shown, left, size = excerpt(line, span.column, end)
        under = " " * left + self.style(kind, f"{mark * size} {safe(label)}".rstrip())
        return [self._gutter(str(span.row)) + " " + shown, self._gutter("") + " " + under]

    def _gutter(self, number: str) -> str:
        return self.style("gutter", f"{number:>{self.width}} |")

    def _footer(self, kind: str, text: str) -> str:
        paint = "help" if kind == "help" else "bold"
        equals = self.style("gutter", "=")
        return f"{' ' * (self.width + 1)}{equals} {self.style(paint, kind + ':')} {safe(text)}"


def _place(span: Span) -> str:
    return f"{safe(span.filename)}:{span.row}:{span.column + 1}"


def _kernels(report: Report, options: Options, style: Style) -> str:
    """A line for each kernel that is not verified; every kernel and its contract with `show_info`."""
    lines = []
    for k in report.kernels:
        if options.show_info or k.status in (UNDECIDED, UNSUPPORTED):
            kind = {"verified": "help", "refuted": "error"}.get(k.status, "info")
            head = f"{style(kind, k.status)}: {safe(k.name)} ({_place(k.span)})"
            lines.append(head + _why(k, report))
    return "\n".join(lines) + "\n" if lines else ""


def _why(k: KernelReport, report: Report) -> str:
    """What stayed open, or what the proof needs."""
    if k.status == VERIFIED:
        clauses = [*k.declared, *k.inferred]
        return f": for launches with {safe(' and '.join(clauses))}" if clauses else ""
    if k.reason:
        return f": {safe(k.reason)}"
    open_ones = Counter(o.property for o in k.obligations if o.verdict == "undecided")
    parts = [f"{n} {p} undecided" for p, n in sorted(open_ones.items())]
    unsure = sum(s.status == "undecided" for s in k.sites)
    parts += [_count(unsure, "launch", "launches") + " undecided"] if unsure else []
    unsupported = sum(f.code == "GL010" and f.kernel == k.name for f in report.findings)
    parts += [_count(unsupported, "construct") + " not understood"] if unsupported else []
    return f": {', '.join(parts)}" if parts else ""


def _summary(report: Report, hidden: int, style: Style) -> str:
    found = report.severities()
    parts = [_count(found[kind], kind) for kind in (ERROR, WARNING) if found[kind]]
    files = _count(len(report.files), "file")
    head = f"Found {' and '.join(parts)} in {files}" if parts else f"No errors or warnings in {files}"
    out = [style("bold", head + _states(report) + ".")]
    notes = [_count(hidden, "info finding") + " (--show-info lists them)"] if hidden else []
    silenced = sum(file.suppressed for file in report.files)
    notes += [_count(silenced, "finding") + " suppressed by comments"] if silenced else []
    assumed = sorted({a for k in report.kernels for a in k.assumed})
    notes += [f"assumed: {', '.join(assumed)} (--no-assume NAME lifts one)"] if assumed else []
    return "\n".join([*out, *notes]) + "\n"


def _states(report: Report) -> str:
    """`; 3 kernels: 2 verified, 1 refuted`."""
    counts = Counter(k.status for k in report.kernels)
    if not counts and any(f.code.startswith("GL00") for f in report.findings):
        return "; not all of it was checked"
    if not counts:
        return ", which hold no kernels" if len(report.files) != 1 else ", which holds no kernel"
    listed = ", ".join(f"{n} {s}" for s, n in sorted(counts.items(), key=lambda p: _ORDER[p[0]]))
    return f"; {_count(sum(counts.values()), 'kernel')}: {listed}"


_ORDER = {"verified": 0, "refuted": 1, "undecided": 2, "unsupported": 3}


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one}" if n == 1 else f"{n} {many or one + 's'}"
