"""What connects the symbols of an array once its rank is known."""

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
