"""Everything as one JSON object, versioned and stable; `schema.json` beside this file describes it."""

from __future__ import annotations

import json
from typing import Any

from gpulint.ir.span import Span
from gpulint.report import Options
from gpulint.report.model import STATUSES, KernelReport, Report
from gpulint.rules.finding import Finding
from gpulint.solver.verdict import Witness

VERSION = 1


def render(report: Report, options: Options) -> str:
    return json.dumps(document(report), indent=2, ensure_ascii=False)


def document(report: Report) -> dict[str, Any]:
    """The object that is printed. Rows and columns are 1-based, ends are exclusive."""
    kernels = report.kernels
    return {
        "version": VERSION,
        "findings": [_finding(f) for f in report.findings],
        "kernels": [_kernel(k) for k in kernels],
        "summary": {
            "files": len(report.files),
            "kernels": len(kernels),
            **{status: report.count(status) for status in STATUSES},
            "seconds": round(report.seconds, 3),
        },
    }


def _finding(f: Finding) -> dict[str, Any]:
    return {
        "code": f.code, "name": f.name, "property": f.property, "severity": f.severity,
        "message": _text(f.message), "filename": _text(f.span.filename), **_range(f.span),
        "kernel": f.kernel,
        "related": [
            {"message": _text(r.message), "filename": _text(r.span.filename), **_range(r.span)}
            for r in f.related
        ],
        "witness": None if f.witness is None else witness(f.witness),
        "fix": None, "url": None,
    }  # fmt: skip


def _kernel(k: KernelReport) -> dict[str, Any]:
    return {
        "name": k.name, "filename": _text(k.filename), "dialect": k.dialect, "location": _start(k.span),
        "status": k.status,
        "contract": {
            "declared": list(k.declared), "inferred": list(k.inferred), "assumed": list(k.assumed)
        },
        "obligations": [
            {"property": o.property, "verdict": o.verdict, "reason": _text(o.reason),
             "location": _start(o.span)}
            for o in k.obligations
        ],
        "launch_sites": [{"location": _start(s.span), "status": s.status} for s in k.sites],
    }  # fmt: skip


def witness(w: Witness) -> dict[str, Any]:
    """The numbers that break an obligation; `element` is empty where no array is concerned."""
    place = {"array": w.array, "index": list(w.element), "extents": list(w.extents)} if w.array else {}
    return {
        "params": dict(w.params), "grid": list(w.grid), "block": list(w.block),
        "points": [{"block": list(block), "thread": list(thread)} for block, thread in w.points],
        "element": place, "replayed": w.replayed,
    }  # fmt: skip


def _range(span: Span) -> dict[str, Any]:
    return {
        "location": _start(span),
        "end_location": {"row": span.end_row, "column": span.end_column + 1},
    }


def _start(span: Span) -> dict[str, int]:
    return {"row": span.row, "column": span.column + 1}


def _text(text: str) -> str:
    """Without lone surrogates (undecodable file names), which no JSON reader takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
