"""Triton kernels through Triton's compiler; skipped where it is not installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpulint.cli.main import main
from gpulint.runtime.errors import PlanUnusable
from gpulint.runtime.plan import load

pytest.importorskip("triton")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "triton" / "right" / "vector_add.py"
TYPES = "*fp32:16, *fp32:16, *fp32:16, i32"


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def compiled(source: Path, out: Path, *more: str) -> int:
    return main(["compile", str(source), "-o", str(out), "--signature", TYPES, *more])


def test_code_and_certificate_are_written_and_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiled(EXAMPLE, tmp_path / "k.cubin", "--emit", "cubin", "--num-warps", "8") == 0
    assert (tmp_path / "k.cubin").read_bytes()[:4] == b"\x7fELF"
    assert ".reqntid 256" in (tmp_path / "k.ptx").read_text()
    body = json.loads((tmp_path / "k.certificate.json").read_text())
    assert body["launch"]["block"] == [256, 1, 1] and body["options"]["constexprs"] == {"BLOCK": 1024}
    assert main(["verify-certificate", str(tmp_path / "k.certificate.json")]) == 0
    assert "obligations proved anew" in capsys.readouterr().out


def test_the_version_without_masks_is_beside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compiled(EXAMPLE, tmp_path / "k.ptx", "--explain-opt") == 0
    assert (
        "17:5 no mask in the version for whole tiles (in-range: it is true where" in capsys.readouterr().err
    )
    general, unmasked = ((tmp_path / name).read_text() for name in ("k.ptx", "k.unmasked.ptx"))
    assert "setp.lt" in general and "setp.lt" not in unmasked
    body = json.loads((tmp_path / "k.certificate.json").read_text())
    assert body["unmasked"]["when"] == ["1024 * grid.x <= n"]
    found = load(tmp_path / "k.ptx")
    assert found.unmasked is not None and found.unmasked.ptx == unmasked
    (tmp_path / "k.unmasked.ptx").write_text(general)
    with pytest.raises(PlanUnusable):
        load(tmp_path / "k.ptx")


def test_a_changed_source_no_longer_fits_its_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "k.py"
    source.write_text(EXAMPLE.read_text())
    assert compiled(source, tmp_path / "k.ptx") == 0
    source.write_text(EXAMPLE.read_text().replace("x + y, mask", "x - y, mask"))
    assert main(["verify-certificate", str(tmp_path / "k.certificate.json")]) == 1
    assert "another kernel" in capsys.readouterr().out


def test_the_users_module_is_not_run(tmp_path: Path) -> None:
    source, seen = tmp_path / "k.py", tmp_path / "seen"
    source.write_text(EXAMPLE.read_text() + f"\nopen({str(seen)!r}, 'w')\n")
    assert compiled(source, tmp_path / "k.ptx") == 0
    assert not seen.exists()


def test_what_the_compiler_refuses_is_said_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "k.py"
    source.write_text(EXAMPLE.read_text().replace("x + y, mask", "x.no_such_method(y), mask"))
    assert compiled(source, tmp_path / "k.ptx") == 2
    assert "Triton does not compile the kernel" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["k.py"]


@pytest.mark.parametrize(("emit", "holds"), [("ttgir", "ttg.num-warps"), ("llvm", "target datalayout")])
def test_other_stages_are_printed(emit: str, holds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(EXAMPLE), "--emit", emit, "--signature", TYPES]) == 0
    assert holds in capsys.readouterr().out


def test_hints_that_nobody_checks_do_not_reach_the_compiler(tmp_path: Path) -> None:
    source, text = tmp_path / "k.py", EXAMPLE.read_text()
    hinted = text.replace("    mask = offsets", "    tl.assume(tl.program_id(0) < 7)\n    mask = offsets")
    hinted = hinted.replace("x_ptr + offsets,", "x_ptr + tl.max_contiguous(tl.multiple_of(offsets, 7), 7),")
    assert hinted.count("tl.assume") == hinted.count("max_contiguous") == 1
    source.write_text(hinted)
    assert compiled(source, tmp_path / "k.ttir", "--emit", "ttir") == 0
    found = (tmp_path / "k.ttir").read_text()
    assert "llvm.intr.assume" not in found
    assert "tt.contiguity" not in found and "tt.divisibility = dense" not in found
