"""Divisors that are parameters: taken as positive where nothing else decides, and asked of launches."""

from __future__ import annotations

import pytest
from fuzz.sites import decided

HEAD = "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(a, rows, n):\n    i = cuda.grid(1)\n"
BODY = "    if i < rows * n:\n        r = {r}\n        a[r, {c}] = 1.0\n"
HOST = "def main(r, n):\n    a = cuda.to_device(np.zeros((r, n)))\n    k[(r * n + 31) // 32, 32](a, r, {n})\n"


@pytest.mark.parametrize(
    ("r", "c", "fine"),
    [
        ("i // n", "i % n", True),
        ("i // n", "i - r * n", True),
        ("int(i / n)", "i - r * n", True),
        ("int(i / n)", "int(i - r * n)", True),
        ("int(i / n)", "i - r * n + 1", False),
        ("int(i / n) + 1", "i % n", False),
        ("int(i / rows)", "i % n", False),
        ("i % n", "i // n", False),
    ],
)
def test_rows_and_columns_of_a_flat_index(r: str, c: str, fine: bool) -> None:
    kernel = HEAD + BODY.format(r=r, c=c)
    _, free = decided(kernel)
    _, launched = decided(kernel + HOST.format(n="n"))
    told = {str(x) for v in free.verdicts for x in v.clauses}
    assert not fine or (free.status == "verified" and "n >= 1" in told)
    assert [s.status == "meets" for s in launched.sites] == [fine]


def test_what_holds_without_asks_for_no_sign() -> None:
    _, result = decided(HEAD + "    if i < a.shape[0] and i % n == 0:\n        a[i, 0] = 1.0\n")
    assert result.status == "verified" and not any("n >= 1" in str(c) for c in result.inferred)
