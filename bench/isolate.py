"""One file in a process of its own: a crash, a hang or too much memory costs that file alone.

Time is CPU time, so that a busy machine does not change what is cut off.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType

from gpulint.cli.worker import Task, prepare
from gpulint.report.model import FileReport

Work = Callable[[Task], FileReport]
GRACE = 10  # seconds of CPU between the limit that is told and the one that kills
WORKER_BYTES = 6 << 30
ROOMS = ("term", "source", "ir", "frontend", "interp", "dataflow", "contract", "solver", "rules", "report")


@dataclass(frozen=True)
class Checked:
    """One file: its report, or the traceback that there should not be; `limit` says what cut it off."""

    path: Path
    report: FileReport | None
    failure: str
    seconds: float
    limit: str = ""


class OutOfTime(BaseException):
    """The CPU limit of a file; no handler of ordinary exceptions may swallow it."""


def each(tasks: Iterable[Task], work: Work, jobs: int, seconds: int) -> Iterator[Checked]:
    """The results in the order of the tasks, `jobs` files at a time."""
    preload()
    with ThreadPoolExecutor(jobs) as threads:
        yield from threads.map(lambda t: run(t, work, seconds), tasks)


def preload() -> None:
    """Load what a check may need, as a process of the command line has after its first file."""
    import_module("z3")
    for room in ROOMS:
        package = import_module(f"gpulint.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def run(task: Task, work: Work, seconds: int) -> Checked:
    """The file in a new process."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, task, work, seconds), daemon=True)
    process.start()
    there.close()
    try:
        done: Checked = here.recv()
    except (EOFError, OSError):
        process.join()
        done = Checked(
            task.path, None, "", seconds, f"ended without an answer (exit code {process.exitcode})"
        )
    process.join()
    here.close()
    return done


def _serve(pipe: Connection, task: Task, work: Work, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + GRACE, seconds + GRACE))
    resource.setrlimit(resource.RLIMIT_AS, (WORKER_BYTES, WORKER_BYTES))
    signal.signal(signal.SIGPROF, _ring)
    prepare()
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    done = Checked(task.path, None, "", 0.0)
    try:
        done = replace(done, report=work(task))
    except OutOfTime:
        done = replace(done, limit=f"took more than {seconds} s of CPU")
    except MemoryError:
        done = replace(done, limit="needs more memory than a file may take")
    except Exception:
        done = replace(done, failure=traceback.format_exc())
    signal.setitimer(signal.ITIMER_PROF, 0)
    pipe.send(replace(done, seconds=time.process_time() - start))


def _ring(number: int, frame: FrameType | None) -> None:
    raise OutOfTime
