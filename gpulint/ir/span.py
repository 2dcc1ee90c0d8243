"""Exact source ranges, with the chain of inlined calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A half-open source range. Rows are 1-based, columns 0-based in characters (as `ast` has lines).

    `calls` holds the call sites through which an inlined device function was entered, innermost
    first; the range itself lies in the function's own file.
    """

    filename: str
    row: int
    column: int
    end_row: int
    end_column: int
    calls: tuple[Span, ...] = ()

    def within(self, call: Span) -> Span:
        """This range, as reached through one more (outer) call."""
        return Span(self.filename, self.row, self.column, self.end_row, self.end_column, (*self.calls, call))

    @property
    def outermost(self) -> Span:
        """The place in the kernel itself: the last call of the chain, or this range."""
        return self.calls[-1] if self.calls else self


NOWHERE = Span("<none>", 1, 0, 1, 0)
