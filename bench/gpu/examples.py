"""The right examples of the SIMT dialect, as `build.py` compiles them and `check.py` runs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples"
LAUNCHES = 8  # of each example


def paths() -> Iterator[tuple[str, Path]]:
    """(name, file) of each, in a fixed order."""
    for room in ("numba", "simt"):
        for path in sorted((FOLDER / room / "right").glob("*.py")):
            yield f"{room}.{path.stem}", path
