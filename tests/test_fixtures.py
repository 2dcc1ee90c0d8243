"""Rule fixtures: one wrong kernel and its right twin a rule, checked against their comments."""

from __future__ import annotations

from pathlib import Path

import pytest
from expectations import compare, expected

from gpulint.rules.registry import rules

FOLDER = Path(__file__).resolve().parent / "fixtures" / "rules"
FIXTURES = sorted(FOLDER.glob("*.py"))
NO_KERNEL_SHOWS = {  # rules without a fixture, and where they are tested instead
    "GL002": "a defect of the tool itself: tests/cli",
    "GL003": "a check that was cut off: tests/cli",
}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_findings_are_as_announced(path: Path) -> None:
    _, different = compare(path)
    assert not different, str(different)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*_right.py")), ids=lambda p: p.stem)
def test_right_kernel_is_verified(path: Path) -> None:
    report, _ = compare(path)
    assert report.suppressed or {k.status for k in report.kernels} == {"verified"}, report.kernels


@pytest.mark.parametrize("code", [r.code for r in rules() if r.code not in NO_KERNEL_SHOWS])
def test_rule_has_a_wrong_kernel_and_a_right_one(code: str) -> None:
    wrong = FOLDER / f"{code}_wrong.py"
    right = FOLDER / f"{code}_right.py"
    assert code in {key[2] for key in expected(wrong.read_text(encoding="utf-8"))}
    assert not expected(right.read_text(encoding="utf-8"))
