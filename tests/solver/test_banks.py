"""Turns of shared memory against a direct count over the lanes of a warp."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.solver import banks

SIZES = {"int8": 1, "float16": 2, "float32": 4, "int64": 8, "complex128": 16}


def turns(index: str, dtype: str = "float32", block: tuple[int, int, int] = (64, 1, 1), shape: str = "4096",
          guard: str = "True") -> int:  # fmt: skip
    text = (
        f"@cuda.jit\ndef k(x, n):\n    s = cuda.shared.array({shape}, np.{dtype})\n    t = cuda.threadIdx.x\n"
        f"    u = cuda.threadIdx.y\n    if {guard}:\n        s[{index}] = 1\n"
    )
    [access] = [a for a in analyse(kernel(text)).accesses if a.mode == "write"]
    return banks.turns(access, block)


def counted(place: Callable[[int], int], size: int) -> int:
    """The same for a whole warp in one row, lane by lane."""
    most, together = 1, 32 if size <= 4 else 128 // size
    for start in range(0, 32, together):
        words: dict[int, set[int]] = defaultdict(set)
        for lane in range(start, start + together):
            for byte in range(place(lane) * size, (place(lane) + 1) * size):
                words[byte // 4 % 32].add(byte // 4)
        most = max(most, *map(len, words.values()))
    return most


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64"])
@pytest.mark.parametrize("stride", [0, 1, 2, 3, 4, 8, 16, 17, 31, 32, 33, 64])
def test_strides(stride: int, dtype: str) -> None:
    found, direct = turns(f"{stride} * t", dtype), counted(lambda lane: stride * lane, SIZES[dtype])
    few = stride % 2 and direct < banks.SEVERE  # a few lanes only
    assert found == direct or (few and found == 1)


@pytest.mark.parametrize("shift", [0, 1, 5, 32])
def test_what_all_lanes_add_makes_no_difference(shift: int) -> None:
    assert turns(f"2 * t + {shift}") == turns("2 * t + cuda.blockIdx.x") == 2


def test_rows_and_columns_of_a_tile() -> None:
    tile = {"block": (32, 32, 1), "shape": "(32, 32)"}
    assert (turns("u, t", **tile), turns("t, u", **tile)) == (1, 32)
    assert turns("t, u", block=(32, 32, 1), shape="(32, 33)") == 1
    assert turns("t, u", block=(16, 16, 1), shape="(16, 16)") == 16 // 2


def test_a_single_pair_of_lanes_is_no_pattern() -> None:
    assert turns("u, t", block=(16, 16, 1), shape="(16, 17)") == 1
    assert turns("t", block=(33, 1, 1), guard="t != 5") == 1


def test_idle_lanes_take_no_turn() -> None:
    assert turns("32 * t", guard="t < 4") == 4
    assert turns("32 * t", guard="t == 0") == 1


def test_unknown_distances_are_passed_over() -> None:
    assert turns("n * t") == 1
    assert turns("x[t]") == 1


def test_a_block_of_few_threads() -> None:
    assert turns("32 * t", block=(8, 1, 1)) == 8
