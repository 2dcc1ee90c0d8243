"""Files in worker processes: a crash, a hang or a lack of memory costs one file."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import pytest

from gpulint.cli import pool, worker
from gpulint.config import Config
from gpulint.report.model import FileReport

if not hasattr(os, "fork"):
    pytest.skip("the fakes reach the workers by fork only", allow_module_level=True)


def fake(path: Path, filename: str, config: Config, explicit: bool, near: tuple[Path, ...]) -> FileReport:
    """A file's name says what becomes of its check."""
    if path.stem.startswith("crash"):
        os.abort()
    if path.stem.startswith("hang"):
        time.sleep(60)
    if path.stem.startswith("memory"):
        raise MemoryError
    return FileReport(filename)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Check files of these names in two workers that are forked from here."""
    import multiprocessing

    monkeypatch.setattr("gpulint.pipeline.check_file", fake)
    monkeypatch.setattr(pool.multiprocessing, "get_context", lambda: multiprocessing.context.ForkContext())

    def check(*names: str, seconds: float = 20.0, jobs: int = 2) -> list[FileReport]:
        paths = [tmp_path / f"{name}.py" for name in names]
        for p in paths:
            p.write_text("from numba import cuda\n")
        return pool.check_paths(paths, frozenset(), Config(seconds=seconds, memory=1 << 40), jobs, False)

    return check


def told(reports: list[FileReport]) -> dict[str, str]:
    return {
        Path(r.filename).stem: " ".join(f"{f.code} {f.severity}: {f.message}" for f in r.findings)
        for r in reports
    }


def test_reports_come_in_the_order_of_the_files(run):
    names = [f"ok{n}" for n in range(12)]
    assert list(told(run(*names))) == names


def test_a_crash_costs_one_file(run):
    found = told(run("ok1", "crash1", "ok2", "crash2", "ok3"))
    assert [n for n, text in found.items() if text] == ["crash1", "crash2"]
    assert "GL003 warning" in found["crash1"]
    assert "ended without an answer (exit code -6)" in found["crash1"]


def test_a_hang_costs_one_file(run):
    start = time.monotonic()
    found = told(run("ok1", "hang", "ok2", seconds=0.5))
    assert time.monotonic() - start < 15
    assert [n for n, text in found.items() if text] == ["hang"]
    assert "it took more than 0.5 s" in found["hang"]


def test_a_lack_of_memory_costs_one_file(run):
    found = told(run("ok1", "memory", "ok2"))
    assert [n for n, text in found.items() if text] == ["memory"]
    assert "more memory" in found["memory"]


def test_one_job_uses_no_worker_and_still_ends(run, monkeypatch):
    monkeypatch.setattr(pool, "_Pool", None)
    found = told(run("ok1", "hang", "memory", seconds=0.3, jobs=1))
    assert [n for n, text in found.items() if text] == ["hang", "memory"]


def test_a_few_small_files_use_no_worker(run, monkeypatch):
    monkeypatch.setattr(pool, "_Pool", None)
    assert len(run("a", "b", jobs=0)) == 2


def test_files_without_a_kernel_reach_no_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "_Pool", None)
    monkeypatch.setattr(worker, "check_file", None, raising=False)
    paths = [tmp_path / f"{n}.py" for n in range(9)]
    for p in paths:
        p.write_text("x = 1\n")
    assert [r.kernels for r in pool.check_paths(paths, frozenset(), Config(), 4, False)] == [()] * 9


def test_only_what_is_loaded_before_the_first_file_is_left_out_of_collections() -> None:
    worker.prepare()
    kept = gc.get_freeze_count()
    assert kept
    cycles = [[] for _ in range(1000)]
    for c in cycles:
        c.append(c)
    worker.prepare()
    assert gc.get_freeze_count() == kept  # what one file leaves behind is collected during the next
