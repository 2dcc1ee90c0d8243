"""The files that a command line names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from gpulint.source.discover import files
from gpulint.source.model import SourceError


@dataclass(frozen=True)
class Targets:
    """`explicit` are the files named one by one, which are read whatever they hold."""

    files: tuple[Path, ...]
    explicit: frozenset[Path]
    errors: tuple[SourceError, ...]


def find(paths: Sequence[Path], exclude: Sequence[str]) -> Targets:
    """The Python files of the paths, without those that an exclude pattern fits.

    A pattern fits a path that it matches as a whole, or one of whose parts it matches. Files named
    one by one are never excluded.
    """
    found = files(paths)
    explicit = frozenset(p for p in paths if not p.is_dir())
    kept = tuple(f for f in found.files if f in explicit or not _excluded(f, exclude))
    return Targets(kept, explicit, found.errors)


def _excluded(path: Path, patterns: Sequence[str]) -> bool:
    whole = path.as_posix()
    return any(
        fnmatch(whole, p.rstrip("/")) or fnmatch(whole, f"{p.rstrip('/')}/*")
        or any(fnmatch(part, p.rstrip("/")) for part in path.parts)
        for p in patterns
    )  # fmt: skip
