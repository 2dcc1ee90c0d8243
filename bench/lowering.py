"""Lowering alone: each kernel to IR and access set, nothing proved; what was not understood is a finding.

Launches are not looked at, so that what only they show to be a number counts as not understood.
"""

from __future__ import annotations

import time
from dataclasses import replace

from gpulint.cli.worker import Task
from gpulint.dataflow import analyse
from gpulint.frontend import lower
from gpulint.report.model import UNDECIDED, UNSUPPORTED, FileReport, KernelReport
from gpulint.rules.finding import INFO, Finding
from gpulint.rules.tool.unsupported_construct import UnsupportedConstruct
from gpulint.solver.options import FUNCTIONS_IN_VIEW, unassumed
from gpulint.source.kernels import find
from gpulint.source.load import load
from gpulint.source.model import KernelSource, SourceError
from gpulint.source.resolve import Project


def lowered(task: Task) -> FileReport:
    """The kernels of a file as far as the access set: `unsupported` or, for lack of a proof, undecided."""
    module = load(task.path)
    if isinstance(module, SourceError):
        return FileReport(str(task.path))
    project = Project()
    project.add(module)
    kernels: list[KernelReport] = []
    findings: list[Finding] = []
    for source in find(module, project):
        if source.device is not True:
            report, own = _kernel(source, project)
            kernels.append(report)
            findings += own
    return FileReport(module.filename, tuple(findings), tuple(kernels))


def _kernel(source: KernelSource, project: Project) -> tuple[KernelReport, list[Finding]]:
    start = time.process_time()
    kernel = lower(source, project)
    accesses = analyse(kernel)
    rule = UnsupportedConstruct()
    found = [
        rule.finding(INFO, f"not understood: {reason}", span, source.qualname)
        for reason, span in dict.fromkeys((*accesses.unsupported, *unassumed(kernel, (FUNCTIONS_IN_VIEW,))))
    ]
    status = UNSUPPORTED if found else UNDECIDED
    span = source.module.span(source.node)
    report = KernelReport(source.qualname, source.module.filename, source.dialect, span, status)
    return replace(report, seconds=time.process_time() - start), found
