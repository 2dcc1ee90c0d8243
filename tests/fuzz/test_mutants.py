"""Mutants of right kernels: a fixed few of them here; `python -m fuzz.mutants` takes all."""

from __future__ import annotations

import ast

import pytest
from fuzz.mutants import EXAMPLES, Mutant, contradicted, mutants, verified


def text_of(example: str) -> str:
    return (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")


def chosen(example: str, name: str) -> Mutant:
    return next(m for m in mutants(text_of(example)) if m.name == name)


KILLED = [
    ("vector_add", "guard-dropped-0"), ("vector_add", "relation-loosened-0"),
    ("vector_add", "index-off-by-one-0"), ("vector_add", "grid-floored-0"),
    ("matrix_add", "axes-swapped-0"), ("matrix_add", "relation-loosened-0"),
    ("saxpy_grid_stride", "stride-halved-0"), ("histogram", "atomic-plain-0"),
    ("dot_product", "atomic-plain-0"),
    ("transpose", "axes-swapped-0"), ("image_blur", "guard-dropped-0"), ("matmul", "grid-floored-0"),
]  # fmt: skip


@pytest.mark.parametrize(("example", "name"), KILLED, ids=lambda x: str(x))
def test_a_mutant_is_no_longer_verified(example: str, name: str) -> None:
    mutant = chosen(example, name)
    assert mutant.text != ast.unparse(ast.parse(text_of(example))) + "\n"
    assert not verified(mutant.text), mutant.text


@pytest.mark.parametrize("example", sorted({example for example, _ in KILLED}))
def test_the_unparsed_example_is_verified(example: str) -> None:
    assert verified(ast.unparse(ast.parse(text_of(example))))


HARMLESS = [
    ("differences", "index-off-by-one-2"), ("echo", "relation-loosened-1"),
    ("dot_product", "stride-halved-0"),
    ("jacobi", "index-off-by-one-0"),
]  # fmt: skip


@pytest.mark.parametrize(("example", "name"), HARMLESS, ids=lambda x: str(x))
def test_a_mutant_that_stays_verified_breaks_nothing(example: str, name: str) -> None:
    mutant = chosen(example, name)
    assert verified(mutant.text)
    assert not contradicted(mutant.text)


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
