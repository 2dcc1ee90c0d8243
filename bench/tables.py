"""Corpus results as text: one line a package, and the Markdown page with all counts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gpulint.report.model import (
    REFUTED,
    STATUSES,
    UNSUPPORTED,
    VERIFIED,
    KernelReport,
    ObligationReport,
)

if TYPE_CHECKING:
    from corpus import PackageResult
    from isolate import Checked

LAUNCHED = ("covered", "no-alias")  # properties that are asked of launches
VERDICTS = ("proved", "proved-under", "refuted", "undecided")


def kernels(results: Iterable[PackageResult]) -> list[KernelReport]:
    return [k for r in results for c in r.files if c.report for k in c.report.kernels]


def obligations(results: Iterable[PackageResult]) -> list[ObligationReport]:
    return [o for k in kernels(results) for o in k.obligations]


def kernel_seconds(results: Iterable[PackageResult]) -> list[float]:
    """Each kernel's own time plus its share of what its file took besides."""
    out = []
    for result in results:
        for checked in result.files:
            found = checked.report.kernels if checked.report else ()
            if found:
                shared = max(0.0, checked.seconds - sum(k.seconds for k in found)) / len(found)
                out += [k.seconds + shared for k in found]
    return sorted(out)


def quantile(values: Sequence[float], q: float) -> float:
    """The least value with at least the fraction q of the sorted values at or below it."""
    return values[max(0, math.ceil(q * len(values)) - 1)] if values else 0.0


def decided(found: Sequence[ObligationReport]) -> int:
    return sum(o.verdict in ("proved", "proved-under") for o in found)


def standing(k: KernelReport) -> str:
    """How far a kernel is decided, whatever its launches show of the contract.

    `refuted`; `any`: every obligation proved for any parameters that meet the clauses; `sites`: some
    only for the launches in view; `open`. What is asked of a launch and its allocations alone (LAUNCHED) is
    none of the kernel's obligations: where no launch is in view there is no such question.
    """
    if k.status in (REFUTED, UNSUPPORTED):
        return REFUTED if k.status == REFUTED else "open"
    own = [o for o in k.obligations if o.property not in LAUNCHED]
    if not own or decided(own) < len(own):
        return "any" if k.status == VERIFIED else "open"
    return "sites" if any(o.rung == "sites" for o in own) else "any"


def launches_shown(found: Sequence[KernelReport]) -> str:
    """Of the kernels with launches in view: how many have all of them shown to be right."""
    launched = [k for k in found if k.sites]
    return percent(sum(all(s.status == "meets" for s in k.sites) for k in launched), len(launched))


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "\n".join([row(head), row("---" for _ in head), *map(row, rows)])


def failures(checked: Checked) -> list[str]:
    """What went wrong in the checker itself: a traceback, an internal error, a check cut off."""
    found = checked.report.findings if checked.report else ()
    internal = [f"line {f.span.row}: {f.message}" for f in found if f.code in ("GL002", "GL003")]
    return [checked.failure, *internal] if checked.failure else internal


def counts(name: str, results: Sequence[PackageResult]) -> list[object]:
    """A package's line of the overview."""
    found, asked, times = kernels(results), obligations(results), kernel_seconds(results)
    stand = Counter(map(standing, found))
    status = Counter(k.status for k in found)
    files = [c for r in results for c in r.files]
    return [
        name, sum(r.count for r in results), len(found), *(status[s] for s in STATUSES),
        percent(len(found) - stand["open"], len(found)), percent(stand["any"], len(found)),
        launches_shown(found),
        len(asked), percent(decided(asked), len(asked)),
        f"{1000 * quantile(times, 0.5):.0f}", f"{quantile(times, 0.99):.2f}",
        sum(bool(c.limit) for c in files), sum(bool(failures(c)) for c in files),
    ]  # fmt: skip


OVERVIEW = (
    "package", "files", "kernels", *STATUSES, "decided", "for any", "launches shown",
    "obligations", "proved (under)", "median ms", "p99 s", "cut off", "failures",
)  # fmt: skip


def summary(result: PackageResult) -> str:
    return "  ".join(
        f"{head} {cell}" if head != "package" else str(cell)
        for head, cell in zip(OVERVIEW, counts(result.name, [result]), strict=True)
    )


