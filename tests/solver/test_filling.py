"""Witnesses hold what the host puts into arrays."""

from __future__ import annotations

from itertools import pairwise

import pytest
from fuzz import host, sites

from gpulint.solver.filling import Known, filled, fitting


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (Known(0, 3, True, True), [0, 1, 2, 3]),
        (Known(5, 5, False, False), [5, 5, 5, 5]),
        (Known(0, 9, False, False), [7, 7, 7, 7]),
        (Known(0, 9, True, False), [0, 1, 2, 3]),
        (Known(8, 9, False, False), [8, 8, 8, 8]),
        (Known(0, 2, True, False), None),
    ],
)
def test_contents_fit_what_is_known(known: Known, expected: list[int] | None) -> None:
    found = fitting(known, (4,), lambda _: 7)
    assert (None if found is None else [found((i,)) for i in range(4)]) == expected


def test_large_arrays_are_not_listed() -> None:
    found = fitting(Known(0, 10**9 - 1, True, True), (10**5, 10**4), lambda _: 0)
    assert found is not None and found((3, 2)) == 30_002


@pytest.mark.parametrize("seed", [1028, 1145, 1262, 1310, 1922, 2090])
def test_no_witness_chooses_contents_that_the_host_excludes(seed: int) -> None:
    _, found = sites.examine(host.seeded(seed), 4)
    assert not found


def test_an_array_of_unknown_rank_has_the_axes_that_the_code_shows() -> None:
    program = host.seeded(7014)
    assert "x.shape[0] // 2" in program.text and "x.size" in program.text
    _, found = sites.examine(program, 4)
    assert not found


def test_scattered_data_has_either_sign_and_falls_somewhere() -> None:
    values = [filled(None, (4, 5))((i, j)) for i in range(4) for j in range(5)]
    assert min(values) < 0 < max(values) and len(set(values)) > 10
    assert any(a > b for a, b in pairwise(values)) and any(a < b for a, b in pairwise(values))


def test_scattered_data_is_moved_to_where_the_host_has_it() -> None:
    found = fitting(Known(0, 999, False, False), (20,), filled(None, (20,)))
    assert found is not None
    values = [found((i,)) for i in range(20)]
    assert min(values) == 0 and any(a > b for a, b in pairwise(values))
    counted = fitting(Known(0, 19, True, True), (20,), filled(None, (20,)))
    assert counted is not None and [counted((i,)) for i in range(20)] == list(range(20))
