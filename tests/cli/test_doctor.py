"""The command `gpulint doctor`."""

from __future__ import annotations

import json

import pytest

from gpulint.cli.main import main
from gpulint.compile import libdevice, ptxas
from gpulint.runtime import survey
from gpulint.runtime.driver import DriverError


def test_everything_is_named_with_where_it_is_or_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*given: object) -> None:
        raise DriverError("no CUDA driver")

    monkeypatch.setattr(survey, "Driver", missing)
    monkeypatch.setattr(ptxas, "find", lambda: None)
    monkeypatch.setattr(libdevice, "find", lambda: None)
    monkeypatch.setattr(survey.shutil, "which", lambda name: f"/opt/{name}")
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for name in ("driver", "ptxas", "libdevice"):
        assert f"missing {name} " in said
    assert "install NVIDIA's driver" in said and "no CUDA driver" in said
    assert "ok      compute-sanitizer" in said and "/opt/compute-sanitizer" in said
    assert all(name in said for name in ("z3-solver", "llvmlite", "triton", "cuda-tile", "numba-cuda"))


def test_devices_are_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Two:
        def __init__(self, device: int = 0) -> None:
            self.number = device

        def version(self) -> str:
            return "13.0"

        def count(self) -> int:
            return 2

        def name(self) -> str:
            return f"GPU {self.number}"

        def capability(self) -> str:
            return "sm_90"

    monkeypatch.setattr(survey, "Driver", Two)
    assert main(["doctor", "--output-format", "json"]) == 0
    found = {i["name"]: i["detail"] for i in json.loads(capsys.readouterr().out)}
    assert found["driver"] == "CUDA 13.0"
    assert (found["device 0"], found["device 1"]) == ("GPU 0, sm_90", "GPU 1, sm_90")


def test_without_the_solver_nothing_can_be_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(name: str) -> str:
        raise survey.PackageNotFoundError(name)

    monkeypatch.setattr(survey, "version", version)
    assert main(["doctor"]) == 1
    assert "missing z3-solver" in capsys.readouterr().out
