"""The command `gpulint run`."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtime.fake import FakeDriver

from gpulint.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "simt"


def test_a_right_kernel_runs_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(EXAMPLES / "right" / "permute.py"), "--cpu", "--launches", "4", "-v"]) == 0
    said = capsys.readouterr().out
    assert "permute: 4 launches, 0 wrong in the interpreter" in said
    assert said.count("grid") == 4


def test_a_wrong_kernel_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = str(EXAMPLES / "wrong" / "block_scan_one_barrier.py")
    assert main(["run", wrong, "--cpu", "--launches", "2"]) == 1
    assert "race of held[" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "said"), [("none.py", "none.py"), (f"{EXAMPLES / 'right' / 'permute.py'}::other", "no kernel")]
)
def test_bad_targets_are_said(target: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", target]) == 2
    assert said in capsys.readouterr().err


def test_a_contract_that_nothing_small_meets_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        "from numba import cuda\n# gpulint: requires x.size >= 1000000\n@cuda.jit('void(float32[::1])')\n"
        "def k(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = 1\n"
    )
    assert main(["run", str(path), "--cpu"]) == 2
    assert "no small launch" in capsys.readouterr().err


def test_a_gpu_is_taken_where_there_is_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llvmlite")
    found = FakeDriver()  # takes every launch and computes nothing
    monkeypatch.setattr("gpulint.runtime.driver.driver", lambda: found)
    assert main(["run", str(EXAMPLES / "right" / "permute.py"), "--launches", "3"]) == 1
    said = capsys.readouterr().out
    assert "permute: 3 launches, 0 wrong in the interpreter" in said
    assert "permute: 3 launches, 3 wrong on the GPU (sm_90)" in said
    assert len(found.launches) == 3


ADD = """
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + x, at < n)
"""
TILE = ["--signature", "*fp32, *fp32, i32", "--constexpr", "BLOCK=16"]


def tile(folder: Path, text: str = ADD) -> str:
    path = folder / "k.py"
    path.write_text(text)
    return str(path)


def test_a_triton_kernel_runs_in_the_interpreter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", tile(tmp_path), *TILE, "--cpu", "--launches", "5", "-v"]) == 0
    said = capsys.readouterr().out
    assert "add: 5 launches, 0 wrong in the interpreter" in said
    known = [line for line in said.splitlines() if line.endswith("elements of out_ptr known")]
    counts = known[0].split()
    assert counts[0] == counts[2] != "0"
    assert "not run on a GPU: --cpu" in said


def test_a_wrong_triton_kernel_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tile(tmp_path, ADD.replace("x + x, at < n", "x + x, at <= n"))
    assert main(["run", wrong, *TILE, "--cpu"]) == 1
    assert "undefined-lane" in capsys.readouterr().out


def test_what_the_interpreter_cannot_follow_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, _ = ADD.replace("at < n)", "at < n, other=0.0)", 1).split("    tl.store")
    text = f"{head}    if tl.sum(x) > 0.0:\n        tl.store(out_ptr, 1.0)\n"
    assert main(["run", tile(tmp_path, text), *TILE, "--cpu"]) == 0
    said = capsys.readouterr().out
    assert "not followed to the end (line 10: the condition is not known)" in said
    assert "  0 of " in said


def test_a_kernel_that_is_not_verified_is_said_to_be_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    racy = tile(tmp_path, ADD.replace("tl.store(out_ptr + at, x + x, at < n)", "tl.store(out_ptr, n)"))
    main(["run", racy, *TILE, "--cpu"])
    assert "  not verified (" in capsys.readouterr().out


def test_options_of_the_other_dialect_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    permute = str(EXAMPLES / "right" / "permute.py")
    assert main(["run", permute, "--constexpr", "A=1"]) == 2
    assert "--constexpr is for Triton kernels" in capsys.readouterr().err
    assert main(["run", tile(tmp_path), *TILE, "--set", "A=1"]) == 2
    assert "--set is for Numba kernels" in capsys.readouterr().err


def test_a_triton_kernel_runs_on_a_gpu_where_there_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("triton")
    found = FakeDriver()
    monkeypatch.setattr("gpulint.runtime.driver.driver", lambda: found)
    main(["run", tile(tmp_path), *TILE, "--launches", "3"])
    said = capsys.readouterr().out
    assert "wrong on the GPU (sm_90)" in said and "refused" not in said
    assert len(found.launches) == 3
