"""Accesses named as the user wrote them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpulint.dataflow.access import AccessSet, IntOp
from gpulint.ir.symbols import lane
from gpulint.ir.types import INT32
from gpulint.rules.spelling import spell
from gpulint.term import TRUE, const, symbols


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


@pytest.mark.parametrize(
    ("source", "text", "index"),
    [
        ("tl.load(x + offs, mask=offs < n)", "x + offs", "offs"),
        ("tl.store(x + i * s + offs[None, :], v)", "x + i * s + offs[None, :]", "i * s + offs[None, :]"),
        ("tl.store(p, tl.sum(v))", "p", ""),
        ("tl.atomic_add(x + 1, v)", "x + 1", "1"),
        ("", "x[...]", ""),
    ],
)
def test_an_access_through_a_pointer_shows_the_pointer(bench, source, text, index):
    access = replace(bench.access("write"), lanes=((next(iter(symbols(lane(0)))), const(4)),))
    access = replace(access, array=replace(access.array, name="x"))
    (got,) = spell(AccessSet((access,), {}, (), (), (), 0), lambda _: source).accesses
    assert (got.text, got.subscript_texts) == (text, (index,))
