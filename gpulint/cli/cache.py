"""Reports of files that have not changed, kept between runs.

A report is found by what it was asked for: the file and its content, the files beside it, the options and
the version of gpulint. It is used when everything else that the check read (modules, folders, absent files)
has the content that it had. Reports of checks that failed or were cut off are not kept. Entries are JSON
in a folder of the user's own; one that cannot be read, is another's or does not fit is as good as none.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint import __version__
from gpulint.source import trace

if TYPE_CHECKING:
    from gpulint.cli.worker import Task
    from gpulint.config import Config
    from gpulint.report.model import FileReport

FORMAT = 1
MAX_ENTRY = 32_000_000  # bytes
MAX_ENTRIES = 8_000
FAILURES = ("GL002", "GL003")  # internal error, analysis limit


def folder() -> Path | None:
    """Where the platform keeps caches; None where that is not known."""
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    try:
        if Path(xdg).is_absolute():
            return Path(xdg) / "gpulint"
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA", "")
            return Path(local) / "gpulint" / "Cache" if local else None
        home = Path.home()
    except RuntimeError:  # no home
        return None
    return (home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache") / "gpulint"


class Cache:
    """The entries of one folder, as seen by one run: what is on disk is looked at once."""

    def __init__(self, at: Path) -> None:
        self.at = at
        self._answers: dict[trace.Question, str] = {}
        self._tool = _tool()

    def key(self, task: Task, config: Config) -> str:
        """What a report is found by; '' for a file that cannot be read."""
        own = self._answer((trace.CONTENT, str(task.path.absolute())))
        if own in (trace.NOTHING, trace.FAILED):
            return ""
        options = (config.select, config.ignore, sorted(config.no_assume), config.deny_undecided)
        near = [str(p.absolute()) for p in task.neighbours]
        names = (str(task.path), str(task.path.absolute()), task.explicit)
        whole = json.dumps((FORMAT, self._tool, own, names, near, options))
        return trace.fingerprint(whole.encode(errors="surrogatepass"))

    def get(self, key: str) -> FileReport | None:
        """The report of an earlier run that still holds, or None."""
        from gpulint.report.model import FileReport
        from gpulint.report.plain import read

        try:
            entry = json.loads(_content(self.at / f"{key}.json"))
            body, seen = entry["report"], entry["seen"]
            if entry["check"] != _check(body, seen):
                return None
            if not all(self._answer((kind, path)) == found for kind, path, found in seen):
                return None
            return read(FileReport, body)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def _answer(self, question: trace.Question) -> str:
        if question not in self._answers:
            self._answers[question] = trace.answer(question)
        return self._answers[question]


def put(at: Path, key: str, report: FileReport, seen: Mapping[trace.Question, str]) -> None:
    """Keep a report with what the check asked of the disk. What cannot be kept is not."""
    from gpulint.report.plain import plain

    if not key or any(f.code in FAILURES for f in report.findings):
        return
    questions = sorted([kind, path, found] for (kind, path), found in seen.items())
    try:
        body = plain(report)
        entry = {"check": _check(body, questions), "seen": questions, "report": body}
        data = json.dumps(entry, separators=(",", ":")).encode()
        at.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _whole(at / f"{key}.json") as stream:
            os.write(stream, data)
    except (OSError, ValueError, RecursionError):
        return


def prune(at: Path) -> None:
    """Delete the entries that were written longest ago when there are too many."""
    with contextlib.suppress(OSError):
        found = sorted(os.scandir(at), key=lambda e: e.stat(follow_symlinks=False).st_mtime)
        for e in found[: -MAX_ENTRIES * 3 // 4] if len(found) > MAX_ENTRIES else ():
            with contextlib.suppress(OSError):
                Path(e.path).unlink()


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[int]:
    """A file that is there in full or not at all, whoever else writes it."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        try:
            yield handle
        finally:
            os.close(handle)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _content(path: Path) -> bytes:
    """The bytes of an entry. Raises OSError unless it is a plain file that only this user can change."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_ENTRY:
            raise OSError("not an entry")
        if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & 0o022):
            raise OSError("another may have written the entry")
        return stream.read(MAX_ENTRY)


def _check(body: object, seen: object) -> str:
    return trace.fingerprint(json.dumps([body, seen]).encode(errors="surrogatepass"))


def _tool() -> list[str]:
    """What the answers of gpulint depend on beside its input: itself, Python and the solver."""
    from importlib.metadata import PackageNotFoundError, version

    root = Path(__file__).resolve().parent.parent
    own = sorted((str(p.relative_to(root)), *_stamp(p)) for p in root.rglob("*.py"))
    try:
        solver = version("z3-solver")
    except PackageNotFoundError:
        solver = ""
    return [__version__, trace.fingerprint(repr(own).encode()), sys.version, solver]


def _stamp(path: Path) -> tuple[int, int]:
    with contextlib.suppress(OSError):
        info = path.stat()
        return info.st_size, info.st_mtime_ns
    return 0, 0
