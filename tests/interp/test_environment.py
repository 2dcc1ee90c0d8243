"""Symbols of a kernel as numbers of a launch."""

from __future__ import annotations

import pytest
from interp.build import kernel, launch

from gpulint.interp.environment import environment
from gpulint.ir import symbols
from gpulint.ir.types import INT32
from gpulint.term import Int, Scope, Unbound, evaluate, holds, le, sym

KERNEL = kernel(element=INT32, x=1, y=2, n=-1)
LAUNCH = launch(grid=(2, 3, 1), block=4, x=5, y=(6, 7), scalars={"n": 9, "a": 0.5})


@pytest.mark.parametrize(
    ("term", "number"),
    [
        (symbols.block_size(0), 4), (symbols.grid_size(1), 3), (symbols.param("n"), 9),
        (symbols.extent("x", 0, 1), 5), (symbols.extent("y", 1, 2), 7), (symbols.size("y", 2), 42),
        (symbols.size("y", None), 42), (symbols.stride("y", 0), 28), (symbols.stride("y", 0, "element"), 7),
    ],
)  # fmt: skip
def test_launch_symbols(term: Int, number: int) -> None:
    assert evaluate(term, environment(KERNEL, LAUNCH)) == number


def test_coordinates_of_a_point() -> None:
    env = environment(KERNEL, LAUNCH, ((1, 2, 0), (3, 0, 0)))
    assert evaluate(symbols.block(1) * 10 + symbols.thread(0), env) == 23


def test_bounds_of_the_symbol_do_not_matter() -> None:
    narrow = sym("x.size", Scope.LAUNCH, 1, 100)
    assert holds(le(narrow, 5), environment(KERNEL, LAUNCH))


def test_what_the_launch_does_not_say_is_unbound() -> None:
    for name in ("a", "other"):
        with pytest.raises(Unbound):
            evaluate(symbols.param(name), environment(KERNEL, LAUNCH))
