"""What `gpulint compile` cannot do: said, with what to do about it, and with nothing written."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from gpulint.cli.main import main
from gpulint.compile import backend
from gpulint.compile.tile import backend as tile_backend

GOOD = """
from numba import cuda


@cuda.jit("void(float32[::1], float32[::1])")
def copy(x, out):
    i = cuda.grid(1)
    if i < x.size and i < out.size:
        out[i] = x[i]
"""
TILE = """
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)
"""
WRONG = GOOD.replace("i < x.size and i < out.size", "i <= x.size")
UNDECIDED = GOOD.replace("out[i] = x[i]", "out[int(x[i]) % 7] = x[i]")
UNTYPED = GOOD.replace('"void(float32[::1], float32[::1])"', "")
TYPES = ["--signature", "*fp32, *fp32, i32", "--constexpr", "BLOCK=16"]
CASES: list[tuple[str, str, list[str], tuple[str, ...]]] = [
    ("unknown kernel", GOOD, ["::other"], ("no kernel `other`", "it has copy")),
    ("misspelt kernel", GOOD, ["::copi"], ("no kernel `copi`", "copy")),
    ("no kernel", "x = 1\n", [], ("holds no kernel", "gpulint list")),
    ("no Python", "def (", [], ("k.py:1:",)),
    ("refuted", WRONG, [], ("in-range is refuted", "gpulint check")),
    ("undecided", UNDECIDED, [], ("disjoint is", "only verified kernels are compiled")),
    ("no types", UNTYPED, [], ("nothing gives", "--signature")),
    ("other type", GOOD, ["--signature", "quaternion[::1], float32[::1]"], ("`quaternion`", "float16")),
    ("fewer types", GOOD, ["--signature", "float32[::1]"], ("1 types for the parameters x, out", "--sig")),
    ("architecture", GOOD, ["--arch", "sm_42"], ("unknown architecture `sm_42`", "sm_90")),
    ("one of two", GOOD, ["--arch", "sm_90,sm_42"], ("unknown architecture `sm_42`", "sm_90")),
    ("no architecture", GOOD, ["--arch", ","], ("no architecture is named", "--arch sm_90")),
    ("tile types", TILE, ["--signature", "*fp7, *fp32, i32", *TYPES[2:]], ("`*fp7`", "--signature")),
    ("tile constant", TILE, TYPES[:2], ("value of `BLOCK`", "--constexpr")),
    ("tile option", GOOD, ["--num-warps", "4"], ("--num-warps is for Triton kernels",)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def refused(folder: Path, text: str, more: list[str], capsys: Any, out: str = "k.ptx") -> str:
    """What is said; nothing must have been written."""
    source = folder / "k.py"
    source.write_text(text)
    before = sorted(folder.rglob("*"))
    name = more[0] if more and more[0].startswith("::") else ""
    options = more[1:] if name else more
    assert main(["compile", f"{source}{name}", "-o", str(folder / out), *options]) == 2
    assert sorted(folder.rglob("*")) == before
    said = capsys.readouterr()
    assert said.out == "" and "Traceback" not in said.err
    return said.err


@pytest.mark.parametrize(("text", "more", "said"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_bad_input_is_said_and_nothing_is_written(
    text: str, more: list[str], said: tuple[str, ...], tmp_path: Path, capsys: Any
) -> None:
    error = refused(tmp_path, text, more, capsys)
    assert all(part in error for part in said), error


def test_a_missing_backend_is_said(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, *rest: Any) -> Any:
        raise ImportError(name)

    backend.llvm.cache_clear()
    monkeypatch.setattr("gpulint.compile.backend.importlib.import_module", missing)
    try:
        assert "pip install 'gpulint[compile]'" in refused(tmp_path, GOOD, [], capsys)
    finally:
        backend.llvm.cache_clear()


def test_a_missing_triton_is_said(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_backend, "find_spec", lambda name: None)
    assert "pip install 'gpulint[triton]'" in refused(tmp_path, TILE, TYPES, capsys)


@pytest.mark.parametrize("out", ["missing/k.ptx", "there"])
def test_an_output_that_cannot_be_written_is_said(out: str, tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("llvmlite")
    (tmp_path / "there").mkdir()
    error = refused(tmp_path, GOOD, [], capsys, out)
    assert f"cannot write {tmp_path / out}" in error and "name a file with -o" in error


def test_a_certificate_that_cannot_be_written_leaves_no_code(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("llvmlite")
    (tmp_path / "k.certificate.json").mkdir()
    assert f"cannot write {tmp_path / 'k.certificate.json'}" in refused(tmp_path, GOOD, [], capsys)


def test_a_disk_that_is_full_leaves_nothing(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llvmlite")
    whole = builtins.open

    def full(handle: int, mode: str) -> Any:
        out = whole(handle, mode)
        out.close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gpulint.compile.files.os.fdopen", full)
    assert "No space left on device" in refused(tmp_path, GOOD, [], capsys)
