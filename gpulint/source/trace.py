"""What a check asks of the disk, so that its answer can be reused as long as nothing of that has changed.

Everything that reads the files around a file under analysis does so through these functions. Between
`recording()` and its end each question is noted with a fingerprint of its answer, absent files and
folders included; `answer` asks a noted question again.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

Question = tuple[str, str]  # what is asked (CONTENT, FILE, FOLDER, EXISTS, PACKAGE), and of which path
CONTENT, FILE, FOLDER, EXISTS, PACKAGE = "content", "file", "folder", "exists", "package"
MAX_BYTES = 5_000_000
MAX_FILES = 2000
NOTHING, FAILED = "none", "error"
CHANGED = "changed"  # the answer was not the same each time: it will never be
_open: list[dict[Question, str]] = []


@contextlib.contextmanager
def recording() -> Iterator[dict[Question, str]]:
    """The questions asked until the end of the block, with their answers; recordings may nest."""
    seen: dict[Question, str] = {}
    _open.append(seen)
    try:
        yield seen
    finally:
        _open.remove(seen)


def repeat(seen: Iterable[tuple[Question, str]]) -> None:
    """Note questions that were asked before, where an answer is kept and used again."""
    for question, found in seen:
        _note(*question, found)


def answer(question: Question) -> str:
    """What a question is answered with now. Raises ValueError for one that is none."""
    kind, path = question
    ask = _ASK.get(kind)
    if ask is None:
        raise ValueError(f"no such question: {kind}")
    with recording() as seen, contextlib.suppress(OSError):
        ask(Path(path))
    return seen.get((kind, str(Path(path).absolute())), FAILED)


def content(path: Path) -> bytes | None:
    """The bytes of a regular file, at most one more than MAX_BYTES; None where there is none.

    Raises OSError or ValueError for a file that cannot be read.
    """
    found = FAILED
    try:
        if not path.is_file():
            found = NOTHING
            return None
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        found = fingerprint(data)
        return data
    finally:
        _note(CONTENT, path, found)


def is_file(path: Path) -> bool:
    return _noted(FILE, path, path.is_file())


def is_dir(path: Path) -> bool:
    return _noted(FOLDER, path, path.is_dir())


def exists(path: Path) -> bool:
    return _noted(EXISTS, path, path.exists())


def package(root: Path) -> dict[Path, bytes]:
    """The Python files below a folder with their bytes, a bounded number of them."""
    out: dict[Path, bytes] = {}
    with recording() as own:
        for path in sorted(islice(root.rglob("*.py"), MAX_FILES)) if root.is_dir() else ():
            with contextlib.suppress(OSError, ValueError):
                data = content(path)
                if data is not None:
                    out[path] = data
    for seen in _open:
        for question in own:
            seen.pop(question, None)
    _note(PACKAGE, root, fingerprint("\n".join(f"{p} {found}" for (_, p), found in own.items()).encode()))
    return out


def fingerprint(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _noted(kind: str, path: Path, found: bool) -> bool:
    _note(kind, path, str(found))
    return found


def _note(kind: str, path: Path | str, found: str) -> None:
    if _open:
        question = (kind, str(Path(path).absolute()))
        for seen in _open:
            seen[question] = found if seen.get(question, found) == found else CHANGED


_ASK = {CONTENT: content, FILE: is_file, FOLDER: is_dir, EXISTS: exists, PACKAGE: package}
