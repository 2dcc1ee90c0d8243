"""Findings as text, concise, json, sarif, github and junit: one renderer a file, imported on use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpulint.report.model import Report

FORMATS = {
    "text": "source excerpts, witnesses and remedies, for people (default)",
    "concise": "one line a finding",
    "json": "everything, versioned and stable",
    "sarif": "SARIF 2.1.0, for code scanning",
    "github": "GitHub workflow annotations",
    "junit": "JUnit XML, one test case a kernel",
}


@dataclass(frozen=True)
class Options:
    """`color`: with ANSI colours. `show_info`: also what is neither error nor warning, one by one."""

    color: bool = False
    show_info: bool = False


def render(name: str, report: Report, options: Options) -> str:
    """The report in the format of that name (a key of FORMATS), with a final newline if not empty."""
    text: str = import_module(f"gpulint.report.{name}").render(report, options)
    return text if not text or text.endswith("\n") else text + "\n"
