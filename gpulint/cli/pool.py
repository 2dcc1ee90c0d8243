"""Files over worker processes: a worker that crashes, hangs or runs out of memory costs one file."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Union

from gpulint.cli import cache, entries
from gpulint.cli.terminal import Progress
from gpulint.cli.worker import Task, check, serve
from gpulint.config import Config
from gpulint.pipeline import given_up
from gpulint.report.model import FileReport

SMALL_FILES, SMALL_BYTES = 4, 60_000
MAX_NEIGHBOURS = 60
POLL = 1.0


def check_paths(
    files: Sequence[Path], explicit: frozenset[Path], config: Config, jobs: int, progress: bool,
    kept: Path | None = None,
) -> list[FileReport]:  # fmt: skip
    """The reports of the files, in their order. One file, or a few small ones, use no worker.

    `kept`: the folder where reports of earlier runs are, and new ones go.
    """
    tasks = [Task(n, f, f in explicit) for n, f in enumerate(files)]
    reports: dict[int, FileReport] = {}
    bar = Progress(len(tasks), progress)
    hard = []
    for task in tasks:
        if task.explicit or may_hold_kernels(task.path):
            hard.append(task)
        else:
            reports[task.number] = FileReport(str(task.path))
            bar.step()
    hard = _with_neighbours(hard)
    if kept is not None:
        known, hard = _known(hard, kept, config)
        reports |= known
        for _ in known:
            bar.step()
    count = min(jobs or _cores(), len(hard))
    if count <= 1 or (not jobs and _small([t.path for t in hard])):
        for task in hard:
            reports[task.number] = check(task, config)
            bar.step()
    else:
        reports |= _Pool(hard, config, count, bar).run()
    if kept is not None and hard:
        entries.prune(kept)
    bar.close()
    return [reports[t.number] for t in tasks]


def _known(tasks: list[Task], kept: Path, config: Config) -> tuple[dict[int, FileReport], list[Task]]:
    """The reports of earlier runs that still hold, and the tasks that are left."""
    store = cache.Cache(kept)
    found: dict[int, FileReport] = {}
    left = []
    for t in tasks:
        key = store.key(t, config)
        report = store.get(key) if key else None
        if report is not None:
            found[t.number] = report
        else:
            left.append(replace(t, key=key, kept=kept))
    return found, left


def _with_neighbours(tasks: list[Task]) -> list[Task]:
    """Each task with the other files of its folder, and of the folder above within a package."""
    by_folder: dict[Path, list[Path]] = {}
    for t in tasks:
        by_folder.setdefault(t.path.absolute().parent, []).append(t.path)
    out = []
    for t in tasks:
        folder = t.path.absolute().parent
        near = by_folder[folder]
        if (folder / "__init__.py").is_file():
            near = [*near, *by_folder.get(folder.parent, ())]
        out.append(replace(t, neighbours=tuple(p for p in near if p != t.path)[:MAX_NEIGHBOURS]))
    return out


def may_hold_kernels(path: Path) -> bool:
    """The text prefilter; a file that cannot be read or decoded passes, to be told what it is."""
    from gpulint.source.load import read_text
    from gpulint.source.prefilter import dialects

    text = read_text(path)
    return not isinstance(text, str) or bool(dialects(text))


def _small(paths: list[Path]) -> bool:
    if len(paths) > SMALL_FILES:
        return False
    try:
        return sum(p.stat().st_size for p in paths) <= SMALL_BYTES
    except OSError:
        return True


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: Task | None = None
    started: float = 0.0


class _Pool:
    """A few workers, each fed one file at a time over its own pipe and replaced when it dies."""

    def __init__(self, tasks: list[Task], config: Config, count: int, bar: Progress) -> None:
        self.todo, self.config, self.bar = deque(tasks), config, bar
        self.reports: dict[int, FileReport] = {}
        self.context = multiprocessing.get_context()
        self.workers = [self._start() for _ in range(count)]

    def run(self) -> dict[int, FileReport]:
        try:
            for worker in self.workers:
                self._feed(worker)
            while busy := [w for w in self.workers if w.task is not None]:
                ready = wait([w.pipe for w in busy], timeout=POLL)
                for worker in busy:
                    if worker.pipe in ready:
                        self._receive(worker)
                    elif time.monotonic() - worker.started > self.config.seconds:
                        self._replace(worker, f"it took more than {self.config.seconds:g} s")
            return self.reports
        finally:
            for worker in self.workers:
                _stop(worker)

    def _start(self) -> _Worker:
        here, there = self.context.Pipe()
        process = self.context.Process(target=serve, args=(there, self.config), daemon=True)
        process.start()
        there.close()  # so that the end of the worker is the end of the pipe
        return _Worker(process, here)

    def _feed(self, worker: _Worker) -> None:
        worker.task = self.todo.popleft() if self.todo else None
        worker.started = time.monotonic()
        if worker.task is not None:
            try:
                worker.pipe.send(worker.task)
            except OSError:  # it died while it had nothing to do: its pipe is at its end too
                self._receive(worker)

    def _receive(self, worker: _Worker) -> None:
        try:
            report: Union[FileReport, None] = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(POLL)
            code = worker.process.exitcode
            self._replace(worker, f"the analysis process ended without an answer (exit code {code})")
            return
        assert report is not None
        self._done(worker, report)

    def _done(self, worker: _Worker, report: FileReport) -> None:
        assert worker.task is not None
        self.reports[worker.task.number] = report
        self.bar.step()
        self._feed(worker)

    def _replace(self, worker: _Worker, reason: str) -> None:
        assert worker.task is not None
        _stop(worker)
        fresh = self._start()
        worker.process, worker.pipe = fresh.process, fresh.pipe
        self._done(worker, given_up(str(worker.task.path), reason))


def _stop(worker: _Worker) -> None:
    worker.pipe.close()
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join(POLL)
