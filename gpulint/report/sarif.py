"""SARIF 2.1.0 for code scanning services."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from gpulint import __version__
from gpulint.ir.span import Span
from gpulint.report import Options
from gpulint.report.model import Report
from gpulint.rules.finding import ERROR, INFO, WARNING, Finding
from gpulint.rules.page import page
from gpulint.rules.registry import rules

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {ERROR: "error", WARNING: "warning", INFO: "note"}


def render(report: Report, options: Options) -> str:
    return json.dumps(document(report), indent=2)


def document(report: Report) -> dict[str, Any]:
    """The SARIF log: one run, the rules that have results, one result a finding."""
    used = sorted({f.code for f in report.findings})
    at = {code: n for n, code in enumerate(used)}
    driver = {"name": "gpulint", "version": __version__, "rules": [_rule(code) for code in used]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, at[f.code]) for f in report.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    p = page(next(r for r in rules() if r.code == code))
    return {
        "id": code, "name": "".join(w.capitalize() for w in p.name.split("-")),
        "shortDescription": {"text": p.summary.replace("\n", " ")},
        "fullDescription": {"text": p.sections["Why is this bad"]},
        "help": {"text": p.markdown, "markdown": p.markdown},
        "properties": {"tags": ["gpu", p.concern], "problem.severity": "error"},
    }  # fmt: skip


def _result(f: Finding, rule: int) -> dict[str, Any]:
    text = ". ".join([f.message, *([f"help: {f.help}"] if f.help else []), *f.notes])
    out: dict[str, Any] = {
        "ruleId": f.code, "ruleIndex": rule, "level": _LEVEL[f.severity],
        "message": {"text": _text(text)}, "locations": [_location(f.span)],
        "properties": {"property": f.property, "kernel": f.kernel},
    }  # fmt: skip
    if f.related:
        out["relatedLocations"] = [
            {"id": n, **_location(r.span), "message": {"text": _text(r.message)}}
            for n, r in enumerate(f.related)
        ]
    return out


def _location(span: Span) -> dict[str, Any]:
    region = {
        "startLine": span.row, "startColumn": span.column + 1,
        "endLine": span.end_row, "endColumn": span.end_column + 1,
    }  # fmt: skip
    return {"physicalLocation": {"artifactLocation": _artifact(span.filename), "region": region}}


def _artifact(filename: str) -> dict[str, str]:
    path = PurePath(filename)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix(), errors="replace"), "uriBaseId": "%SRCROOT%"}


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
