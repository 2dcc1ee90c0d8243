"""Which files to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpulint.source.model import SourceError


@dataclass(frozen=True)
class Discovery:
    """The files to check in a stable order, and the arguments that name nothing."""

    files: tuple[Path, ...]
    errors: tuple[SourceError, ...] = ()


def files(paths: Sequence[Path]) -> Discovery:
    """The Python files of the arguments."""
    return Discovery(tuple(paths))
