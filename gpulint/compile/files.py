"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpulint.compile.error import CompileError

HINT = "name a file with -o in a folder that is there and can be written"


def write_all(files: Mapping[Path, str | bytes]) -> None:
    """Write the files beside their places and rename them, so that none is ever there in part.

    On an error none of them is there, or all are as they were before. Raises CompileError.
    """
    made: list[tuple[Path, Path]] = []
    before: list[tuple[Path, bytes | None]] = []
    path = Path()
    try:
        for path, content in files.items():
            made.append((_temporary(path, content), path))
        for temporary, path in made:
            before.append((path, path.read_bytes() if path.is_file() else None))
            temporary.replace(path)
    except OSError as error:
        for place, old in before:
            _restore(place, old)
        raise CompileError(f"cannot write {path}: {error.strerror}", hint=HINT) from None
    finally:
        for temporary, _ in made:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _restore(path: Path, old: bytes | None) -> None:
    """What was in a place before, or nothing."""
    with contextlib.suppress(OSError):
        if old is None:
            path.unlink()
        else:
            _temporary(path, old).replace(path)


def _temporary(path: Path, content: str | bytes) -> Path:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
    except OSError:
        Path(name).unlink()
        raise
    return Path(name)
