"""The long fuzzing run: every seed is told of, a stopped run goes on, and the figures add up."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path

import fuzzing
import pytest
from fuzzing import Program, known, main, run, summary


def test_a_run_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    done = Program("plain", 900, 3, "verified", {"disjoint proved": 2})
    failed = Program("plain", 901, 3, failure="not done")
    lines = [json.dumps(asdict(p)) for p in (done, failed)]
    log.write_text("\n".join([*lines, '{"mode": "pl']) + "\n", encoding="utf-8")
    assert list(known(log)) == [done.key]
    assert main(["--start", "900", "--count", "2", "--launches", "3", "--log", str(log)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["programs"], said["failures"], said["contradictions"]) == (2, 0, 0)
    assert said["verdicts"]["disjoint"]["proved"] >= 2
    assert len(known(log)) == 2


def test_the_summary_adds_up() -> None:
    a = Program("plain", 1, 3, "verified", {"disjoint proved": 1, "no-wrap proved": 1}, seconds=1.0)
    b = Program("plain", 2, 3, "refuted", {"disjoint refuted": 4}, ["seed 2"], seconds=2.0)
    c = Program("plain", 3, 3, failure="died")
    said = summary([a, b, c])
    assert (said["programs"], said["contradictions"], said["failures"]) == (3, 1, 1)
    assert said["verdicts"]["disjoint"] == {"refuted": 4, "proved": 1}
    assert (said["wrong_seeds"], said["failed_seeds"]) == ([2], [3])
    assert said["shares"] == {"verified": 0.333, "refuted": 0.333}


def broken_work(pipe: Connection) -> None:
    """A worker that dies of one seed, hangs at another, and answers the others."""
    while (p := pipe.recv()) is not None:
        if p.seed == 1:
            os._exit(3)
        if p.seed == 2:
            time.sleep(60)
        p.status, p.seconds = "verified", 0.1
        pipe.send(p)


def test_no_seed_is_lost_when_workers_die_or_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "work", broken_work)
    found = {p.seed: p for p in run([Program("plain", seed, 1) for seed in range(5)], 2, 3.0)}
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert "exit code 3" in found[1].failure and "not done within" in found[2].failure
    assert [s for s, p in found.items() if p.failure] in ([1, 2], [2, 1])


def test_an_error_is_a_failure_of_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    from fuzz import hold

    def fails(seed: int, count: int) -> hold.Examined:
        raise ArithmeticError("no answer")

    monkeypatch.setitem(hold.MODES, "plain", fails)
    assert "ArithmeticError: no answer" in fuzzing.examine(Program("plain", 4, 1)).failure
