"""Files that are kept between runs: written whole, and read only when they are the user's own."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from gpulint import __version__
from gpulint.source import trace

MAX_ENTRY = 32_000_000  # bytes
MAX_ENTRIES = 8_000


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


def prune(at: Path) -> None:
    """Delete the entries that were written longest ago when there are too many."""
    with contextlib.suppress(OSError):
        found = sorted(os.scandir(at), key=lambda e: e.stat(follow_symlinks=False).st_mtime)
        for e in found[: -MAX_ENTRIES * 3 // 4] if len(found) > MAX_ENTRIES else ():
            with contextlib.suppress(OSError):
                Path(e.path).unlink()


@contextlib.contextmanager
def whole(path: Path) -> Iterator[int]:
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


def content(path: Path) -> bytes:
    """The bytes of an entry. Raises OSError unless it is a plain file that only this user can change."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_ENTRY:
            raise OSError("not an entry")
        if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & 0o022):
            raise OSError("another may have written the entry")
        return stream.read(MAX_ENTRY)


def seal(body: object, seen: object) -> str:
    """A fingerprint of an entry, by which one that was cut or changed is told."""
    return trace.fingerprint(json.dumps([body, seen]).encode(errors="surrogatepass"))


def tool(*packages: str) -> list[str]:
    """What the answers of gpulint depend on beside its input: itself, Python, the solver, packages."""
    from importlib.metadata import PackageNotFoundError, version

    def installed(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return ""

    versions = map(installed, ("z3-solver", *packages))
    return [__version__, _own(), sys.version, *versions]


@lru_cache(maxsize=1)
def _own() -> str:
    """A fingerprint of gpulint's own files, as this process found them first: what it has loaded stays."""
    own = sorted(_stamps(str(Path(__file__).resolve().parent.parent)))
    return trace.fingerprint(repr(own).encode())


def _stamps(folder: str, inside: str = "") -> Iterator[tuple[str, int, int]]:
    """Name, size and time of every module in a folder and below."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for e in found:
            if e.is_dir(follow_symlinks=False):
                if e.name != "__pycache__":
                    yield from _stamps(e.path, f"{inside}{e.name}/")
            elif e.name.endswith(".py"):
                info = e.stat()
                yield f"{inside}{e.name}", info.st_size, info.st_mtime_ns
