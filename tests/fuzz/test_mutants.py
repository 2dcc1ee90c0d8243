"""Mutants of right kernels: a fixed few of them here; `python -m fuzz.mutants` takes all."""

from __future__ import annotations

import ast

import pytest
from fuzz.mutants import EXAMPLES, EXPLAINED, Mutant, contradicted, mutants, name_of, verified

FILES = {name_of(path): path for path in EXAMPLES.glob("*/right/*.py")}


def text_of(example: str) -> str:
    return FILES[example].read_text(encoding="utf-8")


def chosen(example: str, name: str) -> Mutant:
    return next(m for m in mutants(text_of(example)) if m.name == name)


KILLED = [
    ("numba/vector_add", "guard-dropped-0"), ("numba/vector_add", "relation-loosened-0"),
    ("numba/vector_add", "index-off-by-one-0"), ("numba/vector_add", "grid-floored-0"),
    ("numba/matrix_add", "axes-swapped-0"), ("numba/matrix_add", "relation-loosened-0"),
    ("numba/saxpy_grid_stride", "stride-halved-0"), ("numba/histogram", "atomic-plain-0"),
    ("numba/dot_product", "atomic-plain-0"), ("numba/transpose", "axes-swapped-0"),
    ("numba/image_blur", "guard-dropped-0"), ("numba/matmul", "grid-floored-0"),
    ("triton/matmul_grouped", "mask-dropped-0"), ("triton/matmul_grouped", "mask-axis-swapped-0"),
    ("triton/matmul_grouped", "pid-dropped-0"), ("triton/matmul_grouped", "other-dropped-0"),
    ("triton/matmul_grouped", "stride-swapped-0"), ("triton/matmul_grouped", "tile-halved-0"),
]  # fmt: skip


@pytest.mark.parametrize(("example", "name"), KILLED, ids=lambda x: str(x))
def test_a_mutant_is_no_longer_verified(example: str, name: str) -> None:
    mutant = chosen(example, name)
    assert mutant.text != ast.unparse(ast.parse(text_of(example))) + "\n"
    assert not verified(mutant.text), mutant.text


@pytest.mark.parametrize("example", sorted({example for example, _ in KILLED}))
def test_the_unparsed_example_is_verified(example: str) -> None:
    assert verified(ast.unparse(ast.parse(text_of(example))))


ONE_OF_A_KIND = sorted({reason: place for place, reason in EXPLAINED.items()}.values())


@pytest.mark.parametrize(("example", "name"), ONE_OF_A_KIND, ids=lambda x: str(x))
def test_a_mutant_that_stays_verified_breaks_nothing(example: str, name: str) -> None:
    mutant = chosen(example, name)
    assert verified(mutant.text)
    assert not contradicted(mutant.text)


@pytest.mark.parametrize("example", ["triton/vector_add", "triton/index_add"])
def test_every_mutant_falls_or_is_explained(example: str) -> None:
    left = {m.name for m in mutants(text_of(example)) if verified(m.text)}
    assert left == {name for e, name in EXPLAINED if e == example}


def test_every_kind_of_change_is_made() -> None:
    text = (
        "from numba import cuda\n@cuda.jit\ndef k(x):\n    i, j = cuda.grid(2)\n    if i < x.shape[0]:\n"
        "        x[i, j] = 1\n    cuda.syncthreads()\n    cuda.atomic.add(x, (i, j), 1)\n"
        "    for q in range(i, 4, 2):\n        x[q, 0] = 2\n"
        "def run(n):\n    k[(n + 3) // 4, 4](n)\n"
    )
    assert {m.kind for m in mutants(text)} == {
        "guard-dropped", "relation-loosened", "stride-halved", "index-off-by-one", "atomic-plain",
        "barrier-removed", "axes-swapped", "grid-floored",
    }  # fmt: skip


TILES = """import triton
import triton.language as tl


@triton.jit
def k(x, y, M, N, sm, sn, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    rm = pid * BLOCK + tl.arange(0, BLOCK)
    rn = tl.arange(0, BLOCK)
    v = tl.load(x + rm[:, None] * sm + rn[None, :] * sn, mask=(rm < M)[:, None] & (rn < N)[None, :], other=0)
    tl.atomic_add(y + rm[:, None] * sm + rn[None, :], v)
"""


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("mask-dropped", "x + rm[:, None] * sm + rn[None, :] * sn, other=0)"),
        ("other-dropped", "& (rn < N)[None, :])"),
        ("mask-axis-swapped", "(rm < N)[:, None] & (rn < M)[None, :]"),
        ("pid-dropped", "pid = 0"),
        ("stride-swapped", "x + rm[:, None] * sn + rn[None, :] * sm"),
        ("stride-swapped", "y + rm[:, None] + rn[None, :] * sm"),
        ("relation-loosened", "(rm <= M)"),
        ("tile-halved", "pid * (BLOCK // 2)"),
        ("atomic-plain", "tl.store(y +"),
    ],
)  # fmt: skip
def test_changes_of_tile_kernels(kind: str, changed: str) -> None:
    assert any(m.kind == kind and changed in m.text for m in mutants(TILES))
