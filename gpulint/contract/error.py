"""A clause that cannot be read, as data: what is wrong, where, and what was probably meant."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpulint.ir.span import NOWHERE, Span


@dataclass(frozen=True)
class ClauseError:
    """`column` and `end_column` are character offsets in `text`; `suggestion` may be empty."""

    message: str
    text: str
    column: int = 0
    end_column: int = 0
    suggestion: str = ""
    span: Span = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        hint = f"; did you mean `{self.suggestion}`?" if self.suggestion else ""
        return f"{self.message}{hint}"

    def pointed(self) -> str:
        """The clause with carets under the wrong part."""
        width = max(1, min(self.end_column, len(self.text)) - self.column)
        return f"{self.text}\n{' ' * self.column}{'^' * width}"


class Unreadable(Exception):
    """Raised within the parser at an `ast` node; `parse` turns it into a ClauseError."""

    def __init__(self, node: object, message: str, suggestion: str = "") -> None:
        super().__init__(message)
        self.node, self.message, self.suggestion = node, message, suggestion
