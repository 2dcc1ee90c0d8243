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


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


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


def test_several_architectures_get_files_of_their_own(tmp_path: Path) -> None:
    source, out = str(EXAMPLES / "right" / "vector_add.py"), str(tmp_path / "k.ptx")
    assert main(["compile", source, "--arch", "sm_80,sm_100", "-o", out]) == 0
    names = {p.name for p in tmp_path.iterdir()}
    assert names == {f"k.{a}.{x}" for a in ("sm_80", "sm_100") for x in ("ptx", "certificate.json")}
    for arch in ("sm_80", "sm_100"):
        assert f".target {arch}" in (tmp_path / f"k.{arch}.ptx").read_text()
        assert main(["verify-certificate", str(tmp_path / f"k.{arch}.certificate.json")]) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--arch", "sm_80,sm_1", "-o"], "unknown architecture `sm_1`"),
        (["--arch", ",", "-o"], "no architecture"),
        (["--arch", "sm_80,sm_90"], "several architectures is written to a file"),
    ],
)
def test_nothing_is_written_when_one_architecture_is_wrong(
    tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*options, str(tmp_path / "k.ptx")] if options[-1] == "-o" else options
    assert main(["compile", str(EXAMPLES / "right" / "vector_add.py"), *given]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_was_made_is_used_again_until_something_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sizes.py").write_text("MOST = 7\n")
    source = tmp_path / "k.py"
    source.write_text(
        "from numba import cuda\nfrom sizes import MOST\n\n\n@cuda.jit('void(int32[::1])')\n"
        "def k(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = MOST\n"
    )
    command = ["compile", str(source), "--explain-opt"]
    assert main(command) == 0
    first = capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr("gpulint._compiling.prove_found", lambda *_: 1 / 0)
        assert main(command) == 0
        assert capsys.readouterr() == first
        assert main([*command, "--no-cache"]) == 2
        assert main([*command, "--arch", "sm_80"]) == 2
    capsys.readouterr()
    (tmp_path / "sizes.py").write_text("MOST = 8\n")
    assert main(command) == 0
    assert ", 8;" in capsys.readouterr().out


def test_a_damaged_entry_is_made_anew(apart: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compile", str(EXAMPLES / "right" / "vector_add.py")]
    assert main(command) == 0
    first = capsys.readouterr().out
    (entry,) = apart.rglob("artifact-*.json")
    entry.write_text(entry.read_text().replace("A", "B"))
    assert main(command) == 0
    assert capsys.readouterr().out == first
