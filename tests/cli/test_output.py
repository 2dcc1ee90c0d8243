"""Streams: colours, progress, broken pipes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpulint.cli import terminal


class Stream(io.StringIO):
    def __init__(self, tty: bool) -> None:
        super().__init__()
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.mark.parametrize(
    ("tty", "env", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours(monkeypatch, tty, env, expected):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert terminal.color(Stream(tty)) is expected


def test_progress_shows_only_long_work(monkeypatch, capsys):
    bar = terminal.Progress(2, True)
    bar.step()
    assert capsys.readouterr().err == ""
    bar.start -= 5
    bar.step()
    assert "2/2 files" in capsys.readouterr().err
    bar.close()
    assert capsys.readouterr().err.endswith("\x1b[K")


def test_progress_is_silent_off_a_terminal(capsys):
    bar = terminal.Progress(2, False)
    bar.start -= 5
    bar.step()
    bar.close()
    assert capsys.readouterr().err == ""


def test_text_that_the_stream_cannot_show():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    terminal.write(stream, "日 ok\n")
    stream.flush()
    assert raw.getvalue() == b"? ok\n"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_reader_that_leaves_early_causes_no_noise():
    root = Path(__file__).resolve().parents[2]
    read, write = os.pipe()
    os.close(read)
    env = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(
        [sys.executable, "-m", "gpulint", "rule", "--all"], stdout=write, stderr=subprocess.PIPE, env=env
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_interrupt(shell, monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gpulint.cli.main._run", stop)
    ran = shell("check")
    assert (ran.code, ran.err) == (130, "gpulint: interrupted\n")


def test_a_defect_is_one_line(shell, monkeypatch):
    monkeypatch.delenv("GPULINT_TRACEBACK", raising=False)

    def fail(*_: object) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr("gpulint.cli.main._run", fail)
    ran = shell("check")
    assert (ran.code, ran.err) == (2, "gpulint: internal error: RuntimeError: oh\n")


def test_output_file(shell):
    shell.write("a.py", "x = 1\n")
    assert shell("check", "--output-file", "r.json", "--output-format", "json", "a.py").out == ""
    assert (shell.folder / "r.json").read_text().startswith("{")
    ran = shell("check", "--output-file", "no/such/r.json", "a.py")
    assert ran.code == 2
    assert "cannot write" in ran.err
