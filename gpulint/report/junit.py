"""JUnit XML: a suite a file, a test case a kernel; undecided kernels count as skipped."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from gpulint.report import Options
from gpulint.report.model import VERIFIED, FileReport, Report
from gpulint.rules.finding import INFO, Finding

_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, options: Options) -> str:
    root = ET.Element("testsuites", name="gpulint", time=f"{report.seconds:.3f}")
    for file in report.files:
        _suite(root, file)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="utf-8"?>\n', "\n"]
    )


def _suite(root: ET.Element, file: FileReport) -> None:
    """The kernels, then the findings that belong to none of them."""
    suite = ET.SubElement(root, "testsuite", name=_clean(file.filename))
    names = {k.name for k in file.kernels}
    for k in file.kernels:
        case = ET.SubElement(suite, "testcase", name=_clean(k.name), classname=_clean(file.filename))
        case.set("line", str(k.span.row))
        loud = [f for f in file.findings if f.kernel == k.name and f.severity != INFO]
        _failures(case, loud)
        if not loud and k.status != VERIFIED:
            ET.SubElement(case, "skipped", message=_clean(f"{k.status} {k.reason}".strip()))
    for f in file.findings:
        if f.kernel not in names and f.severity != INFO:
            case = ET.SubElement(suite, "testcase", name=f.code, classname=_clean(file.filename))
            case.set("line", str(f.span.row))
            _failures(case, [f])
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(c.find("failure") is not None for c in cases)))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(c.find("skipped") is not None for c in cases)))


def _failures(case: ET.Element, findings: list[Finding]) -> None:
    for f in findings:
        node = ET.SubElement(case, "failure", message=_clean(f.message), type=f"{f.severity}[{f.code}]")
        place = f"{f.span.filename}:{f.span.row}:{f.span.column + 1}: {f.message} ({f.name})"
        more = [f"{r.span.filename}:{r.span.row}: {r.message}" for r in f.related]
        node.text = _clean("\n".join([place, *more, *([f"help: {f.help}"] if f.help else []), *f.notes]))


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _INVALID.sub("\ufffd", text)
