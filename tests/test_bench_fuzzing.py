"""The long fuzzing run: slices cover a range once, a stopped run goes on, and the figures add up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fuzzing import SLICE, Slice, known, main, run, slices, summary


def test_slices_cover_the_range_and_share_their_cuts() -> None:
    made = list(slices(10, 100, 4, "plain"))
    assert [n for s in made for n in range(s.first, s.first + s.count)] == list(range(10, 110))
    assert all(s.first % SLICE == 0 for s in made[1:])


def test_a_run_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    done = Slice(0, 2, 3, "plain", 1.0, {"plain": 2}, {"in-range proved": 5}, {"verified": 2})
    log.write_text(json.dumps(done.__dict__) + "\n" + '{"first": 9, "cou', encoding="utf-8")
    assert list(run([Slice(0, 2, 3, "plain")], log, 1)) == [done]
    assert list(known(log)) == [done.key]


def test_a_few_programs_are_run_and_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    assert main(["--first", "900", "--count", "3", "--launches", "3", "--log", str(log)]) == 0
    assert "3 programs, 0 contradictions" in capsys.readouterr().out
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["programs"] == {"plain": 1, "barriers": 1, "sites": 1}


def test_the_summary_adds_up() -> None:
    a = Slice(0, 2, 3, "plain", 1.0, {"plain": 2}, {"disjoint proved": 1}, {"verified": 2}, ["seed 1"])
    b = Slice(2, 1, 3, "plain", 2.0, {"plain": 1}, {"disjoint proved": 4}, {"refuted": 1})
    assert summary([a, b]).splitlines()[0] == "3 programs, 1 contradictions, 3 s"
    assert "disjoint proved 5" in summary([a, b])
