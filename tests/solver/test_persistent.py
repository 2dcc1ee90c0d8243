"""Persistent tiles in strips: apart for any number of programs, and not when tiles repeat."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gpulint._compiling import find, prove_tile
from gpulint.compile.tile.proved import Tiled, Wanted
from gpulint.interp.environment import Environment
from gpulint.term import Unbound, holds

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def k(c_ptr, M, N):
    tiles_n = tl.cdiv(N, 32)
    strips = tl.cdiv(M, 16 * 4) * tiles_n
    for tile in range(tl.program_id(0), strips * 4, tl.num_programs(0)):
        strip = tile // 4
        row = (strip // tiles_n * 4 + tile % 4) * 16 + tl.arange(0, 16)
        col = strip % tiles_n * 32 + tl.arange(0, 32)
        mask = (row < M)[:, None] & (col < N)[None, :]
        tl.store(c_ptr + row[:, None] * N + col[None, :], row[:, None] + 0.5, mask=mask)
"""


def decided(folder: Path, text: str) -> Tiled:
    (folder / "k.py").write_text(textwrap.dedent(text))
    return prove_tile(find(folder / "k.py", "k"), Wanted("*fp32, i32, i32"))


SIZES = {"M": 128, "N": 64, "c_ptr.size": 128 * 64, "grid.x": 3, "grid.y": 1, "grid.z": 1}


def allows(found: Tiled) -> bool:
    """Whether the kernel is verified for three programs and more tiles than that."""
    try:
        return found.result.status == "verified" and all(
            holds(c.condition, Environment(SIZES)) for c in found.clauses
        )
    except Unbound:
        return False


def test_any_number_of_programs_may_share_the_tiles(tmp_path: Path) -> None:
    found = decided(tmp_path, KERNEL)
    assert allows(found)
    assert not [str(c) for c in found.clauses if "grid.x" in str(c)]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("tile % 4)", "tile % 3)"),
        ("strip // tiles_n * 4", "strip // tiles_n * 3"),
        ("strip % tiles_n * 32", "strip % tiles_n * 31"),
        ("strip = tile // 4", "strip = tile // 8"),
        ("range(tl.program_id(0),", "range(tl.program_id(0) // 2,"),
    ],
)
def test_tiles_that_repeat_are_not_apart(tmp_path: Path, right: str, wrong: str) -> None:
    assert right in KERNEL
    assert not allows(decided(tmp_path, KERNEL.replace(right, wrong)))
