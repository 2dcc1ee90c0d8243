"""What a check found, as plain data: made in a worker process, sent to the renderers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpulint.ir.span import Span
from gpulint.rules.finding import ERROR, INFO, WARNING, Finding

VERIFIED, REFUTED, UNDECIDED, UNSUPPORTED = "verified", "refuted", "undecided", "unsupported"
STATUSES = (VERIFIED, REFUTED, UNDECIDED, UNSUPPORTED)
FAILURE = "GL002"


@dataclass(frozen=True)
class ObligationReport:
    """One obligation and its verdict. `clauses` are what a proved-under one holds under."""

    property: str
    verdict: str
    span: Span
    reason: str = ""
    kind: str = ""
    clauses: tuple[str, ...] = ()
    rung: str = ""
    assumptions: tuple[str, ...] = ()
    settle: str = ""


@dataclass(frozen=True)
class SiteReport:
    """How one launch site stands to the contract: meets, violates or undecided."""

    span: Span
    status: str
    reason: str = ""


@dataclass(frozen=True)
class KernelReport:
    """One kernel. `status` is one of STATUSES; `reason` says in a line why nothing was decided.

    `shared`: it has an array in shared memory; `seconds`: spent on it. Both are for benchmarks.
    """

    name: str
    filename: str
    dialect: str
    span: Span
    status: str
    declared: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    obligations: tuple[ObligationReport, ...] = ()
    sites: tuple[SiteReport, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    shared: bool = False


@dataclass(frozen=True)
class FileReport:
    """One file: its findings in source order, its kernels, and how many findings were suppressed."""

    filename: str
    findings: tuple[Finding, ...] = ()
    kernels: tuple[KernelReport, ...] = ()
    suppressed: int = 0


@dataclass(frozen=True)
class Report:
    """A whole run. `texts` holds the sources that are not on disk (standard input)."""

    files: tuple[FileReport, ...]
    seconds: float = 0.0
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def findings(self) -> list[Finding]:
        return [f for file in self.files for f in file.findings]

    def shown(self, info: bool) -> list[Finding]:
        """The findings for a reader: all, or without `info` those that are errors, warnings or
        failures of gpulint itself, since what was not checked must not look right."""
        return [f for f in self.findings if info or f.severity != INFO or f.code == FAILURE]

    @property
    def kernels(self) -> list[KernelReport]:
        return [k for file in self.files for k in file.kernels]

    def count(self, status: str) -> int:
        """How many kernels have the status."""
        return sum(k.status == status for k in self.kernels)

    def severities(self) -> Counter[str]:
        return Counter(f.severity for f in self.findings)

    @property
    def failed(self) -> bool:
        """Whether there is an error or a warning: exit code 1."""
        found = self.severities()
        return bool(found[ERROR] or found[WARNING])


RANK = {ERROR: 0, WARNING: 1, INFO: 2}


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """By place, then severity, then code: the same order on every run.

    What is found alike in a kernel that is compiled in several ways is told once.
    """
    told: dict[object, Finding] = {}
    for f in findings:
        told.setdefault((_order(f), f.kernel, f.span), f)
    return tuple(sorted(told.values(), key=_order))


def _order(f: Finding) -> tuple[str, int, int, int, str, str]:
    return f.span.filename, f.span.row, f.span.column, RANK[f.severity], f.code, f.message
