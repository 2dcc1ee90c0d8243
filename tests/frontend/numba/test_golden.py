"""Constructs of Numba kernels, each as source and as the kernel IR that it becomes.

`python tests/frontend/numba/test_golden.py` writes the IR of cases.txt anew, to be reviewed as a diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import kernel

from gpulint.ir.check import check
from gpulint.ir.printer import kernel as show

FILE = Path(__file__).with_name("cases.txt")


def cases() -> list[tuple[str, str, str]]:
    out = []
    for part in FILE.read_text().split("=== ")[1:]:
        title, _, rest = part.partition("\n")
        source, _, expected = rest.partition("---\n")
        out.append((title, source, expected))
    return out


@pytest.mark.parametrize(("source", "expected"), [c[1:] for c in cases()], ids=[c[0] for c in cases()])
def test_lowers_to(source: str, expected: str) -> None:
    lowered = kernel(source, "k")
    assert show(lowered) == expected.strip("\n")
    assert check(lowered) == []


if __name__ == "__main__":
    FILE.write_text(
        "\n".join(f"=== {title}\n{source}---\n{show(kernel(source, 'k'))}\n" for title, source, _ in cases())
    )
