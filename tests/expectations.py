"""Kernels with inline expectations: `# error: GL101`, `# warning: GL203, GL302`, `# info: GL001`.

A file is checked as a user would check it, and each finding must stand at a line that announces it.
Errors and warnings that no comment announces fail, and so does every comment without its finding;
info findings need no comment. A code that is listed twice on a line is expected twice.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gpulint.report.model import FileReport

COMMENT = re.compile(r"#\s*(error|warning|info):\s*((?:GL\d{3}(?:,\s*)?)+)")
Key = tuple[int, str, str]  # row, severity, code


@dataclass(frozen=True)
class Difference:
    """What a check said and a file's comments did not, and the other way round."""

    unannounced: tuple[Key, ...]
    missing: tuple[Key, ...]

    def __bool__(self) -> bool:
        return bool(self.unannounced or self.missing)

    def __str__(self) -> str:
        lines = [f"line {row}: unannounced {sev} {code}" for row, sev, code in self.unannounced]
        lines += [f"line {row}: no {sev} {code}" for row, sev, code in self.missing]
        return "\n".join(lines)


def expected(text: str) -> Counter[Key]:
    """The findings that the comments announce."""
    found: Counter[Key] = Counter()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            for severity, codes in COMMENT.findall(token.string):
                found.update((token.start[0], severity, code) for code in re.findall(r"GL\d{3}", codes))
    return found


def reported(report: FileReport) -> Counter[Key]:
    """The findings of a report, by the line in the file where a reader sees them."""
    return Counter((f.span.row, f.severity, f.code) for f in report.findings)


def difference(announced: Counter[Key], found: Counter[Key]) -> Difference:
    """Compare; info findings count only where a comment announces them."""
    loud = Counter({k: n for k, n in found.items() if k[1] != "info" or k in announced})
    return Difference(
        tuple(sorted((loud - announced).elements())), tuple(sorted((announced - loud).elements()))
    )


def check(path: Path) -> FileReport:
    """The report of one file, made in this process with the default configuration."""
    from gpulint.config import Config
    from gpulint.pipeline import check_file

    return check_file(path, str(path), Config(), explicit=True)


def compare(path: Path) -> tuple[FileReport, Difference]:
    report = check(path)
    return report, difference(expected(path.read_text(encoding="utf-8")), reported(report))
