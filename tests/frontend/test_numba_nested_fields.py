"""Records within records: what is read and written is named by its path, however it is written down."""

from __future__ import annotations

import pytest
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.ir.fields import apart, inner
from gpulint.ir.printer import kernel as shown
from gpulint.solver.decide import decide
from gpulint.solver.options import Options

SHIFTED = """
@gpulint.contract(requires=["out.size == a.size"])
@cuda.jit
def k(a, out):
    i = cuda.grid(1)
    if i < a.size - 1:
        out[i] = {}
        {} = 1.0
"""
READS = ("a[i + 1].pos.y", "a[i + 1]['pos']['y']", "a['pos'][i + 1]['y']")
WRITES = ("a[i].pos.y", "a[i]['pos']['y']", "a['pos']['y'][i]")


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("read", READS)
def test_another_threads_field_is_a_race_in_every_spelling(read: str, write: str) -> None:
    k = kernel(SHIFTED.format(read, write))
    text = shown(k)
    assert "load a[(i + 1)].pos.y" in text.replace("[at]", "[(i + 1)]") and "store a[i].pos.y" in text
    assert decide(k, analyse(k), (), Options()).status == "refuted"


@pytest.mark.parametrize("write", ["a[i].pos.x", "a[i]['pos']['x']", "a[i].speed"])
def test_other_fields_of_the_same_record_are_apart(write: str) -> None:
    k = kernel(SHIFTED.format(READS[0], write))
    assert decide(k, analyse(k), (), Options()).status == "verified"


def test_a_record_and_a_field_of_it_share_memory() -> None:
    assert inner("", "pos") == "pos" and inner("pos", "x") == "pos.x"
    for a, b in (("", "pos"), ("pos", "pos"), ("pos", "pos.x"), ("pos.x.y", "pos")):
        assert not apart(a, b) and not apart(b, a)
    for a, b in (("pos.x", "pos.y"), ("pos", "position"), ("pos.x", "vel.x")):
        assert apart(a, b) and apart(b, a)