def by_property(asked: Sequence[ObligationReport]) -> str:
    count = Counter((o.property, o.verdict) for o in asked)
    names = sorted({o.property for o in asked})
    rows = [[n, *(count[n, v] for v in VERDICTS), percent(
        count[n, "proved"] + count[n, "proved-under"], sum(count[n, v] for v in VERDICTS)
    )] for n in names]  # fmt: skip
    return table(["property", *VERDICTS, "proved (under)"], rows)


def kind_of(reason: str) -> str:
    """A reason without the names and numbers of the kernel at hand."""
    plain = re.sub(r"`[^`]*`", "...", reason or "(none given)")
    return re.sub(r"\b\d+\b", "N", plain).replace("|", "\\|").replace("\n", " ")


def tally(reasons: Iterable[str], limit: int = 60) -> str:
    return table(["reason", "count"], Counter(map(kind_of, reasons)).most_common(limit))


def findings(results: Sequence[PackageResult]) -> str:
    found = [f for r in results for c in r.files if c.report for f in c.report.findings]
    count = Counter((f.code, f.name, f.severity) for f in found)
    return table(["code", "name", "severity", "count"], [[*key, n] for key, n in sorted(count.items())])


def slowest(results: Sequence[PackageResult], limit: int = 10) -> str:
    found = sorted(kernels(results), key=lambda k: -k.seconds)[:limit]
    rows = [[f"`{k.name}`", k.filename.rpartition("/src/")[2], f"{k.seconds:.2f}"] for k in found]
    return table(["kernel", "file", "s"], rows)


def shared_memory(results: Sequence[PackageResult]) -> str:
    """Of the kernels with shared memory: how many of each package are decided."""
    rows = []
    for name, part in [*((r.name, [r]) for r in results), ("**all**", results)]:
        found = [k for k in kernels(part) if k.shared]
        status = Counter(k.status for k in found)
        ended = status["verified"] + status["refuted"]
        if found:
            rows.append([name, len(found), *(status[s] for s in STATUSES), percent(ended, len(found))])
    return table(["package", "kernels", *STATUSES, "verified or refuted"], rows)


def listing(results: Sequence[PackageResult]) -> str:
    """Each kernel with its status, and the reasons of what stays open in it."""
    lines = []
    for k in kernels(results):
        lines.append(f"{k.status:12} {k.filename.rpartition('/src/')[2]}:{k.span.row} {k.name} {k.reason}")
        asked = [o for o in k.obligations if o.verdict == "undecided"]
        lines += [f"    line {o.span.row} {o.property} ({o.kind}): {o.reason}" for o in asked]
    return "\n".join(lines)


def headline(results: Sequence[PackageResult]) -> str:
    """The figures that matter, in a sentence each."""
    found, asked, times = kernels(results), obligations(results), kernel_seconds(results)
    stand = Counter(map(standing, found))
    lowered = sum(k.status != "unsupported" and not (k.reason and not k.obligations) for k in found)
    return (
        f"{percent(lowered, len(found))} of {len(found)} kernels lowered without an unsupported construct; "
        f"{percent(len(found) - stand['open'], len(found))} decided (a contract proves every obligation "
        f"of the kernel, or a refutation), {percent(stand['any'], len(found))} proved for any parameters "
        f"under a contract; all launches in view shown for {launches_shown(found)} of the kernels "
        "that have some; "
        f"{percent(decided(asked), len(asked))} of {len(asked)} obligations proved or proved-under; "
        f"{1000 * quantile(times, 0.5):.0f} ms a kernel (median), {quantile(times, 0.99):.2f} s (99%)."
    )


def page(results: Sequence[PackageResult], dialect: str, every: int = 1) -> str:
    """The whole page; `every`: one file in so many was checked."""
    asked = obligations(results)
    undecided = [f"{o.property}: {o.reason}" for o in asked if o.verdict == "undecided"]
    files = [c.report for r in results for c in r.files if c.report]
    unsupported = [f.message for r in files for f in r.findings if f.code == "GL010"]
    sections = [
        f"# The {dialect} corpus",
        "Written by `bench/corpus.py` over the packages that `bench/fetch.py` downloads; nothing cached."
        + (f" One file in {every} was checked." if every > 1 else ""),
        headline(results),
        table(OVERVIEW, [*(counts(r.name, [r]) for r in results), counts("**all**", results)]),
        "## Kernels with shared memory", shared_memory(results),
        "## Obligations", by_property(asked),
        "## Why obligations stay undecided", tally(undecided),
        "## Unsupported constructs", tally(unsupported),
        "## Findings", findings(results),
        "## Slowest kernels", slowest(results),
    ]  # fmt: skip
    return "\n\n".join(sections) + "\n"
