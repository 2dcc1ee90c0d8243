"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpulint.compile.error import CompileError


def write_all(files: Mapping[Path, str | bytes]) -> None:
    """Write the files beside their places and rename them, so that none is ever there in part.

    On an error none of the temporary files stays. Raises CompileError.
    """
    made: list[tuple[Path, Path]] = []
    try:
        for path, content in files.items():
            made.append((_temporary(path, content), path))
        for temporary, path in made:
            temporary.replace(path)
    except OSError as error:
        raise CompileError(f"cannot write {error.filename or 'the output'}: {error.strerror}") from None
    finally:
        for temporary, _ in made:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _temporary(path: Path, content: str | bytes) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
    except OSError:
        Path(name).unlink()
        raise
    return Path(name)
