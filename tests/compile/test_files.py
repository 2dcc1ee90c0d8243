"""Files are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpulint.compile.error import CompileError
from gpulint.compile.files import write_all


def test_both_files_are_written(tmp_path: Path) -> None:
    write_all({tmp_path / "a": "one", tmp_path / "b": "two"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "one", "b": "two"}


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(CompileError, match="cannot write"):
        write_all({tmp_path / "a": "new", tmp_path / "missing" / "b": "two"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "old"}
