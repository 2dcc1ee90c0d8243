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


@pytest.mark.parametrize("taken", ["a", "b"])
def test_a_folder_in_the_place_of_a_file_leaves_all_as_it_was(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).mkdir()
    with pytest.raises(CompileError, match=f"cannot write {tmp_path / taken}: Is a directory .*name a file"):
        write_all({tmp_path / "a": "one", tmp_path / "b": "two"})
    assert [p.name for p in tmp_path.iterdir()] == [taken]


def test_a_rename_that_fails_takes_back_those_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old")
    whole = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if target.name == "c":
            raise OSError(28, "No space left on device")
        return whole(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(CompileError, match="c: No space left"):
        write_all({tmp_path / "a": "one", tmp_path / "b": "two", tmp_path / "c": "three"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "old"}
