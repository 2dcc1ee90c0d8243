"""The random programs and launches themselves: well formed, repeatable, varied, quick to shrink."""

from __future__ import annotations

import ast

import pytest
from fuzz import warps
from fuzz.drawn import programs
from fuzz.generate import Program, seeded
from fuzz.launches import Contents, launches
from hypothesis import given, settings

SAMPLE = [seeded(seed) for seed in range(400)]


@given(programs())
@settings(max_examples=60)
def test_programs_are_python_with_one_kernel(program: Program) -> None:
    tree = ast.parse(program.text)
    kernels = [f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == "k"]
    assert [a.arg for a in kernels[0].args.args] == [a.name for a in program.arrays] + list(program.scalars)


def test_a_seed_gives_the_same_program_again() -> None:
    assert seeded(7) == seeded(7) and seeded(7) != seeded(8)


@pytest.mark.parametrize(
    "construct",
    [
        "cuda.grid(1)", "cuda.grid(2)", "threadIdx.x", "blockDim", "return", "break", "continue",
        "for ", "cuda.gridsize(1)", "while ", "//= 2", "idx[", "cuda.atomic.add", "cuda.atomic.max",
        " += ", " // ", " % ", " else ", "min(", "put(", "clamp(", "shift(", "[1:", "::2", ", :]",
        "cuda.syncthreads()", "cuda.shared.array", ".shape[1]", "len(", "-1, -1", " <= ", "@cuda.jit(\"",
    ],
)  # fmt: skip
def test_every_construct_occurs(construct: str) -> None:
    assert sum(construct in p.text for p in SAMPLE) >= 2


WARPS = [warps.seeded(seed) for seed in range(200)]


@pytest.mark.parametrize(
    "construct",
    [
        "shfl_sync(", "shfl_up_sync(", "shfl_down_sync(", "shfl_xor_sync(", "all_sync(", "any_sync(",
        "eq_sync(", "ballot_sync(", "match_any_sync(", "syncwarp()", "syncwarp(0x5", "syncthreads_count",
        "syncthreads_or", "syncthreads_and", "cuda.atomic.add(s", "popc(", "uint32(", "ffs(", "laneid",
        "else:", "return",
    ],
)  # fmt: skip
def test_every_construct_of_warps_occurs(construct: str) -> None:
    assert sum(construct in p.text for p in WARPS) >= 2


def test_warps_are_launched_in_blocks_that_they_fill_and_do_not() -> None:
    blocks = {launch.block for p in WARPS[:40] for launch in launches(p, 4)}
    assert {(32, 1, 1), (64, 1, 1), (48, 1, 1), (8, 1, 1)} <= blocks


def test_programs_differ() -> None:
    assert len({p.text for p in SAMPLE}) > 390


def test_launches_stay_small_and_repeat() -> None:
    for program in SAMPLE[:50]:
        made = launches(program, 8)
        assert made == launches(program, 8)
        for launch in made:
            assert all(1 <= g <= 3 for g in launch.grid) and all(1 <= b <= 4 for b in launch.block)
            assert all(0 <= e <= 7 for a in launch.arrays.values() for e in a.shape)
            assert all(isinstance(s, int) and -1 <= s <= 8 for s in launch.scalars.values())
            assert [len(launch.arrays[a.name].shape) for a in program.arrays] == [
                a.ndim for a in program.arrays
            ]


def test_launches_without_empty_arrays() -> None:
    assert all(
        0 not in a.shape
        for p in SAMPLE[:30]
        for la in launches(p, 5, empty=False)
        for a in la.arrays.values()
    )


def test_contents_repeat_in_row_major_order() -> None:
    contents = Contents((2, 3), (10, 11, 12, 13))
    assert [contents((0, 2)), contents((1, 0)), contents((1, 1))] == [12, 13, 10]
