"""The page about contracts is true: each example in it is read as a clause."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpulint.contract.clause import Clause
from gpulint.contract.error import ClauseError
from gpulint.contract.parse import parse
from gpulint.ir.nodes import Kernel, Param
from gpulint.ir.span import NOWHERE
from gpulint.ir.types import BOOL, FLOAT32, INT64, ArrayType

PAGE = (Path(__file__).parents[2] / "docs" / "contracts.md").read_text(encoding="utf-8")
ARRAYS = {"x": 1, "out": 1, "a": 2, "b": 1, "idx": 1}
PARAMS = [Param(name, ArrayType(FLOAT32, ndim)) for name, ndim in ARRAYS.items()]
PARAMS += [Param(n, INT64) for n in ("n", "m", "rows", "cols", "first", "p.count", "lo", "hi")]
KERNEL = Kernel("k", "k", "numba", (*PARAMS, Param("tail", BOOL)), (), NOWHERE, NOWHERE)
HEADINGS = {"form": 2, "predicate": 1, "limit": 1}  # the column of each table that holds examples
EXTENTS = {"x.shape[0]", "x.shape[-1]", "len(x)", "x.size", "x.numel()"}
VALUES = {"n", "p.count", "a.ndim", "block.x", "grid.y", *EXTENTS}
ABSTRACT = {"noalias(a, b, ...)": "noalias(a, b)", "aligned(a, n)": "aligned(a, 16)"}


def examples():
    column = 0
    for line in PAGE.splitlines():
        cells = [c.strip() for c in line.split("|")]
        if len(cells) < 3:
            column = 0
        elif cells[1] in HEADINGS:
            column = HEADINGS[cells[1]]
        elif column:
            yield from re.findall(r"`([^`]+)`", cells[column])


@pytest.mark.parametrize("text", sorted(set(examples())))
def test_an_example_of_the_page_is_a_clause(text):
    shown = ABSTRACT.get(text, text)
    clause = f"{shown} >= 0" if shown in VALUES else shown
    assert isinstance(parse(clause, NOWHERE, KERNEL), Clause)


def test_the_examples_are_found():
    assert len(set(examples())) > 30


def test_clauses_in_the_code_blocks_are_read():
    declared = re.findall(r"# gpulint: requires (.*)", PAGE) + re.findall(r'"([^"]+)"', PAGE)
    assert len(declared) >= 4
    for text in declared:
        assert isinstance(parse(text, NOWHERE, KERNEL), Clause)


def test_the_error_shown_is_the_one_given():
    block = [line[4:] for line in PAGE.splitlines() if line.startswith("    ")]
    error = parse(block[0], NOWHERE, KERNEL)
    assert isinstance(error, ClauseError)
    assert [*error.pointed().splitlines(), str(error)] == block[:3]
