"""Every right example of the SIMT dialect compiles, from the types that its own launches give."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpulint._compiling import prove
from gpulint.compile.artifact import make
from gpulint.compile.libdevice import find
from gpulint.compile.ptx import barriers

pytest.importorskip("llvmlite")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RIGHT = [p for room in ("numba", "simt") for p in sorted((EXAMPLES / room / "right").glob("*.py"))]
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")


def test_there_are_enough() -> None:
    assert len(RIGHT) >= 60


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: f"{p.parents[1].name}-{p.stem}")
def test_example_compiles(path: Path) -> None:
    proved = prove(path, "")
    needs_library = "@__nv_" in make(proved, ptx=False).llvm
    if needs_library and find() is None:
        pytest.skip("the kernel calls math functions, and there is no libdevice here")
    for arch in ARCHITECTURES:
        made = make(proved, arch)
        assert f".target {arch}" in made.ptx
        assert f".visible .entry {made.name}(" in made.ptx
        assert barriers(made.ptx)[1] == 0
