"""Source lines for excerpts, made safe to print."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

TAB = 4
WINDOW = 140


class Sources:
    """Reads files on demand; `texts` are those that are not on disk."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._lines = lru_cache(maxsize=64)(self._read)

    def line(self, filename: str, row: int) -> str | None:
        """The line without its end, or None when there is no such line or file."""
        lines = self._lines(filename)
        return lines[row - 1] if 0 < row <= len(lines) else None

    def _read(self, filename: str) -> list[str]:
        from gpulint.source.load import read_text

        text = self._texts.get(filename)
        if text is None:
            found = read_text(Path(filename), filename)
            text = found if isinstance(found, str) else ""
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def excerpt(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The line as printed, and where the characters start..end of it are there.

    Tabs become spaces, control characters a replacement character, wide characters count double,
    and a very long line is cut to a window around the range.
    """
    first = max(0, min(start, len(line)) - WINDOW // 2) if len(line) > WINDOW else 0
    cut = line[first : first + WINDOW]
    start, end = max(start - first, 0), max(min(end - first, len(cut)), 0)
    shown = [_printable(c) for c in cut]
    head = "..." if first else ""
    left = len(head) + sum(map(width, shown[:start]))
    size = max(sum(map(width, shown[start:end])), 1)
    rest = "..." if first + WINDOW < len(line) else ""
    return head + "".join(shown).rstrip() + rest, left, size


def _printable(char: str) -> str:
    if char == "\t":
        return " " * TAB
    return char if char.isprintable() else "\ufffd"


def width(text: str) -> int:
    """Columns that the text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def safe(text: str) -> str:
    """The text on one line, without control characters: names and messages may come from hostile files."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
