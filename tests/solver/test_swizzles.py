"""Tiles whose rows are swizzled: what is verified never reads an element that nothing wrote."""

from __future__ import annotations

import itertools

import pytest
from kernels import kernel

from gpulint import interp
from gpulint.dataflow import analyse
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.solver.decide import decide
from gpulint.solver.options import Options

FORMS = (
    "x ^ y",
    "(x + y) % {side}",
    "(y - x) % {side}",
    "(2 * x + y) % {side}",
    "(x + y) % 3",
    "x ^ (y + 1)",
)
BLOCKS = ((4, 4), (4, 3), (3, 4), (8, 8))


def tile(side: int, block: tuple[int, int], write: str, read: str) -> str:
    return f"""
# gpulint: requires block == ({block[0]}, {block[1]}, 1)
# gpulint: requires out.shape == (8, 8)
@cuda.jit
def k(out):
    tile = cuda.shared.array(({side}, {side}), numba.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, {write.format(side=side)}] = 1.0
    cuda.syncthreads()
    out[y, x] = tile[x, {read.format(side=side)}]
"""


def status(text: str) -> str:
    k = kernel(text)
    return decide(k, analyse(k), (), Options()).status


def clean(text: str, block: tuple[int, int]) -> bool:
    """Whether one block meets no violation but that of the blocks beyond it, of which there are none."""
    launch = ConcreteLaunch((1, 1, 1), (*block, 1), {"out": ConcreteArray((8, 8))}, {})
    outcome = interp.run(kernel(text), launch)
    return outcome.complete and not outcome.violations


@pytest.mark.parametrize("write", FORMS[:3])
def test_swizzles_of_a_whole_tile_are_followed(write: str) -> None:
    text = tile(32, (32, 32), write, write.replace("x", "*").replace("y", "x").replace("*", "y"))
    whole = text.replace("(8, 8)", "(32, 32)").replace(
        "@cuda.jit", "# gpulint: requires grid == (1, 1, 1)\n@cuda.jit"
    )
    assert status(whole) == "verified"


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_what_is_verified_runs_clean(block: tuple[int, int]) -> None:
    verified = 0
    for side, write, read in itertools.product((4, 8), FORMS, FORMS[:3]):
        text = tile(side, block, write, read).replace("@cuda", "# gpulint: requires grid == (1, 1, 1)\n@cuda")
        if status(text) == "verified":
            assert clean(text, block), text
            verified += 1
    assert verified or block[0] != block[1]
