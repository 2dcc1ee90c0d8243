"""Findings: what a user reads, whatever the output format."""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.ir.span import Span
from gpulint.solver.verdict import Witness

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass(frozen=True)
class Related:
    message: str
    span: Span


@dataclass(frozen=True)
class Finding:
    """One diagnostic. `label` is the short text under the carets, `help` what to do about it."""

    code: str
    name: str
    property: str
    severity: str
    message: str
    span: Span
    kernel: str = ""
    label: str = ""
    help: str = ""
    related: tuple[Related, ...] = ()
    witness: Witness | None = None
    notes: tuple[str, ...] = ()
