"""Which warp operations are proved to be reached by the lanes of their masks, and by no others."""

from __future__ import annotations

import pytest
from kernels import kernel

from gpulint.config import Config
from gpulint.dataflow import analyse
from gpulint.pipeline import check_file
from gpulint.solver import convergence
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED


def proved(condition: str, mask: str) -> bool:
    text = (
        "@cuda.jit\ndef k(x, m):\n    t = cuda.threadIdx.x\n    v = x[t]\n"
        f"    if {condition}:\n        v = cuda.shfl_down_sync({mask}, v, 1)\n    x[t] = v\n"
    )
    s = Setting(found := kernel(text), analyse(found), Options())
    return all(convergence.again(s, o).kind == PROVED for o in convergence.obligations(s))


@pytest.mark.parametrize(
    ("condition", "mask"),
    [
        ("True", "0xFFFFFFFF"), ("True", "-1"), ("m > 3", "0xFFFFFFFF"), ("t % 32 < 16", "0xFFFF"),
        ("t % 32 >= 16", "0xFFFF0000"), ("4 <= t % 32 and t % 32 < 8", "0xF0"), ("t % 32 == 0", "1"),
        ("t % 32 < 2 or t % 32 > 29", "0xC0000003"), ("t // 32 == 0", "0xFFFFFFFF"),
    ],
)  # fmt: skip
def test_masks_that_fit(condition: str, mask: str) -> None:
    assert proved(condition, mask)


@pytest.mark.parametrize(
    ("condition", "mask"),
    [
        ("True", "0xFFFF"), ("t % 32 < 16", "0xFFFFFFFF"), ("t % 32 < 16", "0xFFFF0000"),
        ("t % 32 < 16", "0x7FFF"), ("t % 32 < 16", "0x1FFFF"), ("t % 32 >= 16", "0xFFFE0000"),
        ("t < m", "0xFFFFFFFF"), ("True", "m"), ("t % 32 == 0", "2"), ("True", "0"), ("t % 2 == 0", "0x555"),
    ],
)  # fmt: skip
def test_masks_that_do_not_fit_or_are_not_known(condition: str, mask: str) -> None:
    assert not proved(condition, mask)


def test_the_lanes_that_a_ballot_names_are_not_those_that_come() -> None:
    assert not proved("True", "cuda.ballot_sync(-1, v > 0)")


def test_the_lanes_that_are_active_are_those_that_come() -> None:
    assert proved("True", "cuda.activemask()")


def test_a_mask_from_data_is_never_held_against_the_kernel() -> None:
    text = (
        "import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit\ndef k(mask, x):\n    i = cuda.grid(1)\n"
        "    if i < x.size:\n        x[i] = cuda.all_sync(mask[i], x[i] > 0)\n\n\n"
        "def run():\n    k[1, 32](np.full(32, 0xFFFFFFFF), np.ones(32))\n"
    )
    [report] = check_file(text, "k.py", Config()).kernels
    [asked] = [o for o in report.obligations if o.property == "convergent"]
    assert asked.verdict == "undecided"
