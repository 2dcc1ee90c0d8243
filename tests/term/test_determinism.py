"""Hashes of terms do not differ from process to process, so that sets of them are walked alike."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = (
    "from gpulint.term import Scope, ge, le, or_, select, sym\n"
    "x, y = sym('x', Scope.LAUNCH), sym('y', Scope.POINT)\n"
    "print([hash(t) for t in (x, x * y + 1, ge(x, y), or_(ge(x, y), le(x, 3)), select(ge(x, 0), x, y))])\n"
)


@pytest.fixture(scope="module")
def printed() -> list[str]:
    out = []
    for seed in ("1", "2"):
        run = [sys.executable, "-c", PROGRAM]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        out.append(subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout)
    return out


def test_a_hash_seed_changes_no_hash(printed: list[str]) -> None:
    assert printed[0] == printed[1] != ""
