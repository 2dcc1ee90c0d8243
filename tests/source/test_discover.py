from __future__ import annotations

from pathlib import Path

import pytest

from gpulint.source.discover import files
from gpulint.source.gitignore import parse


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(root: Path) -> list[str]:
    return [p.relative_to(root).as_posix() for p in files([root]).files]


def test_python_files_in_sorted_order(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a/z.py", "a/y.pyi", "c.txt", "a.py")
    assert found(tmp_path) == ["a/z.py", "a.py", "b.py"]


@pytest.mark.parametrize("folder", [".git", "__pycache__", ".venv", "node_modules", "build", "x.egg-info"])
def test_tool_folders_are_skipped(tmp_path: Path, folder: str) -> None:
    make(tmp_path, f"{folder}/a.py", "b.py")
    assert found(tmp_path) == ["b.py"]


def test_virtual_environment_of_any_name_is_skipped(tmp_path: Path) -> None:
    make(tmp_path, "myenv/pyvenv.cfg", "myenv/lib/a.py", "b.py")
    assert found(tmp_path) == ["b.py"]


def test_named_arguments_are_always_taken(tmp_path: Path) -> None:
    make(tmp_path, "build/a.py", "script")
    (tmp_path / ".gitignore").write_text("*\n")
    named = [tmp_path / "script", tmp_path / "build/a.py"]
    assert list(files(named).files) == named


def test_nested_gitignore_and_negation(tmp_path: Path) -> None:
    make(tmp_path, "gen/a.py", "gen/keep.py", "sub/gen_x.py", "sub/x.py", "top.py")
    (tmp_path / ".gitignore").write_text("# comment\ngen/*\n!gen/keep.py\n")
    (tmp_path / "sub/.gitignore").write_text("gen_*.py\n")
    assert found(tmp_path) == ["gen/keep.py", "sub/x.py", "top.py"]


def test_gitignore_above_the_argument_counts_within_a_repository(tmp_path: Path) -> None:
    make(tmp_path, ".git/HEAD", "pkg/a.py", "pkg/b.py")
    (tmp_path / ".gitignore").write_text("/pkg/a.py\n")
    assert found(tmp_path / "pkg") == ["b.py"]


def test_missing_path_is_an_error_and_others_are_still_found(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    result = files([tmp_path / "nope", tmp_path / "a.py"])
    assert [e.message for e in result.errors] == ["no such file or directory"]
    assert result.files == (tmp_path / "a.py",)


def test_link_loops_end(tmp_path: Path) -> None:
    make(tmp_path, "d/a.py")
    (tmp_path / "d" / "loop").symlink_to(tmp_path)
    assert found(tmp_path) == ["d/a.py"]


def test_each_file_once(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    assert len(files([tmp_path, tmp_path / "a.py", tmp_path]).files) == 1


@pytest.mark.parametrize(
    ("pattern", "path", "folder", "matches"),
    [
        ("*.py", "a/b.py", False, True),
        ("/b.py", "a/b.py", False, False),
        ("/b.py", "b.py", False, True),
        ("a/", "a", False, False),
        ("a/", "x/a", True, True),
        ("a/**/b", "a/b", False, True),
        ("a/**/b", "a/c/d/b", False, True),
        ("a/**", "a", True, False),
        ("a/**", "a/b", False, True),
        ("doc/*.py", "doc/y/x.py", False, False),
        ("[!a]x", "bx", False, True),
        ("[a-c]x", "dx", False, False),
        (r"\#x", "#x", False, True),
        ("a?c", "abc", False, True),
        ("*a" * 30 + "b", "a" * 255, False, False),
    ],
)
def test_patterns(pattern: str, path: str, folder: bool, matches: bool) -> None:
    parsed = parse(pattern)
    assert parsed is not None
    assert parsed.matches(path.split("/"), folder) is matches


@pytest.mark.parametrize("line", ["", "   ", "# x", "/"])
def test_lines_without_a_pattern(line: str) -> None:
    assert parse(line) is None
