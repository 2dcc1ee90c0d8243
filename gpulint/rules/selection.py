"""Which findings are shown: `--select` and `--ignore`, and suppression comments."""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.rules.finding import Finding
from gpulint.rules.tool.unused_suppression import UnusedSuppression
from gpulint.source.suppress import Suppression


def selected(finding: Finding, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether the finding is asked for: the longest prefix that fits its code decides, a draw ignores.

    Words are code prefixes (`GL1`), full codes, rule names, or `ALL`.
    """
    wanted = _longest(finding, select) if select else 0
    return wanted >= 0 and wanted > _longest(finding, ignore)


def _longest(finding: Finding, words: Sequence[str]) -> int:
    """The length of the longest word that fits, -1 when none does; a name counts as a full code."""
    fits = [-1]
    for word in words:
        if word.lower() == finding.name:
            fits.append(len(finding.code))
        elif word.upper() == "ALL":
            fits.append(0)
        elif word and finding.code.startswith(word.upper()):
            fits.append(len(word))
    return max(fits)


def unknown(words: Sequence[str], codes: dict[str, str]) -> list[str]:
    """The words that fit no rule at all."""
    return [w for w in words if not _fits_some(w, codes)]


def _fits_some(word: str, codes: dict[str, str]) -> bool:
    if word.upper() == "ALL" or word.lower() in codes.values():
        return True
    return bool(word) and any(c.startswith(word.upper()) for c in codes)


def suppress(
    findings: Sequence[Finding], comments: Sequence[Suppression], filename: str
) -> tuple[list[Finding], list[Finding], int]:
    """Split into the findings that stay, those about unused comments, and how many were silenced.

    A comment silences findings of its own file, at the rows that it covers: where the finding
    points, or where the kernel calls the device function that it points into.
    """
    used: set[tuple[int, str]] = set()
    kept: list[Finding] = []
    for f in findings:
        rows = [s.row for s in (f.span, *f.span.calls) if s.filename == filename]
        hits = [n for n, c in enumerate(comments) if any(c.covers(f.code, row) for row in rows)]
        used |= {(n, f.code) for n in hits}
        if not hits:
            kept.append(f)
    return kept, _unused(comments, used), len(findings) - len(kept)


def _unused(comments: Sequence[Suppression], used: set[tuple[int, str]]) -> list[Finding]:
    out = []
    for n, comment in enumerate(comments):
        spare = tuple(c for c in comment.codes if (n, c) not in used)
        if spare or (not comment.codes and not any(hit == n for hit, _ in used)):
            out.append(UnusedSuppression().report(spare, comment.span))
    return out
