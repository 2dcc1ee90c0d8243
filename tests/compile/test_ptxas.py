"""What ptxas reports, and machine code where it is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from compile.compiled import compiled

from gpulint.compile import ptxas
from gpulint.compile.error import CompileError, MissingTool

REPORT = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 18 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compiling entry function 'k__x4' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers
"""


def test_the_report_is_read() -> None:
    assert ptxas.read(REPORT) == (ptxas.Resources("k", 18, 8, 16, 256), ptxas.Resources("k__x4", 20, 0, 0, 0))


def test_a_missing_assembler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "find", lambda: None)
    with pytest.raises(MissingTool, match="ptxas is not on this machine"):
        ptxas.assemble("", "sm_90")


@pytest.mark.skipif(ptxas.find() is None, reason="no ptxas")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_the_code_assembles(tmp_path: Path, arch: str) -> None:
    pytest.importorskip("llvmlite")
    text = "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = i\n"
    code, used = ptxas.assemble(compiled(tmp_path, text, "float32[::1]", arch=arch).ptx, arch)
    assert code.startswith(b"\x7fELF")
    assert {u.entry for u in used} == {"k", "k__x4"}
    assert all(u.spilled == 0 for u in used)


@pytest.mark.skipif(ptxas.find() is None, reason="no ptxas")
def test_what_the_assembler_refuses_is_said() -> None:
    with pytest.raises(CompileError, match="ptxas refused"):
        ptxas.assemble(".version 7.8\n.target sm_90\nnonsense", "sm_90")
