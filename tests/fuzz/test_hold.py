"""A few random programs on which brute force must not contradict the prover; `hold` runs many."""

from __future__ import annotations

import pytest
from fuzz.generate import seeded
from fuzz.hold import examine


@pytest.mark.parametrize("seed", range(900, 912))
def test_no_verdict_is_contradicted(seed: int) -> None:
    program = seeded(seed)
    result, found = examine(program, 12)
    assert result.verdicts
    assert not found, f"{found[0]}\n{program.text}"
