"""What connects the symbols of an array once its rank is known."""

import ast

import pytest

from gpulint.frontend.host import tensorparams
from gpulint.frontend.host.ranks import extents, known_ranks, links, with_rank
from gpulint.frontend.host.site import HostArray
from gpulint.ir import symbols
from gpulint.term import const, eq, show
from gpulint.term import symbols as symbols_of


def test_one_dimension_is_the_size():
    assert [show(t) for t in extents("x", 1)] == ["x.size"]
    used = symbols_of(symbols.extent("x", 0, None))
    assert [show(f) for f in links("x", 1, used)] in (["x.shape[0] == x.size"], ["x.size == x.shape[0]"])


def test_two_dimensions_give_the_product():
    assert [show(t) for t in extents("x", 2)] == ["x.shape[0]", "x.shape[1]"]
    assert [show(f) for f in links("x", 2, ())] == ["x.size == x.shape[0] * x.shape[1]"]


def test_negative_axes_are_connected():
    used = symbols_of(symbols.extent("x", -1, None))
    assert any("x.shape[-1]" in show(f) and "x.shape[1]" in show(f) for f in links("x", 2, used))


def test_with_rank_gives_a_shape_once():
    array, facts = with_rank(HostArray("x", None, "x"), 3, ())
    assert array.shape == extents("x", 3) and facts
    assert with_rank(array, 1, ()) == (array, ())


def test_known_ranks():
    from gpulint.frontend.host.values import rank_symbol

    assert known_ranks([eq(rank_symbol("a.b"), 3), eq(rank_symbol("c"), rank_symbol("d"))]) == {"a.b": 3}
    assert known_ranks([eq(rank_symbol("x") * 2, const(4))]) == {"x": 2}


RANKED = """
import torch, triton
import triton.language as tl

@triton.jit
def k(x, n):
    tl.store(x, n)

def run(q, v):
    B, T, D = q.shape
    {keep}
    assert v.shape[:{front}] == (B, T)
    V = v.shape[{back}]
    k[(B,)](v, V)
"""


@pytest.mark.parametrize(
    ("front", "back", "keep", "rank"),
    [
        (2, -1, "pass", 3), (2, -2, "pass", 4), (2, -1, "q, v = (t.contiguous() for t in (q, v))", 3),
        (2, -1, "v = v.view(-1, D)", None), (2, -1, "q, v = (t.view(-1) for t in (q, v))", None),
        (2, -1, "print(v.ndim)", None), (2, -1, "print(v.shape)", None),
        (2, -1, "v, q = (t.contiguous() for t in (q, v))", None),
    ],
)  # fmt: skip
def test_a_leading_part_and_an_axis_from_the_end_tell_the_rank(front, back, keep, rank):
    text = RANKED.format(front=front, back=back, keep=keep)
    node = next(n for n in ast.parse(text).body if getattr(n, "name", "") == "run")
    assert tensorparams._ranks(node).get("v") == rank


@pytest.mark.parametrize(
    ("made", "rank"),
    [
        ("torch.empty_like(q)", 2), ("torch.empty_like(q)\n    c = c.view(-1, 2)", None),
        ("torch.empty_like(q)\n    print(c.ndim)", None), ("torch.empty_like(q.t())", None),
    ],
)  # fmt: skip
def test_the_axes_of_a_new_tensor_like_another_tell_its_rank(made, rank):
    text = f"def run(q):\n    c = {made}\n    k[(c.size(0),)](q, c, c.stride(1))\n"
    assert tensorparams._ranks(ast.parse(text).body[0]).get("q") == rank
