"""Variants of one program: its text with some places written otherwise."""

from __future__ import annotations

from gpulint import pipeline
from gpulint.config import Config

Changes = tuple[tuple[str, str], ...]


def status(text: str, changes: Changes = ()) -> str:
    """The verdict on the only kernel of the text, each change made at the one place that it names."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (found,) = pipeline.check_file(text, "k.py", Config()).kernels
    return found.status
