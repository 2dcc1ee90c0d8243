"""One file from text to report: every step guarded, so that one failure never stops the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Union

from gpulint.config import Config
from gpulint.ir.span import Span
from gpulint.report.model import UNDECIDED, VERIFIED, FileReport, KernelReport, in_order

if TYPE_CHECKING:
    from gpulint.dataflow.access import AccessSet
    from gpulint.ir.nodes import Kernel
    from gpulint.launchers import Launches
    from gpulint.rules.finding import Finding
    from gpulint.solver.verdict import KernelResult
    from gpulint.source.model import KernelSource, Module
    from gpulint.source.resolve import Project

MAX_REASON = 200


@dataclass(frozen=True)
class Analysis:
    """All that is known of one kernel, up to the stage that failed; for `gpulint ir` and the rules."""

    source: KernelSource
    kernel: Kernel | None = None
    accesses: AccessSet | None = None
    result: KernelResult | None = None
    failure: str = ""
    seconds: float = 0.0


def check_file(
    path_or_text: Union[Path, str], filename: str, config: Config, explicit: bool = False,
    neighbours: Sequence[Path] = (),
) -> FileReport:  # fmt: skip
    """Check one file (a path) or text. Never raises for what the file holds, short of MemoryError.

    A file that the text prefilter dismisses has no kernels and is not parsed, unless it is
    `explicit`: named by the user, who then learns of syntax errors. A file that cannot be read or
    decoded is a finding in either case. `neighbours` are files that may launch its kernels.
    """
    from gpulint.source.load import load_text, read_text
    from gpulint.source.model import SourceError
    from gpulint.source.prefilter import dialects

    text = read_text(path_or_text, filename) if isinstance(path_or_text, Path) else path_or_text
    if isinstance(text, SourceError):
        return _source_error(text)
    if not explicit and not dialects(text):
        return FileReport(filename)
    path = path_or_text if isinstance(path_or_text, Path) else None
    module = load_text(text, filename, path)
    if isinstance(module, SourceError):
        return _source_error(module)
    return check_module(module, config, neighbours) if dialects(text) else FileReport(filename)


def check_module(module: Module, config: Config, neighbours: Sequence[Path] = ()) -> FileReport:
    """Check the kernels of a parsed file, then apply selection and suppressions."""
    findings: list[Finding] = []
    kernels: list[KernelReport] = []
    try:
        analyses, launchers = analyse(module, config, neighbours)
    except Exception as error:
        return _internal(module, error)
    for found in analyses:
        report, own = _kernel(found, config)
        kernels.append(report)
        findings += own
    return _finish(module, launchers, findings, kernels, config)


def analyse(
    module: Module, config: Config, neighbours: Sequence[Path] = ()
) -> tuple[list[Analysis], tuple[Module, ...]]:
    """Each kernel of the module through lowering, dataflow and solver; and the other files read.

    Device functions are not kernels of their own: they are checked where kernels call them.
    """
    from gpulint import launchers
    from gpulint.source.kernels import find
    from gpulint.source.resolve import Project

    project = Project()
    project.add(module)
    sources = find(module, project)
    launches = launchers.find(module, project, sources, neighbours)
    kernels = [s for s in sources if s.device is not True]
    return [_timed(s, project, launches, config) for s in kernels], launches.modules


def _timed(source: KernelSource, project: Project, launches: Launches, config: Config) -> Analysis:
    """The analysis with the time that it took; for benchmarks, no verdict depends on it."""
    start = time.process_time()
    done = _analysis(source, project, launches, config)
    return replace(done, seconds=time.process_time() - start)


def _analysis(source: KernelSource, project: Project, launches: Launches, config: Config) -> Analysis:
    done = Analysis(source, failure="; ".join(launches.failures))
    try:
        from gpulint.dataflow import analyse as access_set
        from gpulint.frontend import lower
        from gpulint.frontend.host.site import tuples
        from gpulint.rules.spelling import spell
        from gpulint.solver.decide import decide
        from gpulint.solver.options import Options

        sites = launches.of(source)
        kernel = lower(replace(source, tuples=tuples(sites)), project)
        if source.dialect == "triton" and sites:
            from gpulint.frontend.retype import elements, retype

            kernel = retype(kernel, elements(kernel, sites))
        done = replace(done, kernel=kernel)
        accesses = spell(access_set(kernel), _segments(source.module))
        done = replace(done, accesses=accesses)
        result = decide(kernel, accesses, sites, Options(assume=config.assume))
        return replace(done, result=result)
    except Exception as error:
        return replace(done, failure=one_line(error))


def _segments(module: Module) -> Callable[[Span], str]:
    """The source text of a range on one line, '' for others; reads other files on demand."""
    from gpulint.report.sources import Sources

    sources = Sources({module.filename: module.text})

    def segment(span: Span) -> str:
        line = sources.line(span.filename, span.row) if span.row == span.end_row else None
        return line[span.column : span.end_column] if line is not None else ""

    return segment


def one_line(error: BaseException) -> str:
    """An exception as one line for a user: its kind and the start of what it says."""
    text = " ".join(str(error).split())
    kind = type(error).__name__
    full = f"{kind}: {text}" if text else kind
    return full if len(full) <= MAX_REASON else full[: MAX_REASON - 3] + "..."


def _kernel(found: Analysis, config: Config) -> tuple[KernelReport, list[Finding]]:
    """The report and findings of one kernel; a failure is told as an internal error."""
    from gpulint.report.summary import failed, summary
    from gpulint.rules.apply import findings
    from gpulint.rules.base import View
    from gpulint.rules.tool.internal_error import InternalError

    span, name = found.source.module.span(found.source.node), found.source.qualname
    error = found.failure
    if found.kernel is not None and found.accesses is not None and found.result is not None:
        view = View(found.kernel, found.accesses, found.result, config.deny_undecided)
        try:
            own = findings(view)
            report = replace(summary(found.source, view), seconds=found.seconds)
            if error:  # the host code could not be read: nothing is known of the launches
                own.append(InternalError().report(error, span, name))
                status = UNDECIDED if report.status == VERIFIED else report.status
                report = replace(report, status=status, reason=error)
            return report, own
        except Exception as failure:
            error = one_line(failure)
    report = replace(failed(found.source, span, error), seconds=found.seconds)
    return report, [InternalError().report(error, span, name)]


def _finish(
    module: Module, launchers: tuple[Module, ...], findings: list[Finding], kernels: list[KernelReport],
    config: Config,
) -> FileReport:  # fmt: skip
    """Apply suppressions, those at launches in other files too, and the selection of codes."""
    from gpulint.rules.selection import selected, suppress
    from gpulint.source.suppress import suppressions

    kept, unused, silenced = suppress(findings, suppressions(module), module.filename)
    for other in launchers:
        kept, _, more = suppress(kept, suppressions(other), other.filename)
        silenced += more
    chosen = [f for f in (*kept, *unused) if selected(f, config.select, config.ignore)]
    return FileReport(module.filename, in_order(chosen), tuple(kernels), silenced)


def _source_error(error: object) -> FileReport:
    from gpulint.rules.tool.syntax_error import SyntaxErrorRule
    from gpulint.source.model import SourceError

    assert isinstance(error, SourceError)
    return FileReport(error.filename, (SyntaxErrorRule().report(error),))


def _internal(module: Module, error: Exception) -> FileReport:
    from gpulint.rules.tool.internal_error import InternalError

    at = Span(module.filename, 1, 0, 1, 0)
    return FileReport(module.filename, (InternalError().report(one_line(error), at),))


def given_up(filename: str, reason: str) -> FileReport:
    """The report of a file whose check was cut off."""
    from gpulint.rules.tool.analysis_limit import AnalysisLimit

    return FileReport(filename, (AnalysisLimit().report(reason, filename),))
