"""Which clauses are plain enough for a proof to rest on."""

from __future__ import annotations

from gpulint.contract.clause import Clause
from gpulint.ir import symbols as names
from gpulint.solver.residual import EXACT, SIZE, best, rank
from gpulint.solver.space import total
from gpulint.term import floordiv, le, mul, sub, sym, symbols

STEP, SIZE_OF = sym("step"), sym("x.size")


def test_numbers_of_programs_along_two_axes_are_sizes() -> None:
    rows, heads = names.grid_size(0), names.grid_size(1)
    assert rank(Clause(le(mul(rows, STEP) + heads, SIZE_OF))) == SIZE


def test_threads_of_the_whole_launch_are_exact_sizes() -> None:
    assert rank(Clause(le(total(0), SIZE_OF))) == EXACT


def test_blocks_and_threads_together_are_exact_sizes() -> None:
    assert rank(Clause(le(names.grid_size(0) + names.block_size(1), SIZE_OF))) == EXACT


def test_a_clause_without_the_size_of_a_tile_is_preferred() -> None:
    block, n = sym("B"), sym("n")
    ways = [(sub(block, SIZE_OF),), (sub(n, SIZE_OF),)]
    for alternatives in (ways, ways[::-1]):
        found = best(alternatives, lambda c: True, frozenset(symbols(block)))
        assert found is not None and [str(c) for c in found[0]] == ["n <= x.size"]


def test_programs_along_two_axes_taken_apart_by_a_quotient_are_sizes() -> None:
    chunks = floordiv(names.grid_size(0) - 1, STEP)
    assert rank(Clause(le(chunks + mul(names.grid_size(1), STEP), SIZE_OF))) == SIZE
    threads = floordiv(total(0) - 1, STEP)
    assert rank(Clause(le(threads + mul(names.grid_size(1), STEP), SIZE_OF))) == EXACT
