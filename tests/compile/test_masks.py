"""Masks that are left out: never one that some launch within the clauses makes false."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

import pytest

from gpulint._compiling import find, prove_tile
from gpulint.compile.tile.masks import Masks, masks
from gpulint.compile.tile.proved import Tiled, Wanted
from gpulint.interp.environment import Environment
from gpulint.term import Unbound, holds

KERNEL = """
import gpulint
import triton
import triton.language as tl


@gpulint.contract(requires=["n >= 1", "m >= 1"])
@triton.jit
def k(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    for start in range(0, m, BLOCK):
        x = tl.load(x_ptr + (START), mask=MASK, other=0.0)
        tl.store(out_ptr + pid * m + start + lane, x, mask=start + lane < m)
"""
B, LOAD = 4, 13  # the row of the load
POINTS = ["pid * BLOCK + lane", "lane", "start + lane", "(pid * 2 + 1) * BLOCK + lane", "start // 2 + lane"]
LIMITS = ["n", "n - 1", "n + 1", "m", "n // 2", "2 * n"]


def decided(folder: Path, text: str) -> tuple[Tiled, Masks]:
    (folder / "k.py").write_text(textwrap.dedent(text))
    p = prove_tile(find(folder / "k.py", "k"), Wanted("*fp32, *fp32, i32, i32", {"BLOCK": B}))
    return p, masks(p)


def meets(p: Tiled, m: Masks, env: dict[str, int], mask: bool) -> bool:
    """Whether a launch is within the contract and, for the version without a mask, its clauses."""
    try:
        clauses = [c for c in p.clauses if not c.predicate] + (list(m.clauses) if mask else [])
        return all(holds(c.condition, Environment(env)) for c in clauses)
    except Unbound:
        return False


@pytest.mark.parametrize(("point", "limit"), list(itertools.product(POINTS, LIMITS)))
def test_no_launch_that_needs_a_mask_goes_without(tmp_path: Path, point: str, limit: str) -> None:
    p, found = decided(tmp_path, KERNEL.replace("START", point).replace("MASK", f"{point} < {limit}"))
    if p.result.status != "verified":
        return
    row = next(
        k for k, line in enumerate((tmp_path / "k.py").read_text().splitlines(), 1) if "tl.load" in line
    )
    always = any(where[1] == row for where, _ in found.always)
    if not always and not any(where[1] == row for where, _ in found.more):
        return
    for n, m, grid in itertools.product(range(1, 14), range(1, 10), range(1, 4)):
        sizes = {"x_ptr.size": 1000, "out_ptr.size": 1000, "grid.y": 1, "grid.z": 1}
        env = sizes | {"n": n, "m": m, "grid.x": grid}
        if meets(p, found, env, not always):
            for pid, start, lane in itertools.product(range(grid), range(0, m, B), range(B)):
                names = {"pid": pid, "start": start, "lane": lane, "BLOCK": B, "n": n, "m": m}
                assert eval(f"{point} < {limit}", names), (env, [str(c) for c in found.clauses])


def test_whole_tiles_need_no_mask(tmp_path: Path) -> None:
    _, found = decided(
        tmp_path, KERNEL.replace("START", "pid * BLOCK + lane").replace("MASK", "pid * BLOCK + lane < n")
    )
    assert sorted(map(str, found.clauses)) == ["4 * grid.x <= n", "m % 4 == 0"]
    assert {row for (_, row, _), _ in found.more} == {13, 14} and not found.always
    assert any("m % 4 == 0" in note.because for note in found.under)


def test_a_mask_that_never_fires_is_left_out_of_every_version(tmp_path: Path) -> None:
    text = KERNEL.replace("START", "lane").replace("MASK", "lane < BLOCK")
    assert {row for (_, row, _), _ in decided(tmp_path, text)[1].always} == {13}


def test_a_function_keeps_its_mask_when_one_call_needs_it(tmp_path: Path) -> None:
    text = """
    import triton
    import triton.language as tl


    @triton.jit
    def get(p, at, n):
        return tl.load(p + at, mask=at < n, other=0.0)


    @triton.jit
    def k(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, get(x_ptr, tl.arange(0, BLOCK), BLOCK)OTHER)
    """
    assert decided(tmp_path, text.replace("OTHER", ""))[1].always
    assert not decided(
        tmp_path, text.replace("OTHER", " + get(x_ptr, at % BLOCK, tl.load(x_ptr).to(tl.int32))")
    )[1].always


@pytest.mark.parametrize(
    "mask", ["x_ptr != 0", "tl.load(x_ptr + lane) > 0.0", "(lane < n) | (lane < m)", "lane != n"]
)
def test_a_mask_that_is_not_understood_stays(tmp_path: Path, mask: str) -> None:
    _, found = decided(tmp_path, KERNEL.replace("START", "lane").replace("MASK", mask))
    assert not [row for (_, row, _), _ in (*found.always, *found.more) if row == 13]
