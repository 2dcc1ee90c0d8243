"""Which files to check."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpulint.source import gitignore
from gpulint.source.gitignore import IgnoreFile
from gpulint.source.model import SourceError

_SKIPPED = frozenset(
    (
        ".git", ".hg", ".svn", ".bzr", "__pycache__", ".venv", "venv", ".env", "node_modules", "build",
        "dist", ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis",
        ".ipynb_checkpoints",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Discovery:
    """The files to check in a stable order, and the arguments and folders that cannot be read."""

    files: tuple[Path, ...]
    errors: tuple[SourceError, ...] = ()


def files(paths: Sequence[Path]) -> Discovery:
    """The Python files of the arguments, each once, in the order of the arguments.

    A file that is an argument is always taken. Folders are walked in sorted order for `*.py`;
    what a `.gitignore` names, environments, caches and build output are left out unless
    an argument names them. Links to folders are not followed.
    """
    found: dict[Path, Path] = {}
    errors: list[SourceError] = []
    for path in paths:
        try:
            if path.is_dir():
                for file in _walk(path, errors):
                    found.setdefault(file.absolute(), file)
            elif path.exists():
                found.setdefault(path.absolute(), path)
            else:
                errors.append(SourceError(str(path), "no such file or directory"))
        except (OSError, ValueError) as error:
            errors.append(_unreadable(path, error))
    return Discovery(tuple(found.values()), tuple(errors))


def _walk(start: Path, errors: list[SourceError]) -> Iterator[Path]:
    todo: list[tuple[Path, tuple[IgnoreFile, ...]]] = [(start, _above(start))]
    while todo:
        folder, rules = todo.pop()
        if folder.suffix == ".py" and not folder.is_dir():
            yield folder
            continue
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name, reverse=True)
        except OSError as error:
            errors.append(_unreadable(folder, error))
            continue
        own = gitignore.read(folder.absolute())
        rules = (*rules, own) if own is not None else rules
        todo.extend((folder / e.name, rules) for e in entries if _wanted(e, folder, rules))


def _wanted(entry: os.DirEntry[str], folder: Path, rules: tuple[IgnoreFile, ...]) -> bool:
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not (entry.name.endswith(".py") and entry.is_file()):
            return False
    except OSError:
        return False
    if is_folder and (entry.name in _SKIPPED or entry.name.endswith(".egg-info")):
        return False
    if is_folder and (folder / entry.name / "pyvenv.cfg").exists():
        return False
    return not rules or not gitignore.ignored(folder.absolute() / entry.name, is_folder, rules)


def _above(start: Path) -> tuple[IgnoreFile, ...]:
    """The ignore files between the repository's root and the folder; none outside a repository."""
    rules: list[IgnoreFile] = []
    start = start.absolute()
    for folder in start.parents if not (start / ".git").exists() else ():
        own = gitignore.read(folder)
        if own is not None:
            rules.insert(0, own)
        if (folder / ".git").exists():
            return tuple(rules)
    return ()


def _unreadable(path: Path, error: Exception) -> SourceError:
    reason = getattr(error, "strerror", None) or str(error)
    return SourceError(str(path), f"cannot be read: {reason}")
