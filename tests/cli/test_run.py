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
