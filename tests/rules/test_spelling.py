"""Accesses named as the user wrote them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpulint.dataflow.access import IntOp
from gpulint.ir.types import INT32
from gpulint.rules.spelling import spell
from gpulint.term import TRUE


def spelled(bench, text, subscripts=1):
    access = replace(bench.access("read"), text="ir", subscript_texts=("x.v",) * subscripts)
    bench.accesses = [access]
    return spell(bench.view().accesses, lambda _: text).accesses[0]


@pytest.mark.parametrize(
    ("text", "subscripts"),
    [
        ("out[idx[i] % 7]", ("idx[i] % 7",)),
        ("out[i, j + 1]", ("i", "j + 1")),
        ("out[i][j]", ("i", "j")),
        ("cuda.atomic.add(out, (i, j), 1)", ("i", "j")),
        ("cuda.atomic.add(out, i, 1)", ("i",)),
        ("out[(i, j)]", ("i", "j")),
    ],
)
def test_subscripts_come_from_the_source(bench, text, subscripts):
    access = spelled(bench, text, len(subscripts))
    assert (access.text, access.subscript_texts) == (text, subscripts)


@pytest.mark.parametrize("text", ["", "x +", "helper", "out[" + "i + " * 40 + "i]"])
def test_other_text_changes_nothing(bench, text):
    access = spelled(bench, text)
    assert (access.text, access.subscript_texts) == ("ir", ("x.v",))


def test_a_view_with_other_axes_keeps_its_subscripts(bench):
    access = spelled(bench, "row[i]", 2)
    assert (access.text, access.subscript_texts) == ("row[i]", ("x.v", "x.v"))


def test_operations_too(bench, make):
    op = IntOp(make.grid, INT32, TRUE, (), make.place(8), "address", "a *:int32 b")
    accesses = replace(bench.view().accesses, ops=(op,))
    assert spell(accesses, lambda _: "cuda.grid(1)").ops[0].text == "cuda.grid(1)"
