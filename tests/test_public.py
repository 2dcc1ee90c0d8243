"""The names of the package itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gpulint

ROOT = Path(__file__).resolve().parent.parent
LATER = "import gpulint.compile, gpulint.contract\nimport gpulint\n"


@pytest.mark.parametrize("before", ["import gpulint\n", LATER], ids=["first", "after the packages"])
def test_every_public_name_can_be_called(before: str) -> None:
    code = f"{before}assert all(callable(getattr(gpulint, n)) for n in gpulint.__all__ if n[0] != '_')"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


def test_other_names_are_missing() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gpulint.nothing
