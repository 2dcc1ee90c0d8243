"""The command `gpulint compile`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpulint.cli.main import main

pytest.importorskip("llvmlite")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "numba"


def test_ptx_and_certificate_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = EXAMPLES / "right" / "vector_add.py", tmp_path / "k.ptx"
    assert main(["compile", str(source), "-o", str(out), "--explain-opt"]) == 0
    assert ".visible .entry vector_add(" in out.read_text()
    found = json.loads((tmp_path / "k.certificate.json").read_text())
    assert found["kernel"]["signature"] == "void(float32[::1], float32[::1], float32[::1])"
    assert {"clause": "out.size <= x.size", "origin": "inferred"} in found["contract"]
    assert {o["verdict"] for o in found["obligations"]} == {"proved", "proved-under"}
    assert "no wrap-around of out[i]" in capsys.readouterr().err


def test_a_wrong_kernel_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = EXAMPLES / "wrong" / "vector_add_unguarded_tail.py"
    assert main(["compile", str(source), "-o", str(tmp_path / "k.ptx")]) == 2
    assert "in-range is refuted" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("emit", ["llvm", "ir"])
def test_earlier_stages_are_printed(emit: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"{EXAMPLES / 'right' / 'vector_add.py'}::vector_add"
    assert main(["compile", target, "--emit", emit]) == 0
    wanted = "define ptx_kernel void" if emit == "llvm" else "kernel vector_add("
    assert wanted in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "said"), [("none.py", "none.py"), ("::other", "no kernel `other`"), ("::", "")]
)
def test_bad_targets_are_said(target: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(EXAMPLES / "right" / "vector_add.py") + target if target.startswith("::") else target
    assert main(["compile", name, "--arch", "sm_1"]) == 2
    assert said in capsys.readouterr().err


def certified(tmp_path: Path) -> tuple[Path, Path]:
    """A copy of an example, compiled: its source and its certificate."""
    source = tmp_path / "vector_add.py"
    source.write_text((EXAMPLES / "right" / "vector_add.py").read_text())
    assert main(["compile", str(source), "-o", str(tmp_path / "k.ptx")]) == 0
    return source, tmp_path / "k.certificate.json"


def test_a_certificate_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, path = certified(tmp_path)
    assert main(["verify-certificate", str(path)]) == 0
    assert "proved anew" in capsys.readouterr().out


def test_other_code_and_another_kernel_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, path = certified(tmp_path)
    ptx = (tmp_path / "k.ptx").read_text()
    (tmp_path / "k.ptx").write_text(ptx.replace("add.f32", "sub.f32"))
    assert main(["verify-certificate", str(path)]) == 1
    assert "not the one that was certified" in capsys.readouterr().out
    source.write_text(source.read_text().replace("x[i] + y[i]", "x[i] - y[i]"))
    assert main(["verify-certificate", str(path)]) == 1
    assert "lowers to another kernel" in capsys.readouterr().out
    source.write_text(source.read_text().replace("if i < out.size", "if i <= out.size"))
    assert main(["verify-certificate", str(path)]) == 1
    assert "not verified now" in capsys.readouterr().out


def test_a_weakened_contract_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, path = certified(tmp_path)
    body = json.loads(path.read_text())
    body["contract"] = body["contract"][1:]
    path.write_text(json.dumps(body))
    assert main(["verify-certificate", str(path)]) == 1
    assert "contract" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 1}', '{"version": 9}'])
def test_what_is_no_certificate_is_said(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.certificate.json").write_text(text)
    (tmp_path / "k.ptx").write_text("")
    assert main(["verify-certificate", str(tmp_path / "k.certificate.json")]) == 2
    assert "k.certificate.json" in capsys.readouterr().err


def test_machine_code_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(EXAMPLES / "right" / "vector_add.py"), "--emit", "cubin"]) == 2
    assert "written to a file" in capsys.readouterr().err
