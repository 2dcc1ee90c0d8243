"""Colours of the text output."""

from __future__ import annotations

from dataclasses import dataclass

_CODES = {"error": "1;31", "warning": "1;33", "info": "1;36", "gutter": "1;34", "help": "1;32", "bold": "1"}


@dataclass(frozen=True)
class Style:
    """Paints pieces of text when `color` is on; leaves them as they are otherwise."""

    color: bool

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.color and text else text
