"""Command lines run in this process, in a folder of their own."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpulint.cli.main import main

SCALE = """\
from numba import cuda


@cuda.jit
def scale(x, out, a):
    i = cuda.grid(1)
    out[i] = a * x[i]
"""


@dataclass
class Ran:
    code: int
    out: str
    err: str


class Shell:
    """A folder and a `gpulint` command in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write(self, name: str, text: str | bytes = SCALE) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def __call__(self, *args: str) -> Ran:
        self.capsys.readouterr()
        code = main(args)
        seen = self.capsys.readouterr()
        return Ran(code, seen.out, seen.err)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch):
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.fixture
def scale() -> str:
    return SCALE
