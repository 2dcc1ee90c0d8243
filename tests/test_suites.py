"""Renderings of the public GPU verification suites' patterns, checked against their verdicts.

Each kernel names the suite and category that it stands for; those of `idioms` are patterns of several.
What it must give is told by inline expectations (`# error: GL301`), by `# verdict: verified`, or by
`# verdict: undecided (reason)` where gpulint neither proves nor refutes it; then no error or warning may
be reported.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from expectations import compare, expected

FOLDER = Path(__file__).resolve().parent / "fixtures" / "suites"
KERNELS = sorted(FOLDER.glob("*/*.py"))
VERDICT = re.compile(r"^# verdict: (verified|undecided) ?(\(.+\))?$", re.MULTILINE)
SUITES = {"gpuverify": "GPUVerify", "indigo": "Indigo", "scor": "ScoR", "faial": "Faial", "idioms": ""}


def announced(text: str) -> str:
    """The verdict that a file announces: verified, undecided or refuted."""
    found = VERDICT.findall(text)
    assert len(found) <= 1, "one verdict a file"
    if not found:
        assert expected(text), "no verdict and no expectation"
        return "refuted"
    assert not expected(text), "a verdict besides expectations"
    assert found[0][0] == "verified" or found[0][1], "undecided without its reason"
    return str(found[0][0])


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_verdict(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    want = announced(text)
    report, different = compare(path)
    assert not different, str(different)
    assert {k.status for k in report.kernels} == {want}, [k.obligations for k in report.kernels]


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_kernel_names_its_suite(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert doc.startswith(SUITES[path.parent.name]) and doc.endswith(".")


def test_there_are_kernels_of_every_suite() -> None:
    count = Counter(p.parent.name for p in KERNELS)
    assert set(count) == set(SUITES) and sum(count.values()) >= 150, count
