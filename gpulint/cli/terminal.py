"""What the output streams can show."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

DELAY = 1.0
WIDTH = 30


def color(stream: TextIO) -> bool:
    """Colours on a terminal, unless NO_COLOR is set or the terminal is dumb; FORCE_COLOR forces them."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write(stream: TextIO, text: str) -> None:
    """Print text whatever the encoding of the stream: what it cannot show becomes `?`."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))


class Progress:
    """A bar on standard error, shown once the work has taken more than a second."""

    def __init__(self, total: int, shown: bool) -> None:
        self.total, self.shown = total, shown
        self.done, self.start, self.drawn = 0, time.monotonic(), False

    def step(self) -> None:
        """One more file is done."""
        self.done += 1
        if self.shown and self.total > 1 and time.monotonic() - self.start > DELAY:
            filled = WIDTH * self.done // self.total
            bar = "#" * filled + "-" * (WIDTH - filled)
            sys.stderr.write(f"\r[{bar}] {self.done}/{self.total} files")
            sys.stderr.flush()
            self.drawn = True

    def close(self) -> None:
        """Wipe the bar."""
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
