"""The command `gpulint new`: what it writes works as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpulint.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def test_what_is_written_passes_check_and_pytest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "scaled"
    assert main(["new", "scaled", "--folder", str(folder)]) == 0
    assert sorted(p.name for p in folder.iterdir()) == [
        ".pre-commit-config.yaml",
        "scaled.py",
        "test_scaled.py",
    ]
    assert (
        main(["check", "--isolated", "--no-cache", "--jobs", "1", "--deny", "undecided", "-v", str(folder)])
        == 0
    )
    assert "verified: scaled" in capsys.readouterr().out
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_k.py").write_text("mine")
    assert main(["new", "k", "--folder", str(tmp_path)]) == 2
    assert "there already" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["test_k.py"]


@pytest.mark.parametrize("name", ["2d", "a-b", "class", "../k", ""])
def test_names_that_are_none_are_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", name]) == 2
    assert "no name of a function" in capsys.readouterr().err


def test_names_that_the_files_use_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "numpy"]) == 2
    assert "something that the new files use" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["new", "k", "--folder", str(tmp_path / "file" / "k")]) == 2
    assert "cannot write" in capsys.readouterr().err
