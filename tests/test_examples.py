"""The examples tell the truth: right kernels are verified, wrong ones found at the announced places."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from expectations import check, compare, expected

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
RIGHT = sorted(EXAMPLES.glob("*/right/*.py"))
WRONG = sorted(EXAMPLES.glob("*/wrong/*.py"))


def test_examples_are_found() -> None:
    assert len(RIGHT) >= 14
    assert len(WRONG) >= 14


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_right_example_is_verified(path: Path) -> None:
    report, different = compare(path)
    assert not different, str(different)
    assert report.kernels
    assert {k.status for k in report.kernels} == {"verified"}, report.kernels


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_wrong_example_is_found(path: Path) -> None:
    assert expected(path.read_text(encoding="utf-8"))
    _, different = compare(path)
    assert not different, str(different)


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_every_witness_was_replayed(path: Path) -> None:
    assert all(f.witness.replayed for f in check(path).findings if f.witness)


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_wrong_example_names_its_twin(path: Path) -> None:
    twins = re.findall(r"\.\./right/(\w+\.py)", path.read_text(encoding="utf-8"))
    assert twins
    assert all((path.parent.parent / "right" / t).is_file() for t in twins)
