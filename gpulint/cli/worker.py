"""What runs in a worker process: one file after another, within its memory."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from gpulint.config import Config
from gpulint.report.model import FileReport

RECURSION = 3000
COLLECTED = (50_000, 20, 20)  # objects between two collections of the youngest, and so on


@dataclass(frozen=True)
class Task:
    """One file to check. `explicit`: named by the user. `neighbours` may launch its kernels.

    Its report is to be kept in the folder `kept`, if there is one, under the `key`.
    """

    number: int
    path: Path
    explicit: bool
    neighbours: tuple[Path, ...] = ()
    key: str = ""
    kept: Path | None = None


class TimeLimit(BaseException):
    """The last-resort time limit; no handler of ordinary exceptions may swallow it."""


def serve(pipe: Connection, config: Config) -> None:
    """Answer tasks until the pipe ends. The parent keeps the time and handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(config.memory)
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            pipe.send(_check(task, config))


def check(task: Task, config: Config) -> FileReport:
    """Check one file in this process, cut off by an alarm where there is one."""
    from gpulint.pipeline import given_up

    try:
        with _alarm(config.seconds):
            return _check(task, config)
    except TimeLimit:
        return given_up(str(task.path), f"it took more than {config.seconds:g} s")


def _check(task: Task, config: Config) -> FileReport:
    from gpulint.cli import cache
    from gpulint.pipeline import check_file, given_up
    from gpulint.source import trace
    from gpulint.term.node import clear

    prepare()
    try:
        with trace.recording() as seen:
            report = check_file(task.path, str(task.path), config, task.explicit, task.neighbours)
        if task.kept is not None:
            cache.put(task.kept, task.key, report, seen)
        return report
    except MemoryError:
        return given_up(str(task.path), "it needs more memory than a file may take")
    finally:
        clear()


def prepare() -> None:
    """Let the process recurse deep enough, and look for cycles seldom: terms hold none, and there are many.

    What is loaded before the first file stays, so that no collection looks at it again.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    gc.set_threshold(*COLLECTED)
    if not gc.get_freeze_count():
        gc.freeze()


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = size if hard == resource.RLIM_INFINITY else min(size, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise TimeLimit after that long, in the main thread of a POSIX system; else no limit."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
